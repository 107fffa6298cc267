package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

// How long a discussion rests when this replica could not go on with it, because
// something failed that has no better time of its own.
const (
	failedPause = 5 * time.Second
	brokenPause = time.Minute
)

// clockGrain is what the store's clock counts in. A replica that asks the store earlier
// than that after a moment may hear that it has not come yet, and asks twice.
const clockGrain = time.Millisecond

// localClaim is what this replica's other goroutines see of a discussion that it holds:
// those that bring mail for it.
type localClaim struct {
	// ring tells its worker that mail came while it waits in memory.
	ring chan struct{}
	// thinking is set while the panel is at work. Whatever else a worker does is over
	// so soon that no author has to be told to wait.
	thinking atomic.Bool
	// logged is how far its worker knows the log to be committed; nil as long as it knows
	// nothing.
	logged atomic.Pointer[loggedTo]
	// gone is closed once the worker has let go and put the log back.
	gone chan struct{}
}

// lease is the right to act for one discussion: the claim as the store granted it, renewed
// with every reply, by the store's clock. While the worker waits, it leaves its slot to
// others and keeps the lease.
type lease struct {
	e     *Engine
	run   *run
	local *localClaim
	log   *slog.Logger

	claim *Claim
	// seen and renewAt are local times: of the newest reply of the store, and
	// when the lease is to be renewed.
	seen, renewAt time.Time
	slot          bool // whether the worker has one
	// careful is set after crashes: the worker announces first what it works on, and
	// takes inputs in and commits them one by one, so that what kills is known.
	careful bool
	// arrived is told all mail that waits, whenever the store says so.
	arrived func([]Mail) error
}

// now is the time by the store's clock, which alone decides what is due: the
// replicas' own clocks may differ.
func (l *lease) now() time.Time { return l.claim.Now.Add(time.Since(l.seen)) }

// inTime reports errLate when the right to act has run out.
func (l *lease) inTime() error {
	if !time.Now().Before(l.claim.Until) {
		return errLate
	}
	return nil
}

// stamp notes when the newest reply was asked for and seen.
func (l *lease) stamp(sent time.Time) {
	l.seen = time.Now()
	l.renewAt = sent.Add(l.claim.Until.Sub(sent) / 2)
}

// draining reports whether Run was told to stop.
func (l *lease) draining() bool {
	select {
	case <-l.run.draining:
		return true
	default:
		return false
	}
}

// accept takes in the store's reply to a change.
func (l *lease) accept(r Committed, sent time.Time) error {
	l.claim.Token, l.claim.Until, l.claim.Now = r.Token, r.Until, r.Now
	l.stamp(sent)
	return l.arrived(r.Mail)
}

// renew extends the lease and looks for mail. Trouble with the store is not the
// end while the lease still holds.
func (l *lease) renew(ctx context.Context) error {
	if err := l.inTime(); err != nil {
		return err
	}
	sent := time.Now()
	r, err := l.e.opt.Store.Renew(ctx, l.claim)
	switch {
	case err == nil:
		return l.accept(r, sent)
	case isFinal(err), ctx.Err() != nil:
		return fmt.Errorf("renew discussion %s: %w", l.claim.Ref.ID, err)
	default:
		l.log.LogAttrs(ctx, slog.LevelWarn, "renew_failed", slog.Any("error", err))
		l.renewAt = time.Now().Add(min(time.Second, time.Until(l.claim.Until)))
		return nil
	}
}

// isFinal reports whether an error means that the claim is lost.
func isFinal(err error) bool { return errors.Is(err, ErrFenced) || errors.Is(err, errLate) }

// announce notes in the store what is about to be worked on, if holders of this
// discussion have come to an end, and reports whether that was announced too often
// already. Only what a holder announced while the store was well counts: a claim
// whose reply was lost, or an end while it waited for Slack to settle, says nothing
// about what waits here.
func (l *lease) announce(ctx context.Context, what string) (doomed bool, err error) {
	switch {
	case !l.careful:
		return false, nil
	case l.claim.Tried == what && l.claim.Tries >= l.e.opt.PoisonLimit:
		return true, nil
	}
	if err := l.inTime(); err != nil {
		return false, err
	}
	sent := time.Now()
	r, err := l.e.opt.Store.Try(ctx, l.claim, what)
	if err != nil {
		return false, fmt.Errorf("announce work on discussion %s: %w", l.claim.Ref.ID, err)
	}
	return false, l.accept(r, sent)
}

// letGo gives the discussion back without what was gathered, best effort. It
// matters: a holder that vanishes is counted as a crash.
func (l *lease) letGo(ctx context.Context, pause time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_, err := l.e.opt.Store.Commit(ctx, l.claim, Commit{Mode: ModeYield, Wake: l.now().Add(pause)})
	if err != nil {
		l.log.LogAttrs(ctx, slog.LevelInfo, "give_back_failed", slog.Any("error", err))
	}
}

// bounded is a context for a request in the claim's name: it ends at the given
// local time, and in any case when the right to act does. Connections enforce it
// at the wire.
func (l *lease) bounded(ctx context.Context, at time.Time, cause error) (context.Context, context.CancelFunc) {
	if l.claim.Until.Before(at) {
		at, cause = l.claim.Until, errLate
	}
	return context.WithDeadlineCause(ctx, at, cause)
}

// pause waits for d, or until ring rings or the engine is told to stop, keeping
// the lease and leaving its slot to others.
func (l *lease) pause(ctx context.Context, d time.Duration, ring <-chan struct{}) error {
	if d <= 0 {
		return nil
	}
	l.leaveSlot()
	end := time.NewTimer(d)
	defer end.Stop()
	for waiting := true; waiting; {
		renewal := time.NewTimer(time.Until(l.renewAt))
		select {
		case <-end.C:
			waiting = false
		case <-ring:
			waiting = false
		case <-l.run.draining:
			waiting = false
		case <-ctx.Done():
			renewal.Stop()
			return context.Cause(ctx)
		case <-renewal.C:
			if err := l.renew(ctx); err != nil {
				return err
			}
		}
		renewal.Stop()
	}
	return l.takeSlot(ctx)
}

// keepUntil renews the lease until something is done.
func (l *lease) keepUntil(ctx context.Context, done <-chan struct{}) error {
	for {
		renewal := time.NewTimer(time.Until(l.renewAt))
		select {
		case <-done:
			renewal.Stop()
			return nil
		case <-renewal.C:
			if err := l.renew(ctx); err != nil {
				return err
			}
		}
	}
}

// leaveSlot lets another discussion be worked on while this one only waits.
func (l *lease) leaveSlot() {
	l.slot = false
	l.e.releaseSlot()
}

// takeSlot waits for a free slot and keeps the lease meanwhile: a crowd is no
// reason to lose a claim.
func (l *lease) takeSlot(ctx context.Context) error {
	for !take(l.e.slots) {
		renewal := time.NewTimer(time.Until(l.renewAt))
		select {
		case l.e.slots <- struct{}{}:
			renewal.Stop()
			l.slot = true
			return l.inTime()
		case <-renewal.C:
			if err := l.renew(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			renewal.Stop()
			return fmt.Errorf("wait for a slot: %w", context.Cause(ctx))
		}
	}
	l.slot = true
	return l.inTime()
}
