package analysis

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// FR-010: what the lead's words still break is written down with them.
func TestVoiceFaultsAreWrittenDown(t *testing.T) {
	seat := persona.Seat{Key: "business-analyst", Name: "Maya Chen", Role: "Business Analyst"}
	step := Sitting{StepView: StepView{ID: "01-01", Title: "Context", Lead: seat.Key, Depth: Chosen{Depth: Brief}, Modes: map[Depth]Mode{Brief: {Prompts: []string{"Why?", "Who?"}}}}, From: 1}
	for name, asked := range map[string]Asked{
		"a question": {Effect: "A1/a/0", Question: "Which coupling hurts?", Faults: 2}, "words alone": {Effect: "A1/a/0", Reflection: "The coupling hurts.", Enough: true, Faults: 2},
	} {
		a := Analysis{
			ID: "A1", State: StateAsking, Cast: []persona.Seat{seat}, Phase: &PhaseView{Key: "01-requirements", Lead: seat.Key}, Step: &step,
			Ask: &Ask{Kind: AskInquire, Key: "A1/a/0"},
		}
		r := Step(a, Input{ID: "i", At: time.Unix(1, 0), Event: asked})
		if turns := thread.ReadTranscript(r.Entries).Turns; len(turns) != 1 || turns[0].Faults != 2 {
			t.Errorf("%s: got %+v, want a turn with 2 faults", name, turns)
		}
	}
}
