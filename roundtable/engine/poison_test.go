package engine_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// An input that cannot be taken in is put aside with a reason, and what came with
// it goes on (I1).
func TestPoison(t *testing.T) {
	poison := func(d roundtable.Discussion, in roundtable.Input) roundtable.Result {
		if said, ok := in.Event.(roundtable.Said); ok && strings.Contains(said.Text, "poison") {
			panic(said.Text)
		}
		return roundtable.Step(d, in)
	}
	inRoom(t, func(r *room) {
		r.stop()
		r.rules = poison
		r.start()
		before := len(r.contributions())
		r.say("this is poison")
		r.say("What about refunds?")
		if _, err := r.engine.Receive(t.Context(), engine.Delivery{Ref: enginetest.Ref(), Mail: engine.Mail{ID: "torn", Body: []byte(`{"v":1,"kin`)}}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Minute)
		letters, err := r.store.DeadLetters(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]string)
		for _, l := range letters {
			got[l.Reason] = l.Mail.ID
		}
		if len(got) != 2 || !strings.HasPrefix(got["panic"], "m:") || got["unreadable"] != "torn" {
			t.Errorf("got dead letters %v, want one that panicked and one that is unreadable", got)
		}
		if got := len(r.contributions()) - before; got != 1 {
			t.Errorf("got %d contributions to the message beside it, want 1", got)
		}
	})
}

// An input that kills every process that takes it in is put aside after some
// crashes; its neighbours are not (I1, NFR-101).
func TestPoisonThatKills(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.options.Poll = 5 * time.Second
		r.start()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40}, time.Now()))
		r.pass(time.Minute)
		r.stop()
		r.say("first")
		r.say("kill")
		r.say("last")
		deaths := 0
		r.rules = func(d roundtable.Discussion, in roundtable.Input) roundtable.Result {
			if said, ok := in.Event.(roundtable.Said); ok && said.Text == "kill" {
				r.replica.Kill()
			}
			return roundtable.Step(d, in)
		}
		r.start()
		for range 20 {
			r.pass(40 * time.Second)
			select {
			case <-r.replica.Dead():
				deaths++
				r.stop()
				r.start()
			default:
			}
		}
		defer r.stop()
		letters, err := r.store.DeadLetters(t.Context(), 10)
		if err != nil || len(letters) != 1 || letters[0].Reason != "crashed" {
			t.Errorf("got dead letters %v (%v), want the one that kills", letters, err)
		}
		if deaths < 5 || deaths > 8 {
			t.Errorf("it killed %d times", deaths)
		}
		_, transcript, err := enginetest.Transcript(t.Context(), r.states(), enginetest.Ref())
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, turn := range transcript.Turns {
			if turn.Person.ID != "" {
				said = append(said, turn.Text)
			}
		}
		if len(said) != 2 || said[0] != "first" || said[1] != "last" {
			t.Errorf("got messages %q, want first and last", said)
		}
	})
}

// deafStore applies claims and loses the replies, as a store does whose replicas do
// not confirm.
type deafStore struct {
	engine.Store
	lost atomic.Int32
}

var errReplyLost = errors.New("the reply was lost")

func (s *deafStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	h, err := s.Store.Claim(ctx, ref, by)
	if h != nil && s.lost.Add(-1) >= 0 {
		return nil, errReplyLost
	}
	return h, err
}

func (s *deafStore) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	d.Claim = nil
	return s.Store.Deliver(ctx, d)
}

// Nothing is put aside because holders never learned that they were some: only what
// was announced while the store was well counts (I1).
func TestInnocentInputSurvivesATroubledStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		deaf := &deafStore{Store: r.store}
		deaf.lost.Store(20)
		r.options.Store, r.options.Poll = deaf, 5*time.Second
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40}, time.Now()))
		r.pass(30 * time.Minute)
		if left := deaf.lost.Load(); left >= 0 {
			t.Fatalf("%d claims were not tried", left)
		}
		if letters, err := r.store.DeadLetters(t.Context(), 10); err != nil || len(letters) != 0 {
			t.Errorf("got dead letters %v (%v), want none", letters, err)
		}
		if got := r.discussion().State; got != roundtable.StateDiscussionLoop {
			t.Errorf("got state %q, want the discussion to go on", got)
		}
	})
}
