package bot_test

import (
	"context"
	"errors"
	"testing"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestStatusShowsBudgets: how the budgets stand is visible in status (FR-109), and
// what cannot be read is left out.
func TestStatusShowsBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		budgets func(context.Context) ([]thread.Budget, error)
		want    string
	}{
		"as they stand": {func(context.Context) ([]thread.Budget, error) {
			return []thread.Budget{{Scope: thread.BudgetDay, Limit: thread.Spend{Tokens: 2_000_000}, Spent: thread.Spend{Tokens: 12345, Micros: 20949}}}, nil
		}, "Today (UTC): 12,345 tokens ($0.0210) of 2,000,000 tokens"},
		"unreadable": {func(context.Context) ([]thread.Budget, error) { return nil, errors.New("down") }, "No roundtable is under way in this channel."},
	} {
		t.Run(name, func(t *testing.T) {
			s := set(t, slacksim.Options{}, func(o *bot.Options) { o.Budgets = c.budgets }, true)
			s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": "status"})
			s.told(priya, c.want)
		})
	}
}
