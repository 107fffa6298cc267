package document

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWritten finds what a step has left in a document, so that an elaboration is
// framed from it (AC-004-03).
func TestWritten(t *testing.T) {
	doc := []byte("# Spec\n\n## Context\n\nBy hand.\n")
	add := func(title, step, time, body string) {
		t.Helper()
		var err error
		if doc, _, err = Merge(doc, Insertion{Title: title, StepID: step, Time: time, Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	add("Context", "01-01", "2026-11-16T09:00:00Z", "Shops lose the network.\n\n### Who\n\nCashiers.")
	add("User needs", "01-02", "2026-11-16T10:00:00Z", "They sell on.")
	add("Context", "01-01", "2026-11-16T11:00:00Z", "```\n<!-- Elaboration: step 01-01, fenced -->\n```\n\nAccountants close daily.")
	for _, tt := range []struct {
		name, step string
		doc        []byte
		want       string
	}{
		{"twice", "01-01", doc, "### Elaboration (step 01-01)\n\nShops lose the network.\n\n### Who\n\nCashiers.\n\n### Elaboration (step 01-01)\n\n```\n<!-- Elaboration: step 01-01, fenced -->\n```\n\nAccountants close daily."},
		{"once", "01-02", doc, "They sell on."},
		{"never", "01-0", doc, ""},
		{"no text", "01-01", append([]byte{0xff}, doc...), ""},
		{"no document", "01-01", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Written(tt.doc, tt.step)); diff != "" {
				t.Errorf("(-want +got):\n%s\nin\n%s", diff, doc)
			}
		})
	}
}

// TestAnotherOfTheSame lets two discussions that come to the same in the same second
// both land (FR-008, FR-009), as a Markdown section, a JSON entry and a record.
func TestAnotherOfTheSame(t *testing.T) {
	in := Insertion{Title: "Context", StepID: "01-01", Time: "2026-11-16T09:00:00Z", Body: "Shops lose the network."}
	for _, output := range []string{"spec.md", "stories.json"} {
		files := map[string][]byte{}
		lookup := func(name string) ([]byte, bool) { b, ok := files[name]; return b, ok }
		for i, another := range []bool{false, false, true} {
			in.Another = another
			changes, err := Enrich(lookup, output, in)
			if err != nil {
				t.Fatal(err)
			}
			files[output] = changes[0].Content
			if got, want := strings.Count(string(files[output]), in.Body), 1+i/2; got != want {
				t.Errorf("%s has it %d times after %d insertions, want %d:\n%s", output, got, i+1, want, files[output])
			}
		}
	}
	m := NewMeta(Item{Slug: "x"})
	r := Record{StepID: "01-01", TurnCount: 3, Timestamp: in.Time, SynthesisSummary: "The same."}
	for range 2 {
		if err := m.AppendAnotherElaboration(r); err != nil {
			t.Fatal(err)
		}
	}
	if added, err := m.AppendElaboration(r); added || err != nil || len(m.Elaborations()) != 2 {
		t.Errorf("got %v, %v and %d records, want the two that are there", added, err, len(m.Elaborations()))
	}
	if err := m.AppendAnotherElaboration(Record{}); err == nil {
		t.Error("a record without a step was taken")
	}
}
