package main

import (
	"context"
	"sync"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// tab keeps account of what models use in one process, for commands that need no
// store. It implements llm.Ledger; a hold that is never settled stays with the
// process.
type tab struct {
	mu sync.Mutex
	// spent is by discussion, and under the empty name all in all.
	spent   map[string]thread.Spend
	held    map[string]thread.Charge
	settled map[string]bool
}

var _ llm.Ledger = (*tab)(nil)

func newTab() *tab {
	return &tab{spent: map[string]thread.Spend{}, held: map[string]thread.Charge{}, settled: map[string]bool{}}
}

// Reserve implements llm.Ledger.
func (t *tab) Reserve(_ context.Context, c thread.Charge) (*thread.Budget, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, again := t.held[c.ID]; again || t.settled[c.ID] {
		return nil, nil
	}
	for _, b := range t.budgets(c) {
		used := b.Spent.Plus(b.Held).Plus(c.Hold)
		if b.Limit.Tokens > 0 && used.Tokens > b.Limit.Tokens || b.Limit.Micros > 0 && used.Micros > b.Limit.Micros {
			return &b, nil
		}
	}
	t.held[c.ID] = c
	return nil, nil
}

// Settle implements llm.Ledger.
func (t *tab) Settle(_ context.Context, c thread.Charge, used thread.Spend) ([]thread.Budget, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.settled[c.ID] {
		t.settled[c.ID] = true
		delete(t.held, c.ID)
		t.spent[""] = t.spent[""].Plus(used)
		if c.Discussion != "" {
			t.spent[c.Discussion] = t.spent[c.Discussion].Plus(used)
		}
	}
	return t.budgets(c), nil
}

// Budgets implements llm.Ledger.
func (t *tab) Budgets(_ context.Context, c thread.Charge) ([]thread.Budget, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.budgets(c), nil
}

// budgets are those of a charge as they stand. A process takes no longer than a
// day, so that what it spends is of one day.
func (t *tab) budgets(c thread.Charge) []thread.Budget {
	budgets := c.Budgets()
	for i := range budgets {
		b := &budgets[i]
		own := b.Scope == thread.BudgetDiscussion
		if own {
			b.Spent = t.spent[c.Discussion]
		} else {
			b.Spent = t.spent[""]
		}
		for _, h := range t.held {
			if !own || h.Discussion == c.Discussion {
				b.Held = b.Held.Plus(h.Hold)
			}
		}
	}
	return budgets
}
