package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// An introduction that Slack performs long after it was sent again stands in the
// channel as a thread of its own; the audit at the end removes it, and no other
// discussion's introduction (I3 "after healing").
func TestLateIntroductionIsHealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.slack.Fault = func(n int, _ engine.Posting) enginetest.Fault {
			if n == 1 {
				return enginetest.Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: errCut}, Performed: true, Late: 2 * time.Minute}
			}
			return enginetest.Fault{}
		}
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 10}, time.Now()))
		r.pass(5 * time.Minute)
		if got := introductions(r); got != 2 {
			t.Fatalf("got %d introductions, want the double", got)
		}
		r.say("done")
		r.pass(2 * time.Minute)
		if got := introductions(r); got != 1 {
			t.Errorf("got %d introductions after the end, want 1", got)
		}
	})
}

func introductions(r *room) int {
	n := 0
	for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
		if m.Message.Kind == roundtable.KindRoot && !m.Retracted {
			n++
		}
	}
	return n
}
