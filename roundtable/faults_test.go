package roundtable

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// FR-010: what a contribution still breaks is written down with it, in the log's
// stored form, and read back with the transcript; the record of meta.json has the
// prescribed fields and no other (AC-009-01).
func TestVoiceFaultsAreWrittenDown(t *testing.T) {
	d := Discussion{
		ID: "D1", State: StateDiscussionLoop, Cast: testSeats(), Lead: "business-analyst", Settings: Settings{MaxTurns: 20}, Turns: 1, Spoke: map[string]int{},
		Round: &Round{Kind: RoundContinue, Calls: []Call{{Persona: "system-designer", Must: true}}}, Ask: &Ask{Kind: AskDiscuss, Key: "D1/a/0"},
	}
	c := Contribution{Persona: "system-designer", Text: "Great point.", Faults: 2}
	r := Step(d, Input{ID: ContributionID(d, c), At: time.Unix(1, 0), Event: Contributed{Effect: "D1/a/0", Contribution: c}})
	if len(r.Entries) != 1 {
		t.Fatalf("got %d entries, want the contribution", len(r.Entries))
	}
	stored, err := thread.EncodeEntry(d.ID, r.Entries[0])
	if err != nil {
		t.Fatal(err)
	}
	back, err := thread.DecodeEntry(d.ID, stored)
	if err != nil {
		t.Fatal(err)
	}
	d.State, d.Round, d.Ask = StateTopicFraming, nil, &Ask{Kind: AskFrame, Key: "D1/a/0"}
	framed := Step(d, Input{ID: "f", At: time.Unix(1, 0), Event: Framed{Effect: "D1/a/0", Framing: Framing{Focus: "What?", Faults: 1}}})
	if got := thread.ReadTranscript(framed.Entries).Turns; len(got) != 1 || got[0].Faults != 1 {
		t.Errorf("the framing is written down as %+v, want a turn with 1 fault", got)
	}
	turns := thread.ReadTranscript([]thread.Entry{back}).Turns
	if len(turns) != 1 || turns[0].Faults != 2 {
		t.Errorf("got %+v from %s, want a turn with 2 faults", turns, stored)
	}
}
