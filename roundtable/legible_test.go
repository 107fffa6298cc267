package roundtable_test

import (
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
)

func TestLegible(t *testing.T) {
	t.Parallel()
	names := map[string]string{"U0SAM0001": "Sam Okafor"}
	for name, test := range map[string]struct{ text, document, spelled string }{
		"plain":             {text: "keep both", document: "keep both"},
		"escaped":           {text: "`if a&lt;b &amp;&amp; c&gt;d`", document: "`if a<b && c>d`"},
		"escaped entity":    {text: "write &amp;lt; there", document: "write &lt; there"},
		"somebody known":    {text: "<@U0SAM0001> owns it", document: "@Sam Okafor owns it"},
		"somebody labelled": {text: "<@U0LENA001|Lena> owns it", document: "@Lena owns it"},
		"a stranger":        {text: "<@U0LENA001> owns it", document: "@somebody owns it"},
		"channel":           {text: "see <#C0DOCS001|docs> and <#C0X|>", document: "see #docs and #C0X"},
		"group":             {text: "<!subteam^S012|@web> asks", document: "@web asks"},
		"crowd":             {text: "<!here> and <!channel|channel>", document: "@here and @channel"},
		"date":              {text: "by <!date^1392734382^{date}|18 February>", document: "by 18 February"},
		"address":           {text: "see <https://a.example/x?a=1&amp;b=2>.", document: "see https://a.example/x?a=1&b=2."},
		"label as address":  {text: "<https://a.example|https://a.example>", document: "https://a.example"},
		"mail":              {text: "ask <mailto:lena@a.example|lena@a.example>", document: "ask lena@a.example"},
		"label": {
			text: "<https://a.example/x?a=1&amp;b=2|the [note]>", document: `[the \[note\]](https://a.example/x?a=1&b=2)`,
			spelled: "the [note] (https://a.example/x?a=1&b=2)",
		},
		"brackets in an address": {text: "<https://a.example/x_(y)|note>", document: "[note](<https://a.example/x_(y)>)", spelled: "note (https://a.example/x_(y))"},
		"no entity":              {text: "a < b, <, <@", document: "a < b, <, <@"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := roundtable.Legible(test.text, names, roundtable.MarkdownLink); got != test.document {
				t.Errorf("in a document %q, want %q", got, test.document)
			}
			if test.spelled == "" {
				test.spelled = test.document
			}
			if got := roundtable.Legible(test.text, names, roundtable.SpelledLink); got != test.spelled {
				t.Errorf("spelled out %q, want %q", got, test.spelled)
			}
		})
	}
}

// TestMarkedIsWhole shows that a marked line is in to its last word, as it was
// written, however long, and that no other begins like it (NFR-003).
func TestMarkedIsWhole(t *testing.T) {
	t.Parallel()
	long := "Decision: " + strings.Repeat("we keep it, ", 70)
	texts := []string{long + "and delete nothing", long + "and delete everything", "Decision: latency &lt; 10 ms in `Vec&lt;T&gt;`, see <https://a.example/x?a=1&amp;b=2>"}
	var log []roundtable.Entry
	for i, text := range texts {
		log = append(log, roundtable.Entry{Kind: roundtable.EntryTurn, Turn: i + 1, Person: &roundtable.Person{ID: "U1", Name: "Sam"}, TS: string(rune('1'+i)) + ".000001", Text: text})
	}
	draft := roundtable.Draft{Insights: []roundtable.DraftPoint{{Text: "they agree", Turns: []int{1, 2}}}}
	syn, _ := roundtable.Check(roundtable.Discussion{Topic: "deletion"}, &draft, roundtable.ReadTranscript(log))
	if len(syn.Decisions) != len(texts) {
		t.Fatalf("decisions %+v, want %d", syn.Decisions, len(texts))
	}
	for i, end := range []string{"and delete nothing", "and delete everything", "latency < 10 ms in `Vec<T>`, see https://a.example/x?a=1&b=2"} {
		if !strings.HasSuffix(syn.Decisions[i].Text, end) {
			t.Errorf("decision %q does not end in %q", syn.Decisions[i].Text, end)
		}
	}
}
