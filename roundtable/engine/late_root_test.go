package engine_test

import (
	"context"
	"slices"
	"strings"
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

// What cannot be removed is tried again, even if somebody writes at the very moment in
// which the discussion would have been given back (I3).
func TestHealingIsTriedAgain(t *testing.T) {
	unsent := &engine.SendError{Outcome: engine.Unsent, After: time.Second, Err: errCut}
	doubt := &engine.SendError{Outcome: engine.InDoubt, Err: errCut}
	for name, err := range map[string]error{"not removed": unsent, "in doubt": doubt} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t)
				r.slack.Fault = func(n int, _ engine.Posting) enginetest.Fault {
					if n == 1 {
						return enginetest.Fault{Err: doubt, Performed: true, Late: 2 * time.Minute}
					}
					return enginetest.Fault{}
				}
				slack := &unwilling{Workplace: r.slack, err: err, meanwhile: func() { r.say("thanks") }}
				r.options.Workplace = slack
				r.start()
				defer r.stop()
				r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 10}, time.Now()))
				r.pass(5 * time.Minute)
				r.say("done")
				r.pass(5 * time.Minute)
				if got := introductions(r); got != 1 || slack.tries < 2 {
					t.Errorf("got %d introductions after the end and %d tries, want 1 after several", got, slack.tries)
				}
			})
		})
	}
}

// unwilling is a Slack that does not remove a message the first time.
type unwilling struct {
	engine.Workplace
	err       error
	meanwhile func()
	tries     int
}

func (u *unwilling) Retract(ctx context.Context, p roundtable.Place, ts string) error {
	if u.tries++; u.tries == 1 {
		u.meanwhile()
		return u.err
	}
	return u.Workplace.Retract(ctx, p, ts)
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

// The last post of a discussion may itself be sent again after its close; the audit
// waits for that one too, and tries again if Slack cannot be read (I3).
func TestLateFarewellIsHealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		const settle = 15 * time.Second
		late := true
		r.slack.Fault = func(_ int, p engine.Posting) enginetest.Fault {
			if late && strings.Contains(p.Key, "/enriched/") {
				late = false
				return enginetest.Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: errCut}, Performed: true, Late: settle + 5*time.Second}
			}
			return enginetest.Fault{}
		}
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 10}, time.Now()))
		r.pass(5 * time.Minute)
		r.say("Alex, what breaks first?")
		r.pass(time.Minute)
		r.say("done")
		r.pass(2 * time.Minute)
		if late {
			t.Fatal("no post was late")
		}
		stands := make(map[string]int)
		for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
			if !m.Retracted {
				stands[m.Key]++
			}
		}
		for key, n := range stands {
			if n != 1 {
				t.Errorf("%s stands %d times", key, n)
			}
		}
	})
}

// What people write below an introduction of which nobody knows yet that it stands is
// taken in once it is found (I1).
func TestWordsBelowAnIntroductionInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.slack.Fault = func(n int, _ engine.Posting) enginetest.Fault {
			if n == 1 {
				return enginetest.Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: errCut}, Performed: true}
			}
			return enginetest.Fault{}
		}
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 10}, time.Now()))
		r.pass(time.Second)
		place := r.discussion().Place
		if place.Thread != "" {
			t.Fatal("the thread is known already")
		}
		place.Thread = r.slack.Messages(enginetest.Ref().Channel)[0].TS
		ts := r.slack.Timestamp()
		r.slack.Hear(place, roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: roundtable.Person{ID: "U1", Name: "Priya"}, Text: "What about refunds?"}})
		r.pass(3 * time.Minute)
		if got, want := r.people(), []string{"What about refunds?"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
