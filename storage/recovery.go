package storage

import (
	"context"
	"fmt"
	"time"
)

// firstKept is how long First remembers. A run of a server that lasts longer has
// nothing left to be recovered after it.
const firstKept = 30 * 24 * time.Hour

// MayRead takes a permit to read threads of a workspace back from Slack; see
// engine.Store.
func (r *Redis) MayRead(ctx context.Context, team string, every time.Duration) (wait time.Duration, err error) {
	answer, _, err := r.do(ctx, call{script: mayReadScript, keys: []string{r.keys.readings(team)}, args: []any{every.Milliseconds(), r.operation()}})
	if err != nil {
		return 0, fmt.Errorf("ask for a permit to read: %w", err)
	}
	got := newReply(answer)
	wait = time.Duration(got.number()) * time.Millisecond
	return wait, got.err
}

// MayAsk takes a permit to ask Slack in which thread of a workspace a message stands. It
// is MayRead with a pace of its own, so that marks never use up what recovery needs.
func (r *Redis) MayAsk(ctx context.Context, team string, every time.Duration) (wait time.Duration, err error) {
	answer, _, err := r.do(ctx, call{script: mayReadScript, keys: []string{r.keys.askings(team)}, args: []any{every.Milliseconds(), r.operation()}})
	if err != nil {
		return 0, fmt.Errorf("ask for a permit to ask: %w", err)
	}
	got := newReply(answer)
	wait = time.Duration(got.number()) * time.Millisecond
	return wait, got.err
}

// First reports whether nobody asked about this before; see engine.Store.
func (r *Redis) First(ctx context.Context, what string) (bool, error) {
	answer, _, err := r.do(ctx, call{
		script: firstScript, keys: []string{r.keys.first(what)}, args: []any{firstKept.Milliseconds(), r.operation()}, durable: true,
	})
	if err != nil {
		return false, fmt.Errorf("ask who is first: %w", err)
	}
	got := newReply(answer)
	return got.flag(), got.err
}
