package slacksim

import (
	"encoding/json"
	"time"
)

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
