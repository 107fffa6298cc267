package roundtable_test

import (
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestMarkedIsWhole shows that a marked line is in to its last word, as it was
// written, however long, and that no other begins like it (NFR-003).
func TestMarkedIsWhole(t *testing.T) {
	t.Parallel()
	long := "Decision: " + strings.Repeat("we keep it, ", 70)
	texts := []string{long + "and delete nothing", long + "and delete everything", "Decision: latency &lt; 10 ms in `Vec&lt;T&gt;`, see <https://a.example/x?a=1&amp;b=2>"}
	var log []thread.Entry
	for i, text := range texts {
		log = append(log, thread.Entry{Kind: thread.EntryTurn, Turn: i + 1, Person: &thread.Person{ID: "U1", Name: "Sam"}, TS: string(rune('1'+i)) + ".000001", Text: text})
	}
	draft := roundtable.Draft{Insights: []roundtable.DraftPoint{{Text: "they agree", Turns: []int{1, 2}}}}
	syn, _ := roundtable.Check(roundtable.Discussion{Topic: "deletion"}, &draft, thread.ReadTranscript(log))
	if len(syn.Decisions) != len(texts) {
		t.Fatalf("decisions %+v, want %d", syn.Decisions, len(texts))
	}
	for i, end := range []string{"and delete nothing", "and delete everything", "latency < 10 ms in `Vec<T>`, see https://a.example/x?a=1&b=2"} {
		if !strings.HasSuffix(syn.Decisions[i].Text, end) {
			t.Errorf("decision %q does not end in %q", syn.Decisions[i].Text, end)
		}
	}
}
