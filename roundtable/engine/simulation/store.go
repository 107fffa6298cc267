package simulation

import (
	"context"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// store is the model of Redis: the reference store, with a clock of its own, a
// ledger of what was committed, and a memory of its last moments, to which a
// failover takes it back. Only the scheduler calls it.
type store struct {
	memory *enginetest.Memory
	// skew is how far its clock is ahead of everybody else's.
	skew time.Duration
	// remembers is how many moments it can be taken back; zero: it never is.
	remembers int
	// bounded lets it refuse values that the real one refuses for their size.
	bounded bool

	ledger  ledger
	moments []moment
	// changes counts changes; told is the newest that somebody was told of.
	changes, told int
}

// ledger is what was committed, and forgotten together with it.
type ledger struct {
	states   []roundtable.Discussion
	consumed []consumption
	writes   []invariant.ItemChange
}

// consumption is an input that was committed as taken in, and the state after it.
type consumption struct {
	ref   engine.Ref
	id    string
	state roundtable.State
}

// state is where a discussion stood after the newest commit.
func (l ledger) state(id string) roundtable.State {
	for _, d := range slices.Backward(l.states) {
		if d.ID == id {
			return d.State
		}
	}
	return ""
}

// moment is everything the store knows, after its nth change.
type moment struct {
	n        int
	snapshot enginetest.Snapshot
	ledger   ledger
}

// changed remembers the moment after a change. Behind an opening it is never taken
// back: a command stands nowhere else, and is not promised to survive a store
// without durable settings.
func (s *store) changed(opened bool) {
	if s.remembers == 0 {
		return
	}
	s.changes++
	if opened {
		s.moments = s.moments[:0]
	}
	if len(s.moments) > s.remembers {
		s.moments = slices.Delete(s.moments, 0, 1)
	}
	s.moments = append(s.moments, moment{n: s.changes, snapshot: s.memory.Snapshot(), ledger: s.ledger})
}

// forget takes the store back by up to n changes and returns by how many. Unless all
// may go, those stay that somebody was told of: then a replica had them, too.
func (s *store) forget(n int, all bool) int {
	gone := 0
	for gone < n && len(s.moments) > 1 && (all || s.moments[len(s.moments)-1].n > s.told) {
		s.moments = s.moments[:len(s.moments)-1]
		gone++
	}
	if len(s.moments) == 0 {
		s.changed(false)
	}
	m := s.moments[len(s.moments)-1]
	s.memory.Rewind(m.snapshot)
	// What follows is appended behind what remains, not over what others remember.
	s.ledger = ledger{slices.Clip(m.ledger.states), slices.Clip(m.ledger.consumed), slices.Clip(m.ledger.writes)}
	return gone
}

// here turns a holding's times, which are the reference store's, into this store's
// clock, and its deadline into what a client computes: it counts from when the
// request was sent, because nobody knows when it was performed.
func (s *store) here(h *engine.Claim, sent time.Time) *engine.Claim {
	if h == nil {
		return nil
	}
	h.Until = sent.Add(leaseTime * 2 / 3)
	h.Now = h.Now.Add(s.skew)
	if !h.Attempted.IsZero() {
		h.Attempted = h.Attempted.Add(s.skew)
	}
	return h
}

func (s *store) committed(r engine.Committed, sent time.Time) engine.Committed {
	r.Until, r.Now = sent.Add(leaseTime*2/3), r.Now.Add(s.skew)
	return r
}

func (s *store) there(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-s.skew)
}

func (s *store) deliver(d engine.Delivery, sent time.Time) (engine.Delivered, error) {
	got, err := s.memory.Deliver(context.Background(), d)
	if err == nil && (got.Reception == engine.Stored || got.Claim != nil) {
		s.changed(d.Opens)
	}
	got.Claim = s.here(got.Claim, sent)
	return got, err
}

func (s *store) claim(ref engine.Ref, by engine.Claimant, sent time.Time) (*engine.Claim, error) {
	h, err := s.memory.Claim(context.Background(), ref, by)
	if h != nil {
		s.changed(false)
	}
	return s.here(h, sent), err
}

func (s *store) commit(h *engine.Claim, c engine.Commit, sent time.Time) (engine.Committed, error) {
	if s.bounded && tooLarge(c) {
		return engine.Committed{}, engine.ErrTooLarge
	}
	c.Wake, c.PaceUntil = s.there(c.Wake), s.there(c.PaceUntil)
	r, err := s.memory.Commit(context.Background(), h, c)
	if err != nil {
		return r, err
	}
	if c.State != nil {
		d, err := roundtable.Decode(c.State)
		if err != nil {
			return r, err
		}
		s.ledger.states = append(s.ledger.states, d)
	}
	for _, id := range c.Consumed {
		s.ledger.consumed = append(s.ledger.consumed, consumption{h.Ref, id, s.ledger.state(h.Ref.ID)})
	}
	s.changed(false)
	return s.committed(r, sent), nil
}

// maxValue is storage.MaxValue, which the engine knows only by its refusals.
const maxValue = 1 << 20

// tooLarge reports whether the real store would refuse a commit for its size.
func tooLarge(c engine.Commit) bool {
	large := func(value []byte) bool { return len(value) > maxValue }
	return large(c.State) || slices.ContainsFunc(c.Append, large) ||
		slices.ContainsFunc(c.Enqueue, func(i engine.OutboxEntry) bool { return large(i.Body) })
}

func (s *store) try(h *engine.Claim, what string, sent time.Time) (engine.Committed, error) {
	r, err := s.memory.Try(context.Background(), h, what)
	if err != nil {
		return r, err
	}
	s.changed(false)
	return s.committed(r, sent), nil
}

func (s *store) renew(h *engine.Claim, sent time.Time) (engine.Committed, error) {
	r, err := s.memory.Renew(context.Background(), h)
	if err != nil {
		return r, err
	}
	s.changed(false)
	return s.committed(r, sent), nil
}

func (s *store) writeItem(ref engine.ItemRef, w engine.ItemWrite) error {
	before, err := s.memory.ReadItem(context.Background(), ref)
	if err != nil {
		return err
	}
	if err := s.memory.WriteItem(context.Background(), ref, w); err != nil {
		return err
	}
	after, err := s.memory.ReadItem(context.Background(), ref)
	if err != nil {
		return err
	}
	if after.Version != before.Version {
		s.ledger.writes = append(s.ledger.writes, invariant.ItemChange{Before: before, After: after})
		s.changed(false)
	}
	return nil
}
