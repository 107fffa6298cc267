package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// parcel is an input on its way: Slack delivers it, to any replica and again and
// again, until one acknowledges it.
type parcel struct {
	name  string
	ref   engine.Ref
	input roundtable.Input
	body  []byte

	acked bool
	// lost is set if Slack never delivers it; closed if the discussion took nothing
	// any more; deleted if its author took the message back.
	lost, closed, deleted bool
	// thread is where it was done.
	thread string
}

// recoverable reports whether Slack shows that it happened.
func (p *parcel) recoverable() bool {
	_, words := enginetest.MessageOf(p.input.Event)
	return words
}

// The times of Slack's deliveries, shortened.
const (
	deliverAgain = 4 * time.Second
	ackLostFrom  = 200 * time.Millisecond
	ackLostTo    = 20 * time.Second
)

// post puts an input on its way.
func (w *world) post(name string, ref engine.Ref, in roundtable.Input) (*parcel, error) {
	body, err := roundtable.EncodeInput(in)
	if err != nil {
		return nil, err
	}
	p := &parcel{name: name, ref: ref, input: in, body: body}
	w.parcels = append(w.parcels, p)
	return p, nil
}

// deliver delivers a parcel, the nth time.
func (w *world) deliver(p *parcel, try int) error {
	if p.acked && try < twice || p.closed {
		return nil
	}
	able := w.able()
	if len(able) == 0 {
		w.later(deliverAgain, func() error { return w.deliver(p, try) })
		return nil
	}
	r := able[w.dice.below(len(able), "edge", fmt.Sprint(p.name, try))]
	_, opens := p.input.Event.(roundtable.Opened)
	d := engine.Delivery{Ref: p.ref, Mail: engine.Mail{ID: p.input.ID, Body: p.body}, Opens: opens}
	w.delivering.Go(func() {
		reception, err := r.engine.Receive(context.Background(), d)
		w.gate.took(receipt{parcel: p, replica: r, try: try, reception: reception, err: err})
	})
	if w.flaw.AckFirst {
		p.acked = true
		return nil
	}
	if try < twice {
		w.later(deliverAgain, func() error { return w.deliver(p, try+1) })
	}
	return nil
}

// twice is the number of the delivery whose acknowledgement was lost.
const twice = 1000

// receive takes in what became of a delivery.
func (w *world) receive(r receipt) {
	w.note(r.parcel.name, fmt.Sprintf("delivery %d to %s", r.try, r.replica.name), string(r.reception))
	if r.err != nil || r.replica.isDead() {
		return
	}
	switch r.reception {
	case engine.Stored, engine.Duplicate:
		r.parcel.acked = true
	case engine.Closed:
		r.parcel.closed = true
	case engine.Unknown, engine.Full, engine.Taken: // later
	}
}
