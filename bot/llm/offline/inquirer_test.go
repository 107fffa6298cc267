package offline_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// inquiry is a step of two prompts of which the first was asked, with what people
// answered since.
func inquiry(answers ...roundtable.Turn) engine.Inquiry {
	turns := []roundtable.Turn{{Number: 1, Persona: "business-analyst", Text: "How large is it?"}}
	for i, a := range answers {
		a.Number = i + 2
		turns = append(turns, a)
	}
	step := analysis.Sitting{StepView: analysis.StepView{ID: "00-01", Title: "Scope Estimation"}, From: 1, Questions: 1}
	return engine.Inquiry{
		Transcript: roundtable.Transcript{Turns: turns},
		Briefing: analysis.Briefing{
			Step: step, Next: 2, NextText: "Which modules?", Purpose: analysis.ForStep, From: 1,
			Targets: []analysis.Target{
				{File: "quick-scan.md", Part: analysis.PartSection, Name: "Scope"},
				{File: "user-stories.json", Part: analysis.PartList, Name: "stories"},
				{File: "nfr.csv", Part: analysis.PartRows, Name: "id,text"},
				{File: "decisions/", Part: analysis.PartSection, Name: "Context"},
			},
		},
	}
}

func turnOf(id, name, text string) roundtable.Turn {
	return roundtable.Turn{Person: roundtable.Person{ID: id, Name: name}, Text: text}
}

// The lead takes up what was said, with names where several spoke, and asks on.
func TestInquire(t *testing.T) {
	priya, sam := turnOf("U1", "Priya", "About 40 files. Maybe more."), turnOf("U2", "Sam", "See <https://example.com/x|the list> *first*")
	last := inquiry(priya)
	last.Briefing.Next, last.Briefing.NextText = 0, ""
	for _, c := range []struct {
		name string
		in   engine.Inquiry
		want analysis.Asked
	}{
		{"nobody answered", inquiry(), analysis.Asked{Question: "Which modules?", Prompt: 2}},
		{"one person", inquiry(priya), analysis.Asked{Reflection: "Noted: About 40 files.", Question: "Which modules?", Prompt: 2}},
		{"two people", inquiry(priya, sam), analysis.Asked{Reflection: "Noted: Priya says “About 40 files”; Sam says “See the list first”.", Question: "Which modules?", Prompt: 2}},
		{"nothing left to ask", last, analysis.Asked{Reflection: "Noted: About 40 files.", Enough: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := offline.NewInquirer(0).Inquire(t.Context(), c.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is written down is what people said, each line with who said it; what talk
// cannot fill is left to the rules, and so is a second attempt.
func TestCompose(t *testing.T) {
	in := inquiry(turnOf("U1", "Pri*ya*", "About 40 files."), turnOf("U2", "Sam", "The tills, too."))
	d, err := offline.NewInquirer(0).Compose(t.Context(), in)
	if err != nil || d == nil {
		t.Fatalf("got %v, %v", d, err)
	}
	var files []string
	for _, p := range d.Parts {
		files = append(files, p.File)
	}
	if diff := cmp.Diff([]string{"quick-scan.md", "user-stories.json"}, files); diff != "" {
		t.Errorf("filled (-want +got):\n%s", diff)
	}
	if got, want := d.Parts[0].Content, "- **Priya**: About 40 files.\n- **Sam**: The tills, too.\n"; !strings.HasSuffix(got, want) {
		t.Errorf("the section is %q, want it to end in %q", got, want)
	}
	if got, want := d.Summary, "Scope Estimation, as Sam put it: The tills, too."; got != want {
		t.Errorf("the summary is %q, want %q", got, want)
	}
	again := in
	again.Fault = "the part is empty"
	for name, in := range map[string]engine.Inquiry{"second attempt": again, "nobody spoke": inquiry()} {
		if d, err := offline.NewInquirer(0).Compose(t.Context(), in); d != nil || err != nil {
			t.Errorf("%s: got %+v, %v, want nothing", name, d, err)
		}
	}
}
