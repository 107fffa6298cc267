package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// rest is what remains when there is nothing to perform: wait in memory for what
// is due soon, or bring the introduction up to date and give the discussion back
// together with the last receipt.
func (t *turn) rest(ctx context.Context) error {
	wake := t.at.wakeAt
	if !wake.IsZero() && wake.Equal(t.woken) {
		// Waking changed nothing: the rules and the clock disagree.
		wake = t.now().Add(brokenPause)
	}
	if !wake.IsZero() && wake.Sub(t.now()) <= t.e.opt.Linger {
		if leave, ok := t.takePlace(); ok {
			defer leave()
			return t.linger(ctx, wake)
		}
	}
	wake = earliest(wake, t.showRoot(ctx))
	switch due := t.auditAt(); {
	case due.IsZero():
	case due.After(t.now()):
		wake = earliest(wake, due)
	case t.gathered():
		// What was decided stands before Slack is read, which may take as long as the lease.
		_, err := t.flush(ctx, Commit{})
		return err
	default:
		wake = earliest(wake, t.audit(ctx))
	}
	if err := t.inTime(); err != nil {
		return err
	}
	c := Commit{Release: true, Wake: wake}
	if t.at.over {
		c = Commit{Close: true, Retention: t.e.opt.Retention}
	}
	r, err := t.flush(ctx, c)
	return t.released(r, err)
}

// released ends the turn if the store took the discussion back. It did not if
// mail came: then the turn goes on.
func (t *turn) released(r Committed, err error) error {
	switch {
	case err != nil:
		return err
	case r.Released:
		return errOver
	case len(t.mail) == 0:
		return fmt.Errorf("release discussion %s: the store refused, and no mail waits", t.h.Ref.ID)
	default:
		return nil
	}
}

// waitingRoom is how many bytes those may hold who wait in memory: for four thousand short
// discussions, more than a busy replica gathers for at once.
func waitingRoom(o Options) int64 { return 2 * int64(o.LogBytes) }

// waiterWeight is about what a discussion that waits in memory takes besides its log and
// its stored state, in bytes.
const waiterWeight = 8 << 10

// takePlace makes room for the discussion to wait in memory, if there is: it keeps its
// state, log and lease, and no hand.
func (t *turn) takePlace() (leave func(), ok bool) {
	weight := int64(waiterWeight + weigh(t.entries) + len(t.state))
	if !t.e.waiting.TryAcquire(weight) {
		return nil, false
	}
	return func() { t.e.waiting.Release(weight) }, true
}

// clockGrain is what the store's clock counts in. Who asks the store earlier than that
// after a moment may hear that it has not come yet, and asks twice.
const clockGrain = time.Millisecond

// linger waits in memory until wake or until mail rings, and then looks for mail.
// People who write in bursts thus cost no claim each. What is owed to the world
// is not kept waiting.
func (t *turn) linger(ctx context.Context, wake time.Time) error {
	if t.owes() {
		if _, err := t.flush(ctx, Commit{}); err != nil {
			return err
		}
		if len(t.mail) > 0 {
			return nil
		}
	}
	if err := t.pause(ctx, wake.Sub(t.now())+clockGrain, t.holder.ring); err != nil {
		return err
	}
	if t.draining() {
		return nil
	}
	return t.renew(ctx)
}

// wait lets time pass before the outbox can go on: in memory if that is short,
// else the discussion is given back until then. Where too many wait already, as many
// discussions of one channel do for its pace, they come back one by one and not all
// at the same moment, in front of everybody else.
func (t *turn) wait(ctx context.Context, d time.Duration) error {
	if d > t.e.opt.Linger {
		return t.yield(ctx, Commit{}, d)
	}
	leave, ok := t.takePlace()
	if !ok {
		return t.yield(ctx, Commit{}, d+rand.N(crowdSpread))
	}
	defer leave()
	return t.pause(ctx, d, nil)
}

// crowdSpread is over how long those who find no place to wait in memory come back.
const crowdSpread = 5 * time.Second

// yield commits what was gathered, gives the discussion back though mail may
// wait, and ends the turn.
func (t *turn) yield(ctx context.Context, c Commit, pause time.Duration) error {
	c.Release, c.Yield, c.Wake = true, true, t.now().Add(pause)
	_, err := t.flush(ctx, c)
	if err == nil {
		return errOver
	}
	return err
}

// stop gives the discussion back to whoever comes next, at once. Before a rewound
// store was verified nothing is committed, or the next holder would trust it.
func (t *turn) stop(ctx context.Context) error {
	if t.unverified {
		t.letGo(ctx, 0)
		return errOver
	}
	return t.yield(ctx, Commit{}, 0)
}

// pause waits for d, or until ring rings or the engine is told to stop, keeping
// the lease and leaving its slot to others.
func (t *turn) pause(ctx context.Context, d time.Duration, ring <-chan struct{}) error {
	if d <= 0 {
		return nil
	}
	t.leaveSlot()
	end := time.NewTimer(d)
	defer end.Stop()
	for waiting := true; waiting; {
		lease := time.NewTimer(time.Until(t.renewAt))
		select {
		case <-end.C:
			waiting = false
		case <-ring:
			waiting = false
		case <-t.run.draining:
			waiting = false
		case <-ctx.Done():
			lease.Stop()
			return context.Cause(ctx)
		case <-lease.C:
			if err := t.renew(ctx); err != nil {
				return err
			}
		}
		lease.Stop()
	}
	return t.takeSlot(ctx)
}

// leaveSlot lets another discussion be worked on while this one only waits.
func (t *turn) leaveSlot() {
	t.slot = false
	t.e.handFree()
}

// takeSlot waits for a free hand and keeps the lease meanwhile: a crowd is no
// reason to lose what is held.
func (t *turn) takeSlot(ctx context.Context) error {
	for !take(t.e.slots) {
		lease := time.NewTimer(time.Until(t.renewAt))
		select {
		case t.e.slots <- struct{}{}:
			lease.Stop()
			t.slot = true
			return t.inTime()
		case <-lease.C:
			if err := t.renew(ctx); err != nil {
				return err
			}
		case <-ctx.Done():
			lease.Stop()
			return fmt.Errorf("wait for a hand: %w", context.Cause(ctx))
		}
	}
	t.slot = true
	return t.inTime()
}

// earliest returns the earlier of two times, of which zero means never.
func earliest(a, b time.Time) time.Time {
	switch {
	case a.IsZero():
		return b
	case b.IsZero() || a.Before(b):
		return a
	default:
		return b
	}
}
