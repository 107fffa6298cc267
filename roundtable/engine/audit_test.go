package engine_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// While doubles cannot be looked for, nobody waits for it who writes: it is tried again
// after a pause that grows, whatever happens meanwhile, and only when what was decided
// stands in the store.
func TestAuditKeepsNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.slack.Fault = lateIntroduction(time.Hour)
		slack := &illegible{Workplace: r.slack, err: &engine.SendError{Outcome: engine.Unsent, Err: errCut}}
		r.options.Workplace = slack
		r.start()
		defer func() { r.stop() }()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40}, time.Now()))
		r.pass(20 * time.Second)
		if r.discussion().DoubtedAt.IsZero() {
			t.Fatal("nothing was sent again")
		}
		slack.away.Store(true)
		before, n := slack.looks.Load(), len(r.replica.Calls())
		for range 15 {
			r.say("Alex, what breaks first?")
			r.pass(5 * time.Second)
		}
		if got := slack.looks.Load() - before; got < 1 || got > 4 {
			t.Errorf("Slack was asked %d times in 75 seconds, want a few", got)
		}
		calls := slices.DeleteFunc(r.replica.Calls()[n:], func(c string) bool { return c == "slack.think" || c == "slack.show_root" })
		for i, c := range calls {
			if c == "slack.find" && !strings.HasPrefix(calls[max(i-1, 0)], "store.") {
				t.Errorf("before %s came %s, want that what was decided was stored", c, calls[max(i-1, 0)])
			}
		}
	})
}

// What Slack refuses to show, because the thread is gone, is not asked for again.
func TestAuditTakesARefusal(t *testing.T) {
	inRoom(t, func(r *room) {
		r.say("done")
		r.pass(5 * time.Second)
		r.stop()
		slack := &illegible{Workplace: r.slack, err: &engine.SendError{Outcome: engine.Refused, Reason: thread.ReasonThreadGone, Err: errCut}}
		slack.away.Store(true)
		r.options.Workplace = slack
		r.start()
		r.pass(24 * time.Hour)
		if got := slack.looks.Load(); got != 1 {
			t.Errorf("Slack was asked %d times, want once", got)
		}
	})
}
