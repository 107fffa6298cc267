package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// quickReply is a store in which somebody speaks in the moment between a holder's letting
// go and its hearing that it has.
type quickReply struct {
	engine.Store
	speak func()
	sent  int // entries of the log that the delivery which claimed brought along
	reads int // of the whole log
}

func (s *quickReply) Commit(ctx context.Context, h *engine.Holding, c engine.Commit) (engine.Committed, error) {
	r, err := s.Store.Commit(ctx, h, c)
	if r.Released && s.speak != nil {
		speak := s.speak
		s.speak = nil
		speak()
	}
	return r, err
}

func (s *quickReply) Deliver(ctx context.Context, d engine.Delivery) (engine.Reception, *engine.Holding, bool, error) {
	r, h, busy, err := s.Store.Deliver(ctx, d)
	if h != nil {
		s.sent = len(h.Log)
	}
	return r, h, busy, err
}

func (s *quickReply) Log(ctx context.Context, ref engine.Ref, from int) ([][]byte, error) {
	s.reads++
	return s.Store.Log(ctx, ref, from)
}

// Who answers in the moment in which the discussion is given back finds its log handed
// over: what a turn costs does not depend on how much was said (DESIGN §6).
func TestLogIsHandedOver(t *testing.T) {
	store := &quickReply{}
	inRoomWith(t, func(r *room) { store.Store, r.options.Store = r.store, store }, func(r *room) {
		for range 3 {
			r.say("Alex, what breaks first?")
			r.pass(time.Minute)
		}
		r.say("quiet")
		r.pass(time.Minute)
		turns := r.discussion().Turns
		store.speak = func() { r.say("And then?") }
		r.say("Alex, and after that?")
		r.pass(time.Minute)
		if got := r.discussion().Turns; store.speak != nil || got < turns+3 {
			t.Fatalf("%d turns after the second message, want %d at least", got, turns+3)
		}
		// What the letting go itself wrote has to come along.
		if store.reads > 0 || store.sent > 4 {
			t.Errorf("%d entries were sent again, and %d times the whole log was read", store.sent, store.reads)
		}
		log := r.said()
		for i, turn := range log {
			if turn.Number != i+1 {
				t.Errorf("turn %d stands at %d", turn.Number, i+1)
			}
		}
	})
}

// said is what the log holds.
func (r *room) said() []roundtable.Turn {
	r.t.Helper()
	_, transcript, err := r.engine.Transcript(r.t.Context(), enginetest.Ref())
	if err != nil {
		r.t.Fatal(err)
	}
	return transcript.Turns
}
