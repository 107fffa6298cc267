package engine_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// An introduction that Slack performs after it was sent again stands in the channel as a
// thread of its own; it is removed once what was sent again has settled, or if it is
// later still by the audit at the end, and no other discussion's introduction is (I3
// "after healing").
func TestLateIntroductionIsHealed(t *testing.T) {
	for late, meanwhile := range map[time.Duration]int{20 * time.Second: 1, 2 * time.Minute: 2} {
		t.Run(late.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t)
				r.slack.Fault = lateIntroduction(late)
				r.start()
				defer r.stop()
				r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 10}, time.Now()))
				r.pass(5 * time.Minute)
				if got := introductions(r); got != meanwhile {
					t.Fatalf("got %d introductions before the end, want %d", got, meanwhile)
				}
				r.say("done")
				r.pass(2 * time.Minute)
				if got := introductions(r); got != 1 {
					t.Errorf("got %d introductions after the end, want 1", got)
				}
			})
		})
	}
}

// lateIntroduction has the first introduction performed so late, and its sender in doubt.
func lateIntroduction(late time.Duration) func(int, engine.Posting) enginetest.Fault {
	return func(n int, _ engine.Posting) enginetest.Fault {
		if n == 1 {
			return enginetest.Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: errCut}, Performed: true, Late: late}
		}
		return enginetest.Fault{}
	}
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
				r.slack.Fault = lateIntroduction(2 * time.Minute)
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

func (u *unwilling) Retract(ctx context.Context, p thread.Place, ts string) error {
	if u.tries++; u.tries == 1 {
		u.meanwhile()
		return u.err
	}
	return u.Workplace.Retract(ctx, p, ts)
}

func introductions(r *room) int {
	n := 0
	for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
		if m.Message.Kind == thread.KindRoot && !m.Retracted {
			n++
		}
	}
	return n
}

// The last post of a discussion may itself be sent again after its close; the audit
// waits for that one too. What is later still is healed before the discussion is
// forgotten (I3).
func TestLateFarewellIsHealed(t *testing.T) {
	tests := []struct{ late, healed time.Duration }{
		{20 * time.Second, 2 * time.Minute},
		{2 * time.Minute, thread.ClosedGrace + time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.late.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t)
				late := true
				r.slack.Fault = func(_ int, p engine.Posting) enginetest.Fault {
					if late && strings.Contains(p.Key, "/enriched/") {
						late = false
						return enginetest.Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: errCut}, Performed: true, Late: tt.late}
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
				r.pass(tt.healed)
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
		})
	}
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
		r.slack.Hear(place, roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: thread.Person{ID: "U1", Name: "Priya"}, Text: "What about refunds?"}})
		r.pass(3 * time.Minute)
		if got, want := r.people(), []string{"What about refunds?"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// The audit is made up for however long nobody could make it: every replica was away, or
// Slack could not be read (I3).
func TestHealingIsMadeUpFor(t *testing.T) {
	tests := map[string]func(*room, *illegible){
		"every replica was away": func(r *room, _ *illegible) {
			r.stop()
			r.pass(time.Hour)
			r.start()
		},
		"Slack could not be read": func(r *room, slack *illegible) {
			slack.away.Store(true)
			r.pass(time.Hour)
			slack.away.Store(false)
		},
	}
	for name, outage := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t)
				r.slack.Fault = lateIntroduction(2 * time.Minute)
				slack := &illegible{Workplace: r.slack, err: &engine.SendError{Outcome: engine.Unsent, Err: errCut}}
				r.options.Workplace = slack
				r.start()
				defer func() { r.stop() }()
				r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 10}, time.Now()))
				r.pass(5 * time.Minute)
				r.say("done")
				r.pass(5 * time.Second)
				if r.discussion().State != roundtable.StateClosed || introductions(r) != 2 {
					t.Fatal("the discussion is not closed with a double that waits for the audit")
				}
				outage(r, slack)
				r.pass(time.Hour) // no pause is longer than the outage was
				if got := introductions(r); got != 1 {
					t.Errorf("got %d introductions, want 1", got)
				}
				looks := slack.looks.Load()
				r.say("thanks")
				r.pass(time.Hour)
				if got := slack.looks.Load(); got != looks {
					t.Errorf("what was audited is looked at %d times more", got-looks)
				}
			})
		})
	}
}

// illegible is a Slack whose messages cannot be read while it is away.
type illegible struct {
	engine.Workplace
	err   error
	away  atomic.Bool
	looks atomic.Int64
}

func (u *illegible) Find(ctx context.Context, p thread.Place, since time.Time) ([]engine.Found, error) {
	u.looks.Add(1)
	if u.away.Load() {
		return nil, u.err
	}
	return u.Workplace.Find(ctx, p, since)
}
