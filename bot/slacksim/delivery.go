package slacksim

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Kinds of envelope.
const (
	kindEvents      = "events_api"
	kindInteractive = "interactive"
	kindCommand     = "slash_commands"
)

// delivery is one thing the app must be told, until it acknowledges it. An event
// that is retried keeps its event id and gets a new envelope id each time.
type delivery struct {
	Kind    string          `json:"kind"`
	Name    string          `json:"name"` // of the inner event, for faults
	Payload json.RawMessage `json:"payload"`
	Attempt int             `json:"attempt"` // retries so far
	Reason  string          `json:"reason"`
	Due     time.Time       `json:"due"`

	seq      int64 // order in which deliveries came up, unique
	accepts  bool  // an acknowledgement may carry a payload
	copies   int   // duplicates still to send
	waiting  bool  // queued for another attempt
	late     bool  // acknowledged, to be taken once sent again
	envelope []string
	conn     *conn
	sent     time.Time // the latest attempt
	expires  time.Time
	done     chan outcome // interactive and slash commands: buffered, one outcome
}

// outcome is how an interactive delivery ended.
type outcome struct {
	payload json.RawMessage
	failure string // "", "operation_timeout", "dispatch_failed" or "given_up"
}

// enqueue accepts something for delivery, late or lost if a fault says so. The
// caller holds mu.
func (w *Workspace) enqueue(d *delivery) {
	d.Due = w.now()
	w.number(d)
	if d.Kind != kindEvents {
		d.Name = d.Kind
	}
	if w.misfortune(d.Name, func(f *Fault) bool { return f.Lose }) != nil {
		w.finish(d, outcome{failure: "operation_timeout"})
		return
	}
	if f := w.misfortune(d.Name, func(f *Fault) bool { return f.LateMS > 0 }); f != nil {
		d.Due = d.Due.Add(time.Duration(f.LateMS) * time.Millisecond)
	}
	if w.misfortune(d.Name, func(f *Fault) bool { return f.Duplicate }) != nil {
		d.copies = 1
	}
	if w.held == nil && w.misfortune(d.Name, func(f *Fault) bool { return f.Swap }) != nil {
		w.held = d
		d.Due = d.Due.Add(w.opts.Timing.AckWait) // nobody may come to overtake it
		w.queue(d)
		return
	}
	w.queue(d)
	if first := w.held; first != nil && !d.Due.After(w.now()) {
		w.held = nil
		// Behind d in the queue, and due together with it.
		if i := slices.Index(w.pending, first); i >= 0 {
			w.pending = append(slices.Delete(w.pending, i, i+1), first)
			first.Due = d.Due
		}
	}
	w.dispatch()
}

// number gives a delivery its place in the order.
func (w *Workspace) number(d *delivery) {
	w.ids.Counter++
	d.seq = w.ids.Counter
}

// queue keeps a delivery for when it is due.
func (w *Workspace) queue(d *delivery) {
	d.waiting = true
	w.pending = append(w.pending, d)
	w.changed()
	w.rouse()
}

// dispatch sends what is due and possible, in order. The caller holds mu.
func (w *Workspace) dispatch() {
	now := w.now()
	var due, later []*delivery
	for _, d := range w.pending {
		if d.Due.After(now) {
			later = append(later, d)
			continue
		}
		due = append(due, d)
	}
	w.pending = later
	for _, d := range due {
		d.waiting = false
		if w.held == d {
			w.held = nil
		}
		w.attempt(d)
	}
}

// attempt sends a delivery on the next connection.
func (w *Workspace) attempt(d *delivery) {
	c := w.nextConn()
	if c == nil {
		w.failed(d, "connection_failed")
		return
	}
	d.conn, d.sent = c, w.now()
	d.expires = d.sent.Add(w.opts.Timing.AckWait)
	for range 1 + d.copies {
		id := uuid()
		d.envelope = append(d.envelope, id)
		w.inflight[id] = d
		frame := object{"type": d.Kind, "envelope_id": id, "payload": d.Payload, "accepts_response_payload": d.accepts}
		if d.Kind == kindEvents {
			frame["retry_attempt"], frame["retry_reason"] = d.Attempt, d.Reason
		}
		w.send(c, mustJSON(frame))
	}
	d.copies = 0
	if w.misfortune(d.Name, func(f *Fault) bool { return f.CutSocket }) != nil {
		c.cut()
	}
	w.release(d)
	w.rouse()
}

// nextConn deals connections out in turn; nil when none is open.
func (w *Workspace) nextConn() *conn {
	for range w.conns {
		w.turn++
		if c := w.conns[w.turn%len(w.conns)]; !c.leaving && !w.opts.SocketModeOff {
			return c
		}
	}
	return nil
}

// failed plans the next attempt of an event, or gives it up. Clicks and commands
// are not repeated. The caller holds mu.
func (w *Workspace) failed(d *delivery, reason string) {
	if d.Kind != kindEvents {
		failure := "operation_timeout"
		if reason == "connection_failed" {
			failure = "dispatch_failed"
		}
		w.finish(d, outcome{failure: failure})
		return
	}
	if d.Attempt >= len(w.opts.Timing.Retry) {
		w.log.Warn("event given up", "event", d.Name, "attempts", d.Attempt+1)
		w.warn("event %s given up after %d attempts", d.Name, d.Attempt+1)
		w.givenUp++
		w.finish(d, outcome{failure: "given_up"})
		return
	}
	d.Due = w.now().Add(max(0, w.opts.Timing.Retry[d.Attempt]))
	d.Attempt++
	d.Reason = reason
	w.queue(d)
}

