package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// quickReply is a store in which somebody speaks in the moment between a holder's letting
// go and its hearing that it has.
type quickReply struct {
	engine.Store
	speak func()
	sent  int // entries of the log that the delivery which claimed brought along
	reads int // of the whole log
}

func (s *quickReply) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	r, err := s.Store.Commit(ctx, h, c)
	if r.Released && s.speak != nil {
		speak := s.speak
		s.speak = nil
		speak()
	}
	return r, err
}

func (s *quickReply) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	got, err := s.Store.Deliver(ctx, d)
	if got.Claim != nil {
		s.sent = len(got.Claim.Log)
	}
	return got, err
}

func (s *quickReply) Log(ctx context.Context, ref engine.Ref, from int) ([][]byte, error) {
	s.reads++
	return s.Store.Log(ctx, ref, from)
}

// listener is a panel that remembers what it was told last.
type listener struct {
	*enginetest.Panel
	told thread.Transcript
}

func (l *listener) Discuss(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	l.told = r.Transcript
	return l.Panel.Discuss(ctx, r, emit)
}

// Who answers in the moment in which the discussion is given back finds its log handed
// over, with what the giving back itself wrote in it once: what a turn costs does not
// depend on how much was said (NFR-104).
func TestLogIsHandedOver(t *testing.T) {
	store, panel := &quickReply{}, &listener{}
	furnish := func(r *room) {
		store.Store, r.options.Store = r.store, store
		panel.Panel, r.options.Panel = r.panel, panel
	}
	inRoomWith(t, furnish, func(r *room) {
		for range 3 {
			r.say("Alex, what breaks first?")
			r.pass(time.Minute)
		}
		r.say("quiet")
		r.pass(time.Minute)
		store.speak = func() {
			r.say("Alex, and then?")
			<-time.After(10 * time.Millisecond) // the next holder is there before this one has heard
		}
		r.say("The ledger is what worries me.") // nobody answers: it is written with the giving back
		r.pass(time.Minute)
		if store.speak != nil {
			t.Fatal("the discussion was not given back")
		}
		if store.reads > 0 || store.sent == 0 || store.sent > 4 {
			t.Errorf("%d entries came along, and %d times the whole log was read; want the few that the holder did not know to be committed", store.sent, store.reads)
		}
		_, said, err := enginetest.Transcript(t.Context(), r.states(), enginetest.Ref())
		if err != nil {
			t.Fatal(err)
		}
		told := panel.told.Turns
		if diff := cmp.Diff(said.Turns[:len(told)], told, cmpopts.IgnoreUnexported(thread.Turn{})); diff != "" || len(told) != len(said.Turns)-1 {
			t.Errorf("the personas were told %d turns of %d (-said +told):\n%s", len(told), len(said.Turns), diff)
		}
	})
}
