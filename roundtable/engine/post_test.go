package engine_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// What becomes of a contribution when Slack misbehaves, without any crash:
// I3 and I4, in figures.
func TestPostOutcomes(t *testing.T) {
	inDoubt := &engine.SendError{Outcome: engine.InDoubt, Err: errCut}
	tests := []struct {
		name   string
		faults []enginetest.Fault // of the posts after the message
		// within is when the contribution stands, requests how often it was sent.
		within   time.Duration
		requests int
	}{
		{"all well", nil, 5 * time.Second, 1},
		{"performed, then cut: found and adopted", []enginetest.Fault{{Err: inDoubt, Performed: true}}, 25 * time.Second, 1},
		{"cut, not performed: sent again", []enginetest.Fault{{Err: inDoubt}}, 25 * time.Second, 2},
		{"performed late, within what settling allows", []enginetest.Fault{{Err: inDoubt, Performed: true, Late: 9 * time.Second}}, 25 * time.Second, 1},
		{"an error that says nothing is a doubt", []enginetest.Fault{{Err: errCut, Performed: true}}, 25 * time.Second, 1},
		{"429: sent when Slack says", []enginetest.Fault{{Err: &engine.SendError{Outcome: engine.Unsent, After: 40 * time.Second, Err: errCut}}}, 55 * time.Second, 2},
		{"never left: sent again soon", []enginetest.Fault{{Err: &engine.SendError{Outcome: engine.Unsent, Err: errCut}}}, 8 * time.Second, 2},
		{"never left, five times", unsentTimes(5), 50 * time.Second, 6},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inRoom(t, func(r *room) {
				r.panel.Delay = 0
				base, _ := r.slack.Posts()
				before := len(r.contributions())
				r.slack.Fault = func(n int, _ engine.Posting) enginetest.Fault {
					if i := n - base - 1; i < len(test.faults) {
						return test.faults[i]
					}
					return enginetest.Fault{}
				}
				r.say("What about refunds?")
				r.pass(test.within)
				if got := len(r.contributions()) - before; got != 1 {
					t.Errorf("got %d contributions, want 1", got)
				}
				r.pass(5 * time.Minute)
				if got := len(r.contributions()) - before; got != 1 {
					t.Errorf("in the end got %d contributions, want 1", got)
				}
				if got, _ := r.slack.Posts(); got-base != test.requests {
					t.Errorf("it was sent %d times, want %d", got-base, test.requests)
				}
			})
		})
	}
}

func unsentTimes(n int) []enginetest.Fault {
	faults := make([]enginetest.Fault, n)
	for i := range faults {
		faults[i].Err = &engine.SendError{Outcome: engine.Unsent, Err: errCut}
	}
	return faults
}

// A double that Slack shows only after the thread was read is removed by the
// audit at the end; the one with the receipt stays (I3 "after healing").
func TestLateDoubleIsHealed(t *testing.T) {
	inRoom(t, func(r *room) {
		base, _ := r.slack.Posts()
		r.slack.Fault = func(n int, _ engine.Posting) enginetest.Fault {
			if n == base+1 {
				return enginetest.Fault{Err: &engine.SendError{Outcome: engine.InDoubt, Err: errCut}, Performed: true, Late: time.Minute}
			}
			return enginetest.Fault{}
		}
		before := len(r.contributions())
		r.say("What about refunds?")
		r.pass(3 * time.Minute)
		if got := len(r.contributions()) - before; got != 2 {
			t.Fatalf("got %d contributions, want the double", got)
		}
		r.say("done")
		r.pass(2 * time.Minute)
		if got := len(r.contributions()) - before; got != 1 {
			t.Errorf("got %d contributions after the end, want 1", got)
		}
	})
}

// Posts keep the channel's pace, and waiting for it occupies nobody (FR-113):
// with a single hand, a discussion in another channel is not held up.
func TestWaitingOccupiesNoHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.options.Workers = 1
		r.store.Pace, r.store.Burst = 4*time.Second, 1
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{}, time.Now()))
		r.pass(3 * time.Second) // the framing now waits for the pace
		in := enginetest.Opening(roundtable.Settings{}, time.Now())
		opened := in.Event.(roundtable.Opened)
		opened.Discussion, opened.Place.Channel = "D2", "C2"
		in.Event = opened
		body, err := roundtable.EncodeInput(in)
		if err != nil {
			t.Fatal(err)
		}
		ref := engine.Ref{Team: opened.Place.Team, Channel: "C2", ID: "D2"}
		if _, err := r.engine.Receive(t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: in.ID, Body: body}, Opens: true}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Second)
		if n := len(r.slack.Messages("C2")); n != 1 {
			t.Errorf("got %d posts in the other channel, want the introduction", n)
		}
	})
}

// What follows closely on a change of the introduction is shown by the next turn along
// the way, or is come back for once nobody has changed anything for a while.
func TestRootCatchesUp(t *testing.T) {
	for _, tt := range []struct {
		name   string
		again  time.Duration // when somebody does something more; 0: nobody does
		claims int           // without the one that each press is
	}{
		{"nobody does anything more", 0, 1},
		{"somebody does", 4 * time.Second, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inRoom(t, func(r *room) {
				r.pass(time.Minute)
				n := len(r.replica.Calls())
				r.press(roundtable.ButtonQuiet)
				r.pass(500 * time.Millisecond)
				r.press(roundtable.ButtonOpenFloor)
				r.pass(500 * time.Millisecond)
				if got := len(r.calls(n, "slack.show_root")); got != 1 {
					t.Fatalf("shown %d times within a second, want once", got)
				}
				if tt.again > 0 {
					r.pass(tt.again)
					r.press(roundtable.ButtonOpenFloor)
				}
				r.pass(7 * time.Second)
				if got := len(r.calls(n, "slack.show_root")); got != 2 {
					t.Errorf("shown %d times in all, want twice", got)
				}
				if got := len(r.calls(n, "store.claim")); got != tt.claims {
					t.Errorf("claimed %d times, want %d", got, tt.claims)
				}
				shown, _ := r.slack.Shown(r.discussion().Place.Root)
				if strings.Contains(strings.ToLower(shown.Status), "quiet") {
					t.Errorf("the introduction still says %q", shown.Status)
				}
			})
		})
	}
}

// The introduction shows how things stand, at most once in three seconds; when
// Slack does not let it, nothing else waits.
func TestRootIsBroughtUpToDate(t *testing.T) {
	inRoom(t, func(r *room) {
		root := r.discussion().Place.Root
		first, ok := r.slack.Shown(root)
		if !ok {
			t.Fatal("the introduction was never brought up to date")
		}
		n := len(r.replica.Calls())
		for range 5 { // five changes within a second
			r.press(roundtable.ButtonQuiet)
			r.press(roundtable.ButtonOpenFloor)
			r.pass(200 * time.Millisecond)
		}
		r.pass(time.Minute)
		if got := len(r.calls(n, "slack.show_root")); got > 5 {
			t.Errorf("shown %d times", got)
		}
		r.slack.FailShowing(&engine.SendError{Outcome: engine.Unsent, Err: errors.New("ratelimited")})
		before := len(r.contributions())
		r.say("What about refunds, Maya?")
		r.pass(30 * time.Second)
		if got := len(r.contributions()) - before; got == 0 {
			t.Error("nobody spoke while the introduction could not be shown")
		}
		r.slack.FailShowing(nil)
		r.pass(2 * time.Minute)
		now, _ := r.slack.Shown(root)
		if now.Status == first.Status {
			t.Errorf("the introduction still says %q", now.Status)
		}
	})
}
