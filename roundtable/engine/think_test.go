package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// The thread shows who is thinking, and stops showing it (SPEC §6), also when the
// panel fails; the failure is a stated stop with a way on (I10).
func TestThinkingIsShownAndCleared(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 10 * time.Second
		r.panel.Answer = func(n int, _ roundtable.AskKind) (roundtable.Ending, error) {
			if n == 3 {
				return roundtable.Ending{}, &engine.PanelError{Reason: roundtable.ReasonOverBudget, Err: errors.New("spent")}
			}
			return roundtable.Ending{}, nil
		}
		r.say("Alex, does this scale?")
		r.pass(5 * time.Second)
		thread := r.discussion().Place.Thread
		if got := r.slack.Thinking(thread); len(got) == 0 || got[0].Key != "solutions-architect" {
			t.Errorf("while the panel thinks got %v thinking, want the architect first", got)
		}
		r.pass(20 * time.Second)
		if got := r.slack.Thinking(thread); len(got) != 0 {
			t.Errorf("after the failure got %v thinking, want nobody", got)
		}
		d := r.discussion()
		if d.Stalled == nil || d.Stalled.Reason != roundtable.ReasonOverBudget {
			t.Errorf("got stall %v, want over_budget", d.Stalled)
		}
		before := len(r.contributions())
		r.press(roundtable.ButtonRetry)
		r.pass(time.Minute)
		if got := len(r.contributions()) - before; got == 0 {
			t.Error("nobody spoke after the retry")
		}
	})
}

// An answer that is faster than the sign waits for it a little: the sign never comes
// after the answer, and does not have to be taken away. One that takes too long is
// not waited for, and is taken away.
func TestSignNeverOutlastsTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		latency time.Duration
		signs   int
	}{
		{"on its way", 200 * time.Millisecond, 1},
		{"too slow", 3 * time.Second, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inRoom(t, func(r *room) {
				r.pass(20 * time.Second) // whatever was under way
				r.panel.Delay, r.slack.SignLatency = 0, tt.latency
				posts, signs := len(r.contributions()), r.slack.Signs()
				r.say("Alex, does this scale?")
				r.pass(4 * time.Second)
				if len(r.contributions()) == posts {
					t.Fatal("nobody spoke")
				}
				r.pass(20 * time.Second)
				if got := r.slack.Thinking(r.discussion().Place.Thread); len(got) != 0 {
					t.Errorf("after the answer got %v thinking, want nobody", got)
				}
				if got := r.slack.Signs() - signs; got != tt.signs {
					t.Errorf("Slack was asked %d times for a sign, want %d", got, tt.signs)
				}
			})
		})
	}
}