// finish forgets a delivery and tells who waits for it.
func (w *Workspace) finish(d *delivery, o outcome) {
	for _, id := range d.envelope {
		delete(w.inflight, id)
	}
	if d.waiting {
		w.pending = slices.DeleteFunc(w.pending, func(x *delivery) bool { return x == d })
		d.waiting = false
	}
	if d.done != nil {
		d.done <- o
		d.done = nil
	}
	w.changed()
}

// tick does what is due until ctx ends.
func (w *Workspace) tick(ctx context.Context) {
	for {
		w.mu.Lock()
		w.expire()
		w.dispatch()
		wait := w.nextDue()
		w.mu.Unlock()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-w.wake:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return
		}
		w.saveIfDue()
	}
}

// expire ends what has lived its time: unacknowledged envelopes, statuses,
// connections. The caller holds mu.
func (w *Workspace) expire() {
	now := w.now()
	for _, d := range w.unacknowledged(func(d *delivery) bool { return !d.expires.After(now) }) {
		w.failed(d, "timeout")
	}
	for key, s := range w.statuses {
		if !s.until.After(now) {
			w.clearStatus(key)
		}
	}
	for _, c := range slices.Clone(w.conns) {
		switch {
		case c.refresh.IsZero():
		case !c.refresh.After(now) && c.leaving:
			c.refresh = time.Time{}
			w.send(c, nil)
		case !c.refresh.After(now):
			w.dismiss(c, "refresh_requested")
		case !c.warned && !c.leaving && w.opts.Timing.RefreshWarning > 0 && c.refresh.Sub(now) <= w.opts.Timing.RefreshWarning:
			w.dismiss(c, "warning")
		}
	}
}

// unacknowledged are the envelopes out with the app that satisfy want, in the
// order in which they first came up.
func (w *Workspace) unacknowledged(want func(*delivery) bool) []*delivery {
	var found []*delivery
	for _, d := range w.inflight { // once for each of its envelopes
		if !d.waiting && want(d) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *delivery) int { return cmp.Compare(a.seq, b.seq) })
	return slices.Compact(found)
}

// nextDue is how long nothing will be due. The caller holds mu.
func (w *Workspace) nextDue() time.Duration {
	now := w.now()
	wait := 10 * time.Second
	sooner := func(t time.Time) {
		if !t.IsZero() {
			wait = min(wait, max(time.Millisecond, t.Sub(now)))
		}
	}
	for _, d := range w.pending {
		sooner(d.Due)
	}
	for _, d := range w.inflight {
		if !d.waiting {
			sooner(d.expires)
		}
	}
	for _, s := range w.statuses {
		sooner(s.until)
	}
	for _, c := range w.conns {
		sooner(c.refresh)
		if !c.warned && !c.refresh.IsZero() && w.opts.Timing.RefreshWarning > 0 {
			sooner(c.refresh.Add(-w.opts.Timing.RefreshWarning))
		}
	}
	if w.dirty && w.opts.StateFile != "" {
		wait = min(wait, max(w.opts.Timing.SaveEvery, 0))
	}
	return wait
}

// Ack is an acknowledgement that the workspace took.
type Ack struct {
	// Kind is the envelope's: "events_api", "interactive" or "slash_commands"; Name
	// the inner event's type, or the kind.
	Kind, Name string
	// Payload is what the envelope told the app. It is not to be changed.
	Payload json.RawMessage
	// Sent is when the envelope left for the last time, Took how long ago that was.
	Sent time.Time
	Took time.Duration
	// Attempt counts the retries before, from zero.
	Attempt int
}

// acknowledge takes the app's answer to an envelope. An acknowledgement that
// comes after a retry was planned still counts.
func (w *Workspace) acknowledge(id string, payload json.RawMessage) {
	w.mu.Lock()
	d := w.inflight[id]
	if d == nil || w.loses(d) || w.holdsBack(d) {
		w.mu.Unlock()
		return // acknowledged before, or given up, or a fault's
	}
	a := w.takeAck(d, payload)
	w.mu.Unlock()
	w.tellAck(a)
}

// loses reports whether a fault loses the acknowledgement of d. The caller holds mu.
func (w *Workspace) loses(d *delivery) bool {
	return w.misfortune(d.Name, func(f *Fault) bool { return f.DropAck }) != nil
}

// holdsBack reports whether a fault makes an acknowledgement of d late, and
// remembers it. A click or a command, which is never sent again, then runs out of
// time. The last attempt at an event is spared, since nothing would follow it. The
// caller holds mu.
func (w *Workspace) holdsBack(d *delivery) bool {
	last := d.Kind == kindEvents && !d.waiting && d.Attempt >= len(w.opts.Timing.Retry)
	if last || w.misfortune(d.Name, func(f *Fault) bool { return f.LateAck }) == nil {
		return false
	}
	d.late = true
	return true
}

// release takes the acknowledgement of d that was held back, if any, now that d has
// been sent again. The app's next answer finds nothing to end. The caller holds mu.
func (w *Workspace) release(d *delivery) {
	if !d.late {
		return
	}
	a := w.takeAck(d, nil) // only clicks and commands answer with a payload
	go w.tellAck(a)        // whoever listens is called without locks
}

// takeAck ends a delivery. The caller holds mu.
func (w *Workspace) takeAck(d *delivery, payload json.RawMessage) Ack {
	if len(payload) > 0 && !d.accepts {
		w.warn("%s: payload in an acknowledgement that takes none", d.Kind)
		payload = nil
	}
	a := Ack{Kind: d.Kind, Name: d.Name, Payload: d.Payload, Sent: d.sent, Took: w.now().Sub(d.sent), Attempt: d.Attempt}
	w.finish(d, outcome{payload: payload})
	return a
}

func (w *Workspace) tellAck(a Ack) {
	if w.opts.Acked != nil {
		w.opts.Acked(a)
	}
}
