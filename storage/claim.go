package storage

import (
	"context"
	"fmt"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Claim takes a discussion that is due and free; see engine.Store. It returns nil
// without error for one that does not exist, is closed, held, or idle until later.
//
// Crashes of the claim counts the claims since the last commit: each ended
// without a commit, and letting go is one.
func (r *Redis) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	if err := checkRef(ref); err != nil {
		return nil, fmt.Errorf("claim discussion: %w", err)
	}
	if by.Owner == "" {
		return nil, fmt.Errorf("claim discussion %s: a claimant needs a name", ref.ID)
	}
	shard := r.keys.shard(ref.Team, ref.Channel)
	k := []string{r.keys.thread(ref), r.keys.mailbox(ref), r.keys.log(ref), r.keys.seen(ref), r.keys.due(shard), r.keys.act(shard), r.keys.channel(ref.Team, ref.Channel)}
	answer, sent, err := r.do(ctx, call{script: claimScript, keys: k,
		args: []any{member(ref), by.Owner, by.LogFrom, string(by.LogRev), r.lease.Milliseconds(), r.run(ctx, k[0]), r.operation()}})
	if err != nil {
		return nil, fmt.Errorf("claim discussion %s: %w", ref.ID, err)
	}
	if answer == nil {
		return nil, nil
	}
	h, err := newReply(answer).claim(ref, r.deadline(sent), r.run(ctx, k[0]))
	if err != nil {
		return nil, fmt.Errorf("claim discussion %s: %w", ref.ID, err)
	}
	return h, nil
}

// Try announces what the holder is about to work on; see engine.Store. Unlike a
// claim it waits for the replicas, so that what is counted is what a holder did
// while the store was well.
func (r *Redis) Try(ctx context.Context, h *engine.Claim, what string) (engine.Committed, error) {
	op := r.operation()
	c, err := r.extend(ctx, h, call{script: tryScript, args: []any{member(h.Ref), string(h.Token), r.lease.Milliseconds(), what, op}, durable: true})
	if err != nil {
		return engine.Committed{}, fmt.Errorf("announce work on discussion %s: %w", h.Ref.ID, err)
	}
	c.Token = engine.Token(op)
	return c, nil
}

// Renew extends the lease of a claim and returns mail that arrived. The token
// stays as it was, so a renewal may run beside a commit of the same holder.
func (r *Redis) Renew(ctx context.Context, h *engine.Claim) (engine.Committed, error) {
	c, err := r.extend(ctx, h, call{script: renewScript, args: []any{member(h.Ref), string(h.Token), r.lease.Milliseconds(), r.operation()}})
	if err != nil {
		return engine.Committed{}, fmt.Errorf("renew discussion %s: %w", h.Ref.ID, err)
	}
	return c, nil
}

// extend runs a script that extends a lease.
func (r *Redis) extend(ctx context.Context, h *engine.Claim, c call) (engine.Committed, error) {
	c.keys = []string{r.keys.thread(h.Ref), r.keys.mailbox(h.Ref), r.keys.due(r.keys.shard(h.Ref.Team, h.Ref.Channel))}
	answer, sent, err := r.do(ctx, c)
	if err != nil {
		return engine.Committed{}, err
	}
	got := newReply(answer)
	if got.text() == "fenced" {
		return engine.Committed{}, engine.ErrFenced
	}
	return engine.Committed{Token: h.Token, Until: r.deadline(sent), Now: got.instant(), Mail: got.mail()}, got.err
}
