package storage

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"
)

//go:embed lua/back_off.lua
var backOffLua string

var backOffScript = newScript("back_off", backOffLua)

// BackOff notes that a method of Slack's Web API is to be left alone for a while from
// now on, by all replicas. It never shortens what was noted before. Replicas of Redis
// are not waited for: what a failover forgets, Slack says again.
func (r *Redis) BackOff(ctx context.Context, team, method string, wait time.Duration) error {
	if team == "" || method == "" || wait <= 0 {
		return errors.New("back off: a team, a method and a time are needed")
	}
	if _, err := r.backoffs(ctx, team, method, wait); err != nil {
		return fmt.Errorf("back off: %w", err)
	}
	return nil
}

// Backoffs returns for how long from now on methods are to be left alone; those that
// may be called are not among them.
func (r *Redis) Backoffs(ctx context.Context, team string) (map[string]time.Duration, error) {
	left, err := r.backoffs(ctx, team, "", 0)
	if err != nil {
		return nil, fmt.Errorf("ask which methods are to be left alone: %w", err)
	}
	return left, nil
}

func (r *Redis) backoffs(ctx context.Context, team, method string, wait time.Duration) (map[string]time.Duration, error) {
	ms := (wait + time.Millisecond - 1).Milliseconds() // rounded up: never too early
	answer, _, err := r.do(ctx, call{script: backOffScript, keys: []string{r.keys.backoffs(team)}, args: []any{method, ms, r.operation()}})
	if err != nil {
		return nil, err
	}
	left := map[string]time.Duration{}
	for got := newReply(answer); ; {
		if !got.more() {
			return left, got.err
		}
		name := got.text()
		left[name] = time.Duration(got.number()) * time.Millisecond
	}
}
