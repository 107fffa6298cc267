package contract

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Ledger keeps the budgets of language models.
type Ledger interface {
	Reserve(ctx context.Context, c thread.Charge) (*thread.Budget, error)
	Settle(ctx context.Context, c thread.Charge, used thread.Spend) ([]thread.Budget, error)
	Budgets(ctx context.Context, c thread.Charge) ([]thread.Budget, error)
}

// RunLedger checks that a ledger keeps its promises (FR-108). Open
// returns a new empty one for each test, and lets time pass on its clock.
func RunLedger(t *testing.T, open func(t *testing.T) (Ledger, func(time.Duration))) {
	t.Helper()
	for name, test := range map[string]func(*books){
		"what is used stands in every budget":              allBudgets,
		"no budget is passed":                              limits,
		"of many at once nobody passes a budget":           manyAtOnce,
		"a charge made again counts once":                  again,
		"what somebody set aside who is gone counts spent": gone,
		"a day begins anew":                                newDay,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ledger, pass := open(t)
			test(&books{T: t, Ledger: ledger, pass: pass, ctx: ctx})
		})
	}
}

// books is one test of the suite with the ledger it works on.
type books struct {
	*testing.T
	Ledger
	pass func(time.Duration)
	ctx  context.Context
}

var chargedAt = time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)

func charge(id, discussion string, tokens, micros int64, l thread.Limits) thread.Charge {
	return thread.Charge{
		ID: id, Discussion: discussion, At: chargedAt, For: time.Minute, Limits: l,
		Hold: thread.Spend{Tokens: tokens, Micros: micros},
	}
}

// reserve sets a charge aside and wants the scope that refuses it, or none.
func (b *books) reserve(c thread.Charge, want thread.BudgetScope) *thread.Budget {
	b.Helper()
	over, err := b.Reserve(b.ctx, c)
	if err != nil {
		b.Fatal(err)
	}
	got := thread.BudgetScope("")
	if over != nil {
		got = over.Scope
	}
	if got != want {
		b.Fatalf("Reserve(%s) is refused by %q, want %q", c.ID, got, want)
	}
	return over
}

func (b *books) settle(c thread.Charge, tokens, micros int64) []thread.Budget {
	b.Helper()
	budgets, err := b.Settle(b.ctx, c, thread.Spend{Tokens: tokens, Micros: micros})
	if err != nil {
		b.Fatal(err)
	}
	return budgets
}

// stand wants the budgets of a charge to stand so: spent and held, a line each.
func (b *books) stand(c thread.Charge, want ...string) {
	b.Helper()
	budgets, err := b.Budgets(b.ctx, c)
	if err != nil {
		b.Fatal(err)
	}
	b.equal(budgets, want)
}

func (b *books) equal(budgets []thread.Budget, want []string) {
	b.Helper()
	var got []string
	for _, x := range budgets {
		got = append(got, fmt.Sprintf("%s: %d for %d, held %d for %d", x.Scope, x.Spent.Tokens, x.Spent.Micros, x.Held.Tokens, x.Held.Micros))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.Fatalf("(-want +got):\n%s", diff)
	}
}

func allBudgets(b *books) {
	one, two, none := charge("1", "D1", 100, 7, thread.Limits{}), charge("2", "D2", 50, 3, thread.Limits{}), charge("3", "", 10, 1, thread.Limits{})
	b.stand(one, "discussion: 0 for 0, held 0 for 0", "day: 0 for 0, held 0 for 0", "deployment: 0 for 0, held 0 for 0")
	for _, c := range []thread.Charge{one, two, none} {
		b.reserve(c, "")
	}
	b.stand(one, "discussion: 0 for 0, held 100 for 7", "day: 0 for 0, held 160 for 11", "deployment: 0 for 0, held 160 for 11")
	b.equal(b.settle(one, 80, 5), []string{"discussion: 80 for 5, held 0 for 0", "day: 80 for 5, held 60 for 4", "deployment: 80 for 5, held 60 for 4"})
	b.settle(two, 60, 4) // more than was set aside
	b.settle(none, 0, 0)
	b.stand(none, "day: 140 for 9, held 0 for 0", "deployment: 140 for 9, held 0 for 0")
}

