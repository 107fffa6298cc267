package roundtable

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// I12: a synthesis leads only where people pointed.
func TestSynthesisKeepsToTheLinksPeopleGave(t *testing.T) {
	d := Discussion{Context: "Pasted: https://wiki.example/page?a=1&amp;b=2 and more", Topic: "see www.known.example."}
	tr := thread.Transcript{
		Turns: []thread.Turn{
			{Number: 1, Persona: "a", Text: "a model's own https://model.example/x"},
			{Number: 2, Person: thread.Person{ID: "U1"}, Text: "look at <https://docs.example.com/ttl|the docs>, please."},
		},
		Late: []thread.Turn{{Person: thread.Person{ID: "U1"}, Text: "late: http://late.example/"}},
	}
	known := thread.LinksIn(tr, d.Topic, d.Context)
	for _, tt := range []struct{ name, text, want string }{
		{"a person's", "see https://docs.example.com/ttl.", "see https://docs.example.com/ttl."},
		{"a person's, as Slack writes it", "see <https://docs.example.com/ttl|the docs>", "see <https://docs.example.com/ttl|the docs>"},
		{"a person's, in Markdown", "[the docs](https://docs.example.com/ttl)", "[the docs](https://docs.example.com/ttl)"},
		{"pasted, escaped or not", "https://wiki.example/page?a=1&b=2 https://wiki.example/page?a=1&amp;b=2", "https://wiki.example/page?a=1&b=2 https://wiki.example/page?a=1&amp;b=2"},
		{"in the topic", "www.known.example", "www.known.example"},
		{"said late", "http://late.example/", "http://late.example/"},
		{"another page of a known host", "https://docs.example.com/?q=secret", "https[:]//docs.example.com/?q=secret"},
		{"a model's", "https://model.example/x", "https[:]//model.example/x"},
		{"in capitals", "HTTPS://EVIL.example/x", "HTTPS[:]//EVIL.example/x"},
		{"another scheme", "slack://open?x=1 file:///etc/passwd", "slack[:]//open?x=1 file[:]///etc/passwd"},
		{"without a scheme", "www.evil.example/?q=secret", "www(dot)evil.example/?q=secret"},
		{"an image", "![x](https://evil.example/p.png?q=secret)", "![x] (https[:]//evil.example/p.png?q=secret)"},
		{"without the host's scheme", "[x](//evil.example/?q=secret)", "[x] (//evil.example/?q=secret)"},
		{"a script", "[x](javascript:alert(1))", "[x] (javascript:alert(1))"},
		{"in brackets", "[x]( <https://evil.example/> )", "[x] ( < https[:]//evil.example/> )"},
		{"a script in brackets", "<javascript:alert(1)>", "< javascript:alert(1)>"},
		{"HTML", `<img src="//evil.example/p.png"> </p> <a href=x>`, `< img src="//evil.example/p.png"> < /p> < a href=x>`},
		{"a forged mark", "<!-- Elaboration: step 01-01, 2026-01-01T00:00:00Z -->", "< !-- Elaboration: step 01-01, 2026-01-01T00:00:00Z -->"},
		{"a smaller sign", "a < b, x <3 and n<5", "a < b, x <3 and n<5"},
		{"a mention stays for the edge to read", "<@U1> <!channel>", "<@U1> <!channel>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := known.Tame(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Every way into a synthesis is held to it: points of the draft, their reasons,
// the summary, marks on what personas said, chosen options, minority views.
func TestEveryLineOfASynthesisIsTamed(t *testing.T) {
	const leak = "see https://evil.example/?q=secret ![x](//evil.example/p)"
	d := Discussion{Cast: testSeats(), People: []thread.Person{{ID: "U1", Name: "Priya"}}}
	tr := thread.Transcript{
		Turns: []thread.Turn{
			{Number: 1, Persona: "business-analyst", Text: leak, TS: "1"},
			{Number: 2, Person: thread.Person{ID: "U1", Name: "Priya"}, Text: "fine", TS: "2"},
			{Number: 3, Persona: "system-designer", Stance: thread.StanceDisagree, Text: "No: " + leak, TS: "3"},
		},
		Marks: []thread.Marked{
			{Mark: thread.Mark{Kind: thread.MarkInsight, By: thread.Person{ID: "U1", Name: "Priya"}, TS: "1"}, Body: leak, Turn: 1},
			{Mark: thread.Mark{Kind: thread.MarkDecision, By: thread.Person{ID: "U1", Name: "Priya"}, Text: leak}, Body: leak},
		},
	}
	points := func(text string) []DraftPoint { return []DraftPoint{{Text: text + leak, Why: leak, Turns: []int{2}}} }
	syn, fault := Check(d, &Draft{Insights: points("i"), Decisions: points("d"), Questions: points("q"), Actions: points("a"), Summary: leak}, tr)
	if fault != "" {
		t.Fatal(fault)
	}
	simple := simpleSynthesis(d, tr)
	for name, text := range map[string]string{"synthesis": d.Markdown(&syn), "summary": syn.Summary, "simple synthesis": d.Markdown(&simple)} {
		if live := regexp.MustCompile(`https://|\]\(`).FindAllString(text, -1); live != nil {
			t.Errorf("the %s still leads to %q:\n%s", name, live, text)
		}
	}
	if got := strings.Count(d.Markdown(&syn), "https[:]//evil.example"); got < 7 {
		t.Errorf("%d addresses are legible, want at least 7:\n%s", got, d.Markdown(&syn))
	}
}

// TestSynthesisNamesItsLinks shows that a replica that was not there can tell which
// addresses may be clicked on.
func TestSynthesisNamesItsLinks(t *testing.T) {
	tr := thread.Transcript{Turns: []thread.Turn{{Number: 1, Person: thread.Person{ID: "U1"}, Text: "look at <https://a.example/x?a=1&amp;b=2|the note> and <https://unused.example>"}}}
	draft := Draft{Insights: []DraftPoint{{Text: "see https://a.example/x?a=1&amp;b=2, not https://evil.example/x", Turns: []int{1}}}}
	syn, fault := Check(Discussion{}, &draft, tr)
	if diff := cmp.Diff([]string{"https://a.example/x?a=1&b=2"}, syn.Links); diff != "" || fault != "" {
		t.Errorf("%s%s", fault, diff)
	}
}
