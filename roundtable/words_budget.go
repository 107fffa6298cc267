package roundtable

import (
	"fmt"
	"strconv"
	"strings"
)

// stallText says why nothing goes on and how it may (I10).
func stallText(stall Stall) string {
	if stall.Reason == ReasonOverBudget && stall.Budget != nil {
		return SayOverBudget("discussion", *stall.Budget, "Wrap up now for a summary without a model")
	}
	return SayFailure(stall.Reason)
}

// SayOverBudget names the budget that is used up, of a discussion or an analysis, and
// the ways on: when it is renewed, if it ever is, who can raise it, and what people
// can do without a model.
func SayOverBudget(what string, b Budget, without string) string {
	limit := sayLimit(b.Limit)
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

// sayLimit names the parts of a limit that there are.
func sayLimit(l Spend) string {
	var parts []string
	if l.Tokens > 0 {
		parts = append(parts, grouped(l.Tokens)+" tokens")
	}
	if l.Micros > 0 {
		parts = append(parts, dollars(l.Micros))
	}
	if len(parts) == 0 {
		return "no limit"
	}
	return strings.Join(parts, ", ")
}

// SayBudgets says how the deployment's budgets stand, a line each.
func SayBudgets(budgets []Budget) string {
	var lines []string
	for _, b := range budgets {
		name := "All in all"
		switch b.Scope {
		case BudgetDiscussion:
			name = "This discussion"
		case BudgetDay:
			name = "Today (UTC)"
		case BudgetDeployment:
		}
		line := fmt.Sprintf("• %s: %s", name, SaySpend(b.Spent))
		if !b.Limit.IsZero() {
			line += " of " + sayLimit(b.Limit)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return ""
	}
	return "Language models have used:\n" + strings.Join(lines, "\n")
}

// grouped writes a number with commas between its thousands.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// dollars writes an amount of millionths of a dollar to the cent, or to a
// hundredth of a cent below ten cents, rounded up: nothing that was used looks
// free.
func dollars(micros int64) string {
	if micros < 100_000 {
		parts := (micros + 99) / 100
		return fmt.Sprintf("$%d.%04d", parts/10_000, parts%10_000)
	}
	cents := (micros + 9_999) / 10_000
	return fmt.Sprintf("$%s.%02d", grouped(cents/100), cents%100)
}
