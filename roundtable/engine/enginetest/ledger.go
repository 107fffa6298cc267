package enginetest

import (
	"context"
	"sync"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// Ledger watches what all replicas together do to a store: every state committed
// and every change of an item, in order. It changes nothing.
type Ledger struct {
	mu     sync.Mutex
	states []roundtable.Discussion
	writes []ItemChange
}

// ItemChange is one change of an item.
type ItemChange struct{ Before, After engine.Item }

// States returns every state of a discussion that was committed.
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
func (l *Ledger) Writes() []ItemChange {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]ItemChange(nil), l.writes...)
}

// Store watches a store.
func (l *Ledger) Store(s engine.Store) engine.Store { return &ledgerStore{Store: s, l: l} }

// Items watches items.
func (l *Ledger) Items(i engine.Items) engine.Items { return &ledgerItems{Items: i, l: l} }

type ledgerStore struct {
	engine.Store
	l *Ledger
}

func (s *ledgerStore) Commit(ctx context.Context, h *engine.Holding, c engine.Commit) (engine.Committed, error) {
	r, err := s.Store.Commit(ctx, h, c)
	if err == nil && c.State != nil {
		d, err := roundtable.Decode(c.State)
		if err != nil {
			return r, err
		}
		s.l.mu.Lock()
		s.l.states = append(s.l.states, d)
		s.l.mu.Unlock()
	}
	return r, err
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
	i.l.writes = append(i.l.writes, ItemChange{Before: before, After: after})
	return nil
}