func limits(b *books) {
	small := thread.Spend{Tokens: 100}
	cheap := thread.Spend{Micros: 10}
	for i, c := range []struct {
		limits thread.Limits
		want   thread.BudgetScope
	}{
		{thread.Limits{Discussion: small}, thread.BudgetDiscussion},
		{thread.Limits{Discussion: cheap}, thread.BudgetDiscussion},
		{thread.Limits{Day: small}, thread.BudgetDay},
		{thread.Limits{Day: cheap}, thread.BudgetDay},
		{thread.Limits{Deployment: small}, thread.BudgetDeployment},
		{thread.Limits{Deployment: cheap}, thread.BudgetDeployment},
	} {
		// Each has a day and a discussion of its own, and the deployment's limit grows
		// by what was used before.
		c.limits.Deployment = grown(c.limits.Deployment, int64(i)*100, int64(i)*10)
		make := func(id string, tokens, micros int64) thread.Charge {
			x := charge(fmt.Sprintf("%d-%s", i, id), fmt.Sprintf("D%d", i), tokens, micros, c.limits)
			x.At = chargedAt.AddDate(0, 0, i)
			return x
		}
		b.reserve(make("all at once", 101, 11), c.want)
		first := make("first", 60, 6)
		b.reserve(first, "")
		b.reserve(make("too much with what is held", 41, 5), c.want)
		b.settle(first, 50, 5)
		over := b.reserve(make("too much with what is spent", 51, 6), c.want)
		if over.Limit != (map[thread.BudgetScope]thread.Spend{
			thread.BudgetDiscussion: c.limits.Discussion, thread.BudgetDay: c.limits.Day, thread.BudgetDeployment: c.limits.Deployment,
		})[c.want] {
			b.Fatalf("the budget that refuses has the limit %v", over.Limit)
		}
		last := make("just enough", 50, 5)
		b.reserve(last, "")
		b.settle(last, 50, 5)
		b.reserve(make("nothing left", 1, 1), c.want)
	}
}

// grown adds to the limits that there are.
func grown(s thread.Spend, tokens, micros int64) thread.Spend {
	if s.Tokens > 0 {
		s.Tokens += tokens
	}
	if s.Micros > 0 {
		s.Micros += micros
	}
	return s
}

func manyAtOnce(b *books) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	granted := 0
	for i := range 40 {
		wg.Go(func() {
			c := charge(fmt.Sprintf("c%d", i), fmt.Sprintf("D%d", i%3), 10, 0, thread.Limits{Day: thread.Spend{Tokens: 105}})
			over, err := b.Reserve(b.ctx, c)
			if err == nil && over == nil {
				_, err = b.Settle(b.ctx, c, thread.Spend{Tokens: 10})
				mu.Lock()
				granted++
				mu.Unlock()
			}
			if err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	if granted != 10 {
		b.Errorf("%d of 40 were granted 10 tokens of 105, want 10", granted)
	}
	b.stand(charge("", "", 0, 0, thread.Limits{}), "day: 100 for 0, held 0 for 0", "deployment: 100 for 0, held 0 for 0")
}

func again(b *books) {
	c := charge("1", "D1", 100, 7, thread.Limits{Discussion: thread.Spend{Tokens: 150}})
	b.reserve(c, "")
	b.reserve(c, "") // though there is not enough for two
	b.stand(c, "discussion: 0 for 0, held 100 for 7", "day: 0 for 0, held 100 for 7", "deployment: 0 for 0, held 100 for 7")
	b.settle(c, 80, 5)
	b.equal(b.settle(c, 80, 5), []string{"discussion: 80 for 5, held 0 for 0", "day: 80 for 5, held 0 for 0", "deployment: 80 for 5, held 0 for 0"})
	never := charge("never set aside", "D1", 1, 1, thread.Limits{})
	b.settle(never, 80, 5)
	b.stand(c, "discussion: 80 for 5, held 0 for 0", "day: 80 for 5, held 0 for 0", "deployment: 80 for 5, held 0 for 0")
}

func gone(b *books) {
	dead := charge("dead", "D1", 100, 7, thread.Limits{})
	dead.For = 50 * time.Millisecond
	b.reserve(dead, "")
	b.pass(100 * time.Millisecond)
	alive := charge("alive", "D2", 10, 1, thread.Limits{})
	b.reserve(alive, "")
	b.stand(dead, "discussion: 100 for 7, held 0 for 0", "day: 100 for 7, held 10 for 1", "deployment: 100 for 7, held 10 for 1")
	b.settle(dead, 20, 2) // it was only slow; what was counted stands
	b.settle(alive, 10, 1)
	b.stand(dead, "discussion: 100 for 7, held 0 for 0", "day: 110 for 8, held 0 for 0", "deployment: 110 for 8, held 0 for 0")
}

func newDay(b *books) {
	today := charge("1", "D1", 100, 0, thread.Limits{Day: thread.Spend{Tokens: 100}})
	b.reserve(today, "")
	tomorrow := today
	tomorrow.ID, tomorrow.At = "2", chargedAt.Add(time.Minute)
	b.settle(today, 100, 0)
	over := b.reserve(charge("3", "D1", 1, 0, today.Limits), thread.BudgetDay)
	if want := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC); !over.Renews.Equal(want) {
		b.Errorf("it is renewed at %v, want %v", over.Renews, want)
	}
	b.reserve(tomorrow, "")
	b.stand(tomorrow, "discussion: 100 for 0, held 100 for 0", "day: 0 for 0, held 100 for 0", "deployment: 100 for 0, held 100 for 0")
}
