package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The thread shows who is thinking, and stops showing it (FR-104), also when the
// panel fails; the failure is a stated stop with a way on (I10).
func TestThinkingIsShownAndCleared(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 10 * time.Second
		r.panel.Answer = func(n int, _ roundtable.AskKind) (roundtable.Ending, error) {
			if n == 3 {
				return roundtable.Ending{}, &engine.PanelError{Reason: thread.ReasonOverBudget, Err: errors.New("spent")}
			}
			return roundtable.Ending{}, nil
		}
		r.say("Alex, does this scale?")
		r.pass(5 * time.Second)
		threadTS := r.discussion().Place.Thread
		if got := r.slack.Thinking(threadTS); len(got) == 0 || got[0].Key != "solutions-architect" {
			t.Errorf("while the panel thinks got %v thinking, want the architect first", got)
		}
		r.pass(20 * time.Second)
		if got := r.slack.Thinking(threadTS); len(got) != 0 {
			t.Errorf("after the failure got %v thinking, want nobody", got)
		}
		d := r.discussion()
		if d.Stalled == nil || d.Stalled.Reason != thread.ReasonOverBudget {
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
// not waited for, and is taken away, also when it arrives while a post is under way and
// an older one stood before it.
func TestSignNeverOutlastsTheAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, say  string
		panel, lag time.Duration
		signs      []time.Duration // how long each takes
		want       int
	}{
		{"on its way", "Alex, does this scale?", 0, 0, []time.Duration{200 * time.Millisecond}, 1},
		{"too slow", "Alex, does this scale?", 0, 0, []time.Duration{3 * time.Second, 200 * time.Millisecond}, 2},
		{"overtaken", "What do you all think?", time.Second, 300 * time.Millisecond, []time.Duration{50 * time.Millisecond, 1150 * time.Millisecond, 850 * time.Millisecond, 100 * time.Millisecond}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inRoom(t, func(r *room) {
				r.pass(20 * time.Second) // whatever was under way
				posts, before := len(r.contributions()), r.slack.Signs()
				r.panel.Delay, r.slack.Lag = tt.panel, tt.lag
				r.slack.SignLatency = func(n int) time.Duration { return tt.signs[min(n-before, len(tt.signs))-1] }
				r.say(tt.say)
				r.pass(30 * time.Second)
				if len(r.contributions()) == posts {
					t.Fatal("nobody spoke")
				}
				if got := r.slack.Thinking(r.discussion().Place.Thread); len(got) != 0 {
					t.Errorf("after the answer got %v thinking, want nobody", got)
				}
				if got := r.slack.Signs() - before; got != tt.want {
					t.Errorf("Slack was asked %d times for a sign, want %d", got, tt.want)
				}
			})
		})
	}
}

// What ends a question is posted at once: nobody waits for a sign to be taken away that
// the post takes away by itself.
func TestPostsDoNotWaitForASignToGo(t *testing.T) {
	var at [2]time.Duration
	for i, latency := range []time.Duration{0, 250 * time.Millisecond} {
		inRoom(t, func(r *room) {
			r.pass(20 * time.Second)
			r.panel.Delay = 2 * time.Second
			r.slack.SignLatency = func(int) time.Duration { return latency }
			begun := time.Now()
			r.say("done")
			r.pass(time.Minute)
			posted := r.slack.Messages(enginetest.Ref().Channel)
			at[i] = posted[len(posted)-1].At.Sub(begun)
		})
	}
	if at[0] != at[1] {
		t.Errorf("the end is posted after %v, and after %v where signs are slow", at[0], at[1])
	}
}

// A notice in the middle of a round takes the sign away; whoever still thinks is shown
// again.
func TestThinkingIsShownAgainAfterANotice(t *testing.T) {
	inRoom(t, func(r *room) {
		r.pass(20 * time.Second)
		r.panel.Delay = 30 * time.Second
		r.say("Alex, does this scale?")
		r.pass(10 * time.Second)
		before := len(r.slack.Messages(enginetest.Ref().Channel))
		r.press(roundtable.ButtonQuiet)
		r.pass(5 * time.Second)
		if len(r.slack.Messages(enginetest.Ref().Channel)) == before {
			t.Fatal("the button was not answered")
		}
		if got := r.slack.Thinking(r.discussion().Place.Thread); len(got) == 0 {
			t.Error("nobody is shown thinking after the notice")
		}
	})
}
