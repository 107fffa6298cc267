package enginetest

import (
	"context"
	"slices"
	"sync"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Ledger watches what all replicas together do to a store: every state committed
// and every change of an item, in order. It changes nothing.
type Ledger struct {
	mu       sync.Mutex
	states   []roundtable.Discussion
	writes   []invariant.ItemChange
	consumed map[engine.Ref][]string
	busy     map[engine.Ref]bool
	inOrder  map[engine.Ref]*sync.Mutex
	changes  int
}

// States returns every state of a discussion that was committed; those of analyses
// are not kept.
func (l *Ledger) States(id string) []roundtable.Discussion {
	l.mu.Lock()
	defer l.mu.Unlock()
	var states []roundtable.Discussion
	for _, d := range l.states {
		if d.ID == id {
			states = append(states, d)
		}
	}
	return states
}

// Writes returns every change of an item.
func (l *Ledger) Writes() []invariant.ItemChange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]invariant.ItemChange(nil), l.writes...)
}

// Consumed returns the ids of all inputs that were committed as taken in, as often
// as they were.
func (l *Ledger) Consumed(ref engine.Ref) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.consumed[ref])
}

// Idle reports whether every discussion was given back and nothing was delivered
// since.
func (l *Ledger) Idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, busy := range l.busy {
		if busy {
			return false
		}
	}
	return true
}

// Changes counts what was done to the store, renewals of leases apart.
func (l *Ledger) Changes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changes
}

// note notes that a discussion needs somebody, or does no more.
func (l *Ledger) note(ref engine.Ref, busy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy == nil {
		l.busy, l.consumed = make(map[engine.Ref]bool), make(map[engine.Ref][]string)
	}
	l.busy[ref] = busy
	l.changes++
}

// order lets the calls for one discussion reach the store one by one, so that they are
// noted in the order in which it performed them. A release that is noted after the
// delivery that followed it would hide that somebody is needed again.
func (l *Ledger) order(ref engine.Ref) (done func()) {
	l.mu.Lock()
	if l.inOrder == nil {
		l.inOrder = make(map[engine.Ref]*sync.Mutex)
	}
	one := l.inOrder[ref]
	if one == nil {
		one = &sync.Mutex{}
		l.inOrder[ref] = one
	}
	l.mu.Unlock()
	one.Lock()
	return one.Unlock
}

// Store watches a store.
func (l *Ledger) Store(s engine.Store) engine.Store { return &ledgerStore{Store: s, l: l} }

// Items watches items.
func (l *Ledger) Items(i engine.Items) engine.Items { return &ledgerItems{Items: i, l: l} }

type ledgerStore struct {
	engine.Store
	l *Ledger
}

func (s *ledgerStore) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	defer s.l.order(d.Ref)()
	got, err := s.Store.Deliver(ctx, d)
	if err == nil && got.Reception == engine.Stored {
		s.l.note(d.Ref, true)
	}
	return got, err
}

func (s *ledgerStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	defer s.l.order(ref)()
	h, err := s.Store.Claim(ctx, ref, by)
	if h != nil {
		s.l.note(ref, true)
	}
	return h, err
}

func (s *ledgerStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	defer s.l.order(h.Ref)()
	r, err := s.Store.Commit(ctx, h, c)
	if err != nil {
		return r, err
	}
	s.l.note(h.Ref, !r.Released || c.Mode == engine.ModeYield)
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	s.l.consumed[h.Ref] = append(s.l.consumed[h.Ref], c.Consumed...)
	if c.State == nil || thread.KindOf(c.State) != "" {
		return r, nil // analyses and forgettings are judged by what remains of them
	}
	d, err := roundtable.Decode(c.State)
	if err != nil {
		return r, err
	}
	s.l.states = append(s.l.states, d)
	return r, nil
}

type ledgerItems struct {
	engine.Items
	l *Ledger
}

func (i *ledgerItems) WriteItem(ctx context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	before, err := i.ReadItem(ctx, ref)
	if err != nil {
		return err
	}
	if err := i.Items.WriteItem(ctx, ref, w); err != nil {
		return err
	}
	after, err := i.ReadItem(ctx, ref)
	if err != nil {
		return err
	}
	i.l.mu.Lock()
	defer i.l.mu.Unlock()
	i.l.writes = append(i.l.writes, invariant.ItemChange{Before: before, After: after})
	return nil
}
