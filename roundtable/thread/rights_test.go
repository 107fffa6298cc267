package thread_test

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestGuestsDecideNothing shows the transcript of either kind of thread (FR-108): marks
// of a guest stand, but for decisions; a member's ✅ on a guest's words is the member's.
func TestGuestsDecideNothing(t *testing.T) {
	gus, priya := thread.Person{ID: "U1", Name: "Gus", Guest: true}, thread.Person{ID: "U2", Name: "Priya"}
	mark := func(kind thread.MarkKind, by thread.Person) thread.Entry {
		return thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: kind, By: by, TS: "2.0"}}
	}
	got := thread.ReadTranscript([]thread.Entry{
		{Kind: thread.EntryTurn, Turn: 1, Person: &gus, TS: "1.0", Text: "Decision: we drop it"},
		{Kind: thread.EntryTurn, Turn: 2, Person: &gus, TS: "2.0", Text: "Keep it."},
		mark(thread.MarkDecision, gus), mark(thread.MarkInsight, gus), mark(thread.MarkDecision, priya),
	}).Marks
	if len(got) != 2 || got[0].Kind != thread.MarkInsight || got[1].By != priya || got[1].Body != "Keep it." {
		t.Errorf("got %+v", got)
	}
}
