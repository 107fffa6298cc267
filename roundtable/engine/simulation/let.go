package simulation

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// let lets a call go: whatever befalls it, it happens now.
func (w *world) let(c *call) {
	switch {
	case c.poll:
		w.letPoll(c.replica)
		return
	case c.ctx.Err() != nil:
		w.expire(c)
		return
	case c.performed:
		w.end(c, c.result, "reply")
		return
	case w.isAway(c.port):
		w.end(c, c.failed(errScheduled), "away")
		return
	}
	w.noteIntrusion(c)
	kind := Kind("")
	if !c.spared {
		w.released++
		kind = w.fault(c)
	}
	if kind == "" {
		w.perform(c)
		return
	}
	w.faults = append(w.faults, Fault{Key: c.key, Kind: kind})
	w.counted[kind]++
	w.befall(c, kind)
}

// befall lets a fault happen to a call.
func (w *world) befall(c *call, kind Kind) {
	switch kind {
	case CrashBefore:
		w.note(c.key, "", string(kind))
		w.crash(c.replica)
	case CrashAfter:
		_ = c.do()
		w.note(c.key, "", string(kind))
		w.crash(c.replica)
	case Outage:
		w.note(c.key, "", string(kind))
		w.outage()
	case PauseBefore:
		c.spared = true
		w.pause(c.replica)
		w.note(c.key, "", string(kind))
	case PauseAfter:
		c.result, c.performed, c.change = c.do(), true, w.store.changes
		w.pause(c.replica)
		w.note(c.key, "", string(kind))
	case Stop:
		c.spared = true // it goes on once the engine has taken note
		w.restart(c.replica)
		w.note(c.key, "", string(kind))
	case Failover, Rollback:
		w.failover(c, kind)
	case StoreAway, SlackAway:
		w.leave(c.port, w.dice.span(awayFrom, awayTo, "away", c.key))
		w.end(c, c.failed(errScheduled), string(kind))
	case LostReply:
		_ = c.do()
		w.end(c, c.failed(errScheduled), string(kind))
	case Refusal, Fail, PanelFails:
		w.end(c, w.refusal(c, kind), string(kind))
	case Late, Tardy:
		d := w.dice.span(10*time.Millisecond, settling, "late", c.key)
		if kind == Tardy {
			d = w.dice.span(tardyFrom, tardyTo, "late", c.key)
		}
		w.afterwards(c, d)
		w.end(c, c.failed(errScheduled), string(kind))
	case Hidden:
		err := c.do()
		w.slack.hide(c.post.Key, w.dice.span(10*time.Millisecond, settling, "hidden", c.key))
		w.end(c, err, string(kind))
	case Reject:
		w.end(c, w.slack.reject(*c.post, thread.ReasonMessageRefused), string(kind))
	case Shut:
		w.end(c, w.slack.reject(*c.post, thread.ReasonNotInChannel), string(kind))
	}
}

// refusal is the error of what was not performed.
func (w *world) refusal(c *call, kind Kind) error {
	if kind == Refusal && c.port == portSlack {
		after := w.dice.span(time.Second, 20*time.Second, "retry after", c.key)
		return &engine.SendError{Outcome: engine.Unsent, After: after, Err: errScheduled}
	}
	return c.failed(errScheduled)
}

// perform performs a call and lets the reply return, at once or after a while.
func (w *world) perform(c *call) {
	err := c.do()
	c.change = w.store.changes
	held := c.delivery && w.busy(c.replica)
	if !held && (w.plan.Prompt || c.port == portPanel || !w.dice.chance(200, "reply", c.key)) {
		w.end(c, err, "")
		return
	}
	c.result, c.performed = err, true
	if !w.plan.Prompt {
		c.ready = time.Now().Add(w.dice.span(0, 300*time.Millisecond, "reply", c.key))
	}
	w.note(c.key, "performed", "")
}

// end returns a call to its caller.
func (w *world) end(c *call, err error, how string) {
	w.remove(c)
	said := "ok"
	if err != nil {
		said = "error"
	} else {
		w.store.told = max(w.store.told, c.change)
	}
	w.note(c.key, said, how)
	if until := time.Now().Add(c.rest); until.After(c.replica.rests) {
		c.replica.rests = until
	}
	c.reply <- err
}

func (w *world) remove(c *call) {
	w.waiting = slices.DeleteFunc(w.waiting, func(o *call) bool { return o == c })
}

// expire ends a call whose caller waits no longer. What was on its way may be
// performed all the same; what a pause kept from leaving never is.
func (w *world) expire(c *call) {
	err := context.Cause(c.ctx)
	switch n := w.dice.below(3, "expired", c.key); {
	case c.performed:
		w.end(c, c.failed(err), "expired with its reply")
	case c.pauses != c.replica.pauses:
		w.end(c, c.unsent(err), "expired before it left")
	case c.port == portPanel, n == 0:
		w.end(c, c.failed(err), "expired")
	case n == 1 && c.post != nil:
		w.afterwards(c, w.dice.span(10*time.Millisecond, settling, "late", c.key))
		w.end(c, c.failed(err), "expired, late")
	default:
		_ = c.do()
		w.end(c, c.failed(err), "expired, performed")
	}
}

// afterwards performs a post when nobody waits for it any more.
func (w *world) afterwards(c *call, d time.Duration) {
	w.later(d, func() error {
		w.note(c.key, "performed late", "")
		return c.do()
	})
}

// letPoll answers a question for work.
func (w *world) letPoll(r *replica) {
	c := r.poll
	r.poll, r.polled = nil, time.Now()
	r.polls++
	if !r.pollFails && !w.isAway(portStore) {
		r.pollOwed = false
		c.reply <- c.do()
		return
	}
	// The engine now waits for about a second, exactly how long is left to chance:
	// so nothing may follow from when it asks again.
	r.pollFails, r.pollOwed, r.pollAfter = false, true, time.Now().Add(1500*time.Millisecond)
	c.reply <- c.failed(errScheduled)
}

// leave makes what is behind a port unreachable for so long. There is no rest before it
// is back.
func (w *world) leave(p port, d time.Duration) {
	w.away[p.server()] = time.Now().Add(d)
	w.later(d, func() error { return nil })
}

// isAway reports whether what is behind a port cannot be reached.
func (w *world) isAway(p port) bool { return w.away[p.server()].After(time.Now()) }

// pause makes a replica stand still: nothing that it waits for comes.
func (w *world) pause(r *replica) {
	r.pauses++
	r.until = time.Now().Add(w.dice.span(shortPause, longPause, "pause", fmt.Sprint(r.name, r.pauses)))
}

// failover makes another server take over, which lacks the newest writes: those that
// nobody was told of, or, in a rollback, some more. Every connection breaks.
func (w *world) failover(c *call, kind Kind) {
	if w.dice.chance(500, "under way", c.key) {
		_ = c.do()
	}
	n := w.store.forget(w.dice.below(w.store.remembers+1, "forget", c.key), kind == Rollback)
	w.note(c.key, fmt.Sprintf("%d changes forgotten", n), string(kind))
	for _, o := range slices.Clone(w.waiting) {
		if o.port == portStore || o.port == portItems {
			w.end(o, o.failed(errScheduled), "connection lost")
		}
	}
	for _, r := range w.replicas {
		r.pollFails = true
	}
}
