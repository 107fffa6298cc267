package roundtable

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// stallText says why nothing goes on and how it may (I10).
func stallText(stall thread.Stall) string {
	if stall.Reason == thread.ReasonOverBudget && stall.Budget != nil {
		return thread.SayOverBudget("discussion", *stall.Budget, "Wrap up now for a summary without a model")
	}
	return thread.SayFailure(stall.Reason)
}

// SayBudgets says how the deployment's budgets stand, a line each.
func SayBudgets(budgets []thread.Budget) string {
	var lines []string
	for _, b := range budgets {
		name := "All in all"
		switch b.Scope {
		case thread.BudgetDiscussion:
			name = "This discussion"
		case thread.BudgetDay:
			name = "Today (UTC)"
		case thread.BudgetDeployment:
		}
		line := fmt.Sprintf("• %s: %s", name, thread.SaySpend(b.Spent))
		if !b.Limit.IsZero() {
			line += " of " + thread.SayLimit(b.Limit)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return ""
	}
	return "Language models have used:\n" + strings.Join(lines, "\n")
}
