package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// absorb names what has arrived and decides how long it takes.
func (w *world) absorb() {
	calls, receipts := w.gate.collect()
	now := time.Now()
	for _, c := range calls {
		switch {
		case c.replica.isDead():
			c.reply <- c.failed(errDead)
			continue
		case c.poll:
			c.replica.poll = c
			continue
		case c.port == portPanel && c.ctx.Err() != nil:
			// The turn went on at once; whether its question got as far as here before
			// that is left to chance.
			c.reply <- c.failed(context.Cause(c.ctx))
			continue
		}
		name := c.replica.name + " " + c.name
		if c.about != "" {
			name += " " + c.about
		}
		w.counts[name]++
		c.key = fmt.Sprintf("%s #%d", name, w.counts[name])
		c.pauses = c.replica.pauses
		c.rank = w.dice.roll("rank", c.key)
		c.ready = now.Add(w.travel(c))
		w.waiting = append(w.waiting, c)
	}
	for _, r := range receipts {
		w.receive(r)
	}
}

// travel is how long a call takes to arrive, or the panel to think.
func (w *world) travel(c *call) time.Duration {
	switch {
	case c.port == portPanel && w.plan.Prompt:
		return 200 * time.Millisecond
	case c.port == portPanel:
		return w.dice.span(50*time.Millisecond, w.plan.Slow, "think", c.key)
	case w.plan.Prompt:
		return 0
	}
	switch n := w.dice.below(100, "haste", c.key); {
	case n < 65:
		return 0
	case n < 85:
		return w.dice.span(0, 50*time.Millisecond, "travel", c.key)
	case n < 95:
		return w.dice.span(50*time.Millisecond, 800*time.Millisecond, "travel", c.key)
	case n < 99:
		return w.dice.span(800*time.Millisecond, 4*time.Second, "travel", c.key)
	default:
		return w.dice.span(4*time.Second, 9*time.Second, "travel", c.key)
	}
}

// choose is the call that goes next, if one can.
func (w *world) choose(now time.Time) *call {
	var best *call
	for _, c := range w.waiting {
		if w.can(c, now) && (best == nil || c.rank > best.rank) {
			best = c
		}
	}
	if best != nil {
		return best
	}
	due := w.store.memory.NextDue()
	for _, r := range w.replicas {
		if at := w.pollAt(r, due); !at.IsZero() && !at.After(now) {
			return r.poll
		}
	}
	return nil
}

// can reports whether a call can go, or has run out of time. What the panel says,
// and that mail was delivered here, waits while a turn of the replica is busy: the
// turn would not look at it before it is done, and which of several things it then
// looks at first would be left to chance.
func (w *world) can(c *call, now time.Time) bool {
	if c.replica.until.After(now) {
		return false
	}
	if c.ctx.Err() != nil {
		return true
	}
	if c.ready.After(now) {
		return false
	}
	rings := c.answer || c.delivery && c.performed
	return !rings || !w.busy(c.replica)
}

// busy reports whether a turn of a replica waits for something here, or for Slack's
// pace.
func (w *world) busy(r *replica) bool {
	return r.rests.After(time.Now()) || slices.ContainsFunc(w.waiting, func(c *call) bool { return c.turn && c.replica == r })
}

// pollAt is when a replica's question for work is answered; zero: not while nothing
// is due.
func (w *world) pollAt(r *replica, due time.Time) time.Time {
	if r.poll == nil || r.isDead() || r.stopping {
		return time.Time{}
	}
	at := due
	switch {
	case r.pollFails, r.pollOwed:
		at = r.polled
	case due.IsZero():
		return time.Time{}
	}
	if at.Before(r.polled) {
		at = r.polled
	}
	at = at.Add(w.dice.span(20*time.Millisecond, 420*time.Millisecond, "poll", fmt.Sprint(r.name, r.polls)))
	for _, t := range []time.Time{r.pollAfter, r.until} {
		if at.Before(t) {
			at = t
		}
	}
	return at
}

// next is when something can go that cannot now; zero: never.
func (w *world) next(now time.Time) time.Time {
	var next time.Time
	soon := func(t time.Time) {
		if t.After(now) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if len(w.events) > 0 {
		soon(w.events[0].at)
	}
	for _, c := range w.waiting {
		if c.replica.until.After(now) {
			soon(c.replica.until)
			continue
		}
		soon(c.replica.rests)
		soon(c.ready)
		if t, ok := c.ctx.Deadline(); ok {
			soon(t)
		}
	}
	due := w.store.memory.NextDue()
	for _, r := range w.replicas {
		soon(w.pollAt(r, due))
	}
	return next
}
