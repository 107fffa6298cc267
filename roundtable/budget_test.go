package roundtable

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestSayBudgets: the state of the budgets is visible (FR-109).
func TestSayBudgets(t *testing.T) {
	got := SayBudgets([]thread.Budget{
		{Scope: thread.BudgetDay, Limit: thread.Spend{Tokens: 2000000, Micros: 5000000}, Spent: thread.Spend{Tokens: 1500, Micros: 2500}},
		{Scope: thread.BudgetDeployment, Spent: thread.Spend{Tokens: 88000}},
	})
	want := "Language models have used:\n• Today (UTC): 1,500 tokens ($0.0025) of 2,000,000 tokens, $5.00\n• All in all: 88,000 tokens"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := SayBudgets(nil); got != "" {
		t.Errorf("no budgets: got %q, want nothing", got)
	}
}

// TestPaidIsATotal: an answer that got lost or is repeated changes nothing for good.
func TestPaidIsATotal(t *testing.T) {
	s := &step{}
	for _, total := range []thread.Spend{{Tokens: 10, Micros: 5}, {Tokens: 30, Micros: 9}, {Tokens: 30, Micros: 9}, {Tokens: 10, Micros: 5}, {}} {
		s.paid(total)
	}
	if got, want := s.d.Spent, (thread.Spend{Tokens: 30, Micros: 9}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
