package roundtable_test

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable"
)

// TestGuestsDecideNothing shows the transcript of either kind of thread (FR-108): marks
// of a guest stand, but for decisions; a member's ✅ on a guest's words is the member's.
func TestGuestsDecideNothing(t *testing.T) {
	gus, priya := roundtable.Person{ID: "U1", Name: "Gus", Guest: true}, roundtable.Person{ID: "U2", Name: "Priya"}
	mark := func(kind roundtable.MarkKind, by roundtable.Person) roundtable.Entry {
		return roundtable.Entry{Kind: roundtable.EntryMark, Mark: &roundtable.Mark{Kind: kind, By: by, TS: "2.0"}}
	}
	got := roundtable.ReadTranscript([]roundtable.Entry{
		{Kind: roundtable.EntryTurn, Turn: 1, Person: &gus, TS: "1.0", Text: "Decision: we drop it"},
		{Kind: roundtable.EntryTurn, Turn: 2, Person: &gus, TS: "2.0", Text: "Keep it."},
		mark(roundtable.MarkDecision, gus), mark(roundtable.MarkInsight, gus), mark(roundtable.MarkDecision, priya),
	}).Marks
	if len(got) != 2 || got[0].Kind != roundtable.MarkInsight || got[1].By != priya || got[1].Body != "Keep it." {
		t.Errorf("got %+v", got)
	}
}
