package thread

import (
	"fmt"
	"time"
)

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

// SayOverBudget names the budget that is used up, of a discussion or an analysis, and
// the ways on: when it is renewed, if it ever is, who can raise it, and what people
// can do without a model.
func SayOverBudget(what string, b Budget, without string) string {
	limit := SayLimit(b.Limit)
	switch {
	case b.Scope == BudgetDiscussion:
		return fmt.Sprintf("This %s has used up its budget for language models (%s). Whoever runs Roundtable can raise it: press Try again then, or %s.", what, limit, without)
	case b.Scope == BudgetDay && !b.Renews.IsZero():
		return fmt.Sprintf("Today's budget for language models (%s) is used up. It is renewed on %s: press Try again then, or %s. Whoever runs Roundtable can raise it.",
			limit, b.Renews.UTC().Format("2 January at 15:04 UTC"), without)
	default:
		return fmt.Sprintf("The budget for language models (%s) is used up. Whoever runs Roundtable can raise it: press Try again then, or %s.", limit, without)
	}
}

// SaySpend says what was used, in tokens and, where it has a price, in money.
func SaySpend(s Spend) string {
	text := grouped(s.Tokens) + " tokens"
	if s.Micros > 0 {
		text += " (" + dollars(s.Micros) + ")"
	}
	return text
}
