package roundtable

import "testing"

// TestSaySpend: nothing that was used looks free, and nobody reads a micro-dollar.
func TestSaySpend(t *testing.T) {
	for name, c := range map[string]struct {
		spend Spend
		want  string
	}{
		"no price":             {Spend{Tokens: 999}, "999 tokens"},
		"thousands":            {Spend{Tokens: 1234567}, "1,234,567 tokens"},
		"less than a cent":     {Spend{Tokens: 10, Micros: 1}, "10 tokens ($0.0001)"},
		"some cents":           {Spend{Tokens: 10, Micros: 20949}, "10 tokens ($0.0210)"},
		"ten cents, to a cent": {Spend{Tokens: 10, Micros: 100001}, "10 tokens ($0.11)"},
		"thousands of dollars": {Spend{Tokens: 10, Micros: 1234560000}, "10 tokens ($1,234.56)"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := SaySpend(c.spend); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSayBudgets: the state of the budgets is visible (FR-109).
func TestSayBudgets(t *testing.T) {
	got := SayBudgets([]Budget{
		{Scope: BudgetDay, Limit: Spend{Tokens: 2000000, Micros: 5000000}, Spent: Spend{Tokens: 1500, Micros: 2500}},
		{Scope: BudgetDeployment, Spent: Spend{Tokens: 88000}},
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
	for _, total := range []Spend{{Tokens: 10, Micros: 5}, {Tokens: 30, Micros: 9}, {Tokens: 30, Micros: 9}, {Tokens: 10, Micros: 5}, {}} {
		s.paid(total)
	}
	if got, want := s.d.Spent, (Spend{Tokens: 30, Micros: 9}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
