package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	redis "github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// How long the account of a day is kept, and that of a discussion after its last
// charge.
const (
	dayKept        = 40 * 24 * time.Hour
	discussionKept = 180 * 24 * time.Hour
)

// Reserve sets a charge's hold aside in all its budgets. If one of them has less
// left than that, nothing is set aside and that budget is returned. Repeated under
// the same id, it changes nothing.
//
// It does not wait for replicas: a failover may forget the cost of the last calls.
func (r *Redis) Reserve(ctx context.Context, c thread.Charge) (*thread.Budget, error) {
	if err := checkCharge(c); err != nil {
		return nil, fmt.Errorf("reserve: %w", err)
	}
	budgets := c.Budgets()
	args := []any{c.ID, c.Hold.Tokens, c.Hold.Micros, c.For.Milliseconds()}
	for _, b := range budgets {
		args = append(args, account(c, b), b.Limit.Tokens, b.Limit.Micros, kept(b).Milliseconds())
	}
	answer, _, err := r.do(ctx, call{reserveScript, []string{r.keys.accounts(), r.keys.charges(), r.keys.ages()}, args, false})
	if err != nil {
		return nil, fmt.Errorf("reserve: %w", err)
	}
	reply := newReply(answer)
	if reply.text() == "ok" {
		return nil, reply.err
	}
	which := reply.number()
	if reply.err != nil || which < 0 || which >= int64(len(budgets)) {
		return nil, fmt.Errorf("reserve: %w", errors.Join(errors.New("the script's answer is not understood"), reply.err))
	}
	over := budgets[which]
	readAccount(reply, &over)
	if reply.err != nil {
		return nil, fmt.Errorf("reserve: %w", reply.err)
	}
	return &over, nil
}

// Settle puts what was used in the place of what was set aside, and returns the
// budgets as they stand then. Repeated, or after the hold was counted as spent, it
// changes nothing.
func (r *Redis) Settle(ctx context.Context, c thread.Charge, used thread.Spend) ([]thread.Budget, error) {
	if err := checkCharge(c); err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	budgets := c.Budgets()
	args := []any{c.ID, used.Tokens, used.Micros}
	for _, b := range budgets {
		args = append(args, account(c, b))
	}
	answer, _, err := r.do(ctx, call{settleScript, []string{r.keys.accounts(), r.keys.charges()}, args, false})
	if err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	reply := newReply(answer)
	for i := range budgets {
		readAccount(reply, &budgets[i])
	}
	if reply.err != nil {
		return nil, fmt.Errorf("settle: %w", reply.err)
	}
	return budgets, nil
}

// Budgets returns the charge's budgets as they stand.
func (r *Redis) Budgets(ctx context.Context, c thread.Charge) ([]thread.Budget, error) {
	budgets := c.Budgets()
	names := make([]string, len(budgets))
	for i, b := range budgets {
		names[i] = account(c, b)
	}
	values, err := r.client.HMGet(ctx, r.keys.accounts(), names...).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, fmt.Errorf("read budgets: %w", err)
	}
	for i, v := range values {
		text, ok := v.(string)
		if !ok {
			continue // nothing was charged yet
		}
		var words []any
		for w := range strings.FieldsSeq(text) {
			words = append(words, w)
		}
		reply := &reply{rest: words}
		readAccount(reply, &budgets[i])
		if reply.err != nil {
			return nil, fmt.Errorf("read budgets: %w", reply.err)
		}
	}
	return budgets, nil
}

// readAccount reads the four numbers of an account.
func readAccount(reply *reply, b *thread.Budget) {
	b.Spent = thread.Spend{Tokens: reply.number(), Micros: reply.number()}
	b.Held = thread.Spend{Tokens: reply.number(), Micros: reply.number()}
}

// account names the account of a budget; see keys.accounts.
func account(c thread.Charge, b thread.Budget) string {
	switch b.Scope {
	case thread.BudgetDiscussion:
		return "d/" + c.Discussion
	case thread.BudgetDay:
		return "y/" + c.At.UTC().Format(time.DateOnly)
	case thread.BudgetDeployment:
	}
	return "all"
}

// kept is how long an account is kept after its last charge, 0 for ever.
func kept(b thread.Budget) time.Duration {
	switch b.Scope {
	case thread.BudgetDiscussion:
		return discussionKept
	case thread.BudgetDay:
		return dayKept
	case thread.BudgetDeployment:
	}
	return 0
}

// checkCharge refuses what the scripts could not write down.
func checkCharge(c thread.Charge) error {
	switch {
	case c.ID == "" || strings.ContainsAny(c.Discussion, " \t\n"):
		return fmt.Errorf("%s and %s do not name a charge and a discussion", strconv.Quote(c.ID), strconv.Quote(c.Discussion))
	case c.Hold.Tokens < 0 || c.Hold.Micros < 0:
		return errors.New("a charge cannot be negative")
	case c.For < time.Millisecond:
		return errors.New("a charge needs an end")
	}
	return nil
}
