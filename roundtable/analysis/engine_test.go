package analysis

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// FR-114: where documents were written by another engine than the primary model, the
// announcement of the change says so; what the rules wrote down themselves is nobody's.
func TestEngineOfDocumentsIsShown(t *testing.T) {
	seat := persona.Seat{Key: "business-analyst", Name: "Maya Chen", Role: "Business Analyst"}
	target := Target{File: "a.md", Part: PartSection, Name: "Scope"}
	part := Part{File: "a.md", Content: "- [Priya] Tills.\n"}
	for name, tt := range map[string]struct {
		draft   *Draft
		attempt int
		want    string
	}{
		"another model":     {&Draft{Parts: []Part{part}, Engine: "openai:b"}, 1, "openai:b"},
		"the primary model": {&Draft{Parts: []Part{part}}, 1, ""},
		"no usable part":    {&Draft{Parts: []Part{{File: "b.md", Content: "x"}}, Engine: "openai:b"}, 2, ""},
		"no draft whatever": {nil, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := Analysis{
				ID: "A1", State: StateValidating, Cast: []persona.Seat{seat}, Phase: &PhaseView{Key: "01-requirements", Lead: seat.Key},
				Step: &Sitting{StepView: StepView{ID: "01-01", Title: "Context", Lead: seat.Key, Targets: []Target{target}}, From: 1, Answers: 1}, Turns: 1,
				Purpose: ForStep, Ask: &Ask{Kind: AskCompose, Key: "A1/a/0", Attempt: tt.attempt},
			}
			said := thread.Transcript{Turns: []thread.Turn{{Number: 1, Person: thread.Person{ID: "U1", Name: "Priya"}, Text: "Tills."}}}
			r := Step(a, Input{ID: "d", At: time.Unix(1, 0), Event: Drafted{Effect: "A1/a/0", Draft: tt.draft, Transcript: said}})
			if r.Analysis.Writing == nil {
				t.Fatalf("nothing is written: %+v", r.Effects)
			}
			r = Step(r.Analysis, Input{ID: "w", At: time.Unix(2, 0), Event: Written{Effect: r.Analysis.Writing.Key, Changes: []thread.ArtifactChange{{File: "a.md", Section: "Scope", Added: "words"}}}})
			for _, e := range r.Effects {
				if p, ok := e.(Post); ok && p.Message.Kind == thread.KindNotice {
					if p.Message.Engine != tt.want {
						t.Errorf("got engine %q, want %q", p.Message.Engine, tt.want)
					}
					return
				}
			}
			t.Errorf("no change is announced: %+v", r.Effects)
		})
	}
}
