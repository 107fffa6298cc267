package roundtable

import "time"

// Spend is what was used of language models, over a call, a discussion or a day.
type Spend struct {
	// Tokens are those of all kinds, read and written.
	Tokens int64 `json:"tokens,omitempty"`
	// Micros is the price in millionths of a dollar; zero where none is configured.
	Micros int64 `json:"micros,omitempty"`
}

// Plus is the sum of two spends.
func (s Spend) Plus(o Spend) Spend {
	return Spend{Tokens: s.Tokens + o.Tokens, Micros: s.Micros + o.Micros}
}

// IsZero reports whether nothing was used.
func (s Spend) IsZero() bool { return s == Spend{} }

// BudgetScope is what a budget is for (FR-109).
type BudgetScope string

// The scopes.
const (
	BudgetDiscussion BudgetScope = "discussion"
	BudgetDay        BudgetScope = "day"
	BudgetDeployment BudgetScope = "deployment"
)

// Budget is how a budget stands.
type Budget struct {
	Scope BudgetScope `json:"scope"`
	// Limit is what may be used; a part of it that is zero has no limit.
	Limit Spend `json:"limit"`
	// Spent was used; Held is set aside for calls under way.
	Spent Spend `json:"spent,omitzero"`
	Held  Spend `json:"held,omitzero"`
	// Renews is when it begins anew; zero if it never does.
	Renews time.Time `json:"renews,omitzero"`
}

// Limits are what may be used; the zero Spend is no limit.
type Limits struct {
	Discussion Spend
	Day        Spend
	Deployment Spend
}

// Charge is what a call to a model is about to cost, and which budgets bear it:
// that of its discussion, of its day, and of the deployment.
type Charge struct {
	// ID makes it unique: charged again under the same, it counts once.
	ID string
	// Discussion is the discussion's id; empty charges no discussion.
	Discussion string
	// At is when the call is made; its day is that of UTC.
	At time.Time
	// Hold is the most that it can cost. Unless it is settled within For, whoever
	// made it is gone, and the hold counts as spent.
	Hold   Spend
	For    time.Duration
	Limits Limits
}

// Budgets are those that bear the charge, with nothing spent: the discussion's
// unless there is none, the day's, and the deployment's.
func (c Charge) Budgets() []Budget {
	day := c.At.UTC().Truncate(24 * time.Hour)
	budgets := []Budget{
		{Scope: BudgetDiscussion, Limit: c.Limits.Discussion},
		{Scope: BudgetDay, Limit: c.Limits.Day, Renews: day.Add(24 * time.Hour)},
		{Scope: BudgetDeployment, Limit: c.Limits.Deployment},
	}
	if c.Discussion == "" {
		return budgets[1:]
	}
	return budgets
}

// paid takes in what the discussion has cost by the account of whoever pays. It
// is a total, so that an answer that got lost is made up for by the next one.
func (s *step) paid(total Spend) {
	s.d.Spent.Tokens = max(s.d.Spent.Tokens, total.Tokens)
	s.d.Spent.Micros = max(s.d.Spent.Micros, total.Micros)
}

// broke reports whether a used-up budget keeps the panel from going on.
func (d Discussion) broke() bool {
	return d.Stalled != nil && d.Stalled.Reason == ReasonOverBudget
}
