package llm

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// answer is what a model of a test does when it is asked: it says the text and
// ends so.
type answer struct {
	text   string
	result Result
	err    *Error
}

// told is a model that answers as it is told, and then for ever as the last time.
type told struct {
	name    string
	answers []answer
	asked   int
}

func (m *told) Name() string { return m.name }

func (m *told) Stream(_ context.Context, _ Request, text func(string) error) (Result, error) {
	a := m.answers[min(m.asked, len(m.answers)-1)]
	m.asked++
	if a.text != "" {
		if err := text(a.text); err != nil {
			return a.result, err
		}
	}
	if a.err != nil {
		e := *a.err
		e.Model = m.name
		return a.result, &e
	}
	return a.result, nil
}

func says(text string) answer {
	return answer{text: text, result: Result{Stop: StopEnd, Sent: true, Usage: Usage{Input: 100, Output: 10}}}
}

func fails(k Kind) answer { return answer{err: &Error{Kind: k}} }

// heard is a sink that notes everything. Once it heard what it takes, it has acted
// upon it.
type heard struct {
	lines []string
	takes string
	taken bool
	err   error
}

func (h *heard) Begin(engine string) { h.lines = append(h.lines, "begin "+engine) }
func (h *heard) Taken() bool         { return h.taken }
func (h *heard) Text(s string) error {
	h.lines = append(h.lines, s)
	h.taken = h.taken || h.takes != "" && strings.Contains(s, h.takes)
	return h.err
}

// book is a ledger in memory.
type book struct {
	spent, held map[thread.BudgetScope]thread.Spend
	charges     []thread.Charge
	used        []thread.Spend
	err         error
}

func (b *book) Reserve(_ context.Context, c thread.Charge) (*thread.Budget, error) {
	if b.err != nil {
		return nil, b.err
	}
	budgets, _ := b.Budgets(context.Background(), c)
	for _, budget := range budgets {
		then := budget.Spent.Plus(budget.Held).Plus(c.Hold)
		if budget.Limit.Tokens > 0 && then.Tokens > budget.Limit.Tokens || budget.Limit.Micros > 0 && then.Micros > budget.Limit.Micros {
			return &budget, nil
		}
	}
	for _, budget := range budgets {
		b.held[budget.Scope] = b.held[budget.Scope].Plus(c.Hold)
	}
	b.charges = append(b.charges, c)
	return nil, nil
}

func (b *book) Settle(_ context.Context, c thread.Charge, used thread.Spend) ([]thread.Budget, error) {
	for _, budget := range c.Budgets() {
		b.held[budget.Scope] = b.held[budget.Scope].Plus(thread.Spend{Tokens: -c.Hold.Tokens, Micros: -c.Hold.Micros})
		b.spent[budget.Scope] = b.spent[budget.Scope].Plus(used)
	}
	b.used = append(b.used, used)
	return b.Budgets(context.Background(), c)
}

func (b *book) Budgets(_ context.Context, c thread.Charge) ([]thread.Budget, error) {
	budgets := c.Budgets()
	for i, budget := range budgets {
		budgets[i].Spent, budgets[i].Held = b.spent[budget.Scope], b.held[budget.Scope]
	}
	return budgets, nil
}

// bench is a chain whose clock a test moves.
type bench struct {
	chain *Chain
	book  *book
	now   time.Time
	slept []time.Duration
	log   bytes.Buffer
}

func newBench(t *testing.T, o ChainOptions) *bench {
	t.Helper()
	b := &bench{now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), book: &book{spent: map[thread.BudgetScope]thread.Spend{}, held: map[thread.BudgetScope]thread.Spend{}}}
	o.Ledger, o.Now = b.book, func() time.Time { return b.now }
	o.Chance = func() float64 { return 1 }
	o.Sleep = func(_ context.Context, d time.Duration) error {
		b.slept = append(b.slept, d)
		b.now = b.now.Add(d)
		return nil
	}
	o.Logger = slog.New(slog.NewTextHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if b.chain, err = NewChain(o); err != nil {
		t.Fatal(err)
	}
	return b
}

func question() Question {
	return Question{Discussion: "D1", Request: Request{
		Messages: []Message{{Role: User, Blocks: []Block{{Text: strings.Repeat("x", 330)}}}}, MaxTokens: 1000,
	}}
}

// free is a ledger of somebody who pays for everything.
type free struct{}
