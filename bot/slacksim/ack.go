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
	if a, ok := w.takeAck(id, payload); ok && w.opts.Acked != nil {
		w.opts.Acked(a)
	}
}

// takeAck ends the delivery that an envelope belongs to; ok is false when there is
// none, or a fault loses the acknowledgement.
func (w *Workspace) takeAck(id string, payload json.RawMessage) (a Ack, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.inflight[id]
	if d == nil {
		return a, false // acknowledged before, or given up
	}
	if w.misfortune(d.Name, func(f *Fault) bool { return f.DropAck }) != nil {
		return a, false
	}
	if len(payload) > 0 && !d.accepts {
		w.warn("%s: payload in an acknowledgement that takes none", d.Kind)
		payload = nil
	}
	a = Ack{Kind: d.Kind, Name: d.Name, Payload: d.Payload, Sent: d.sent, Took: w.now().Sub(d.sent), Attempt: d.Attempt}
	w.finish(d, outcome{payload: payload})
	return a, true
}
