package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// port is one of the interfaces that the engine needs.
type port string

const (
	portStore port = "store"
	portItems port = "items"
	portSlack port = "slack"
	portPanel port = "panel"
)

// server is what stands behind a port: the items are in the store.
func (p port) server() port {
	if p == portItems {
		return portStore
	}
	return p
}

// call is a call of an engine's that waits at the gate: first to be performed, then,
// if the reply takes its time, to return.
type call struct {
	replica *replica
	port    port
	name    string // what is asked for
	about   string // the discussion, or what else it is about
	key     string // name and about, of which replica, and the how manyth
	ctx     context.Context
	do      func() error // performs it on a model; called by the scheduler alone
	post    *engine.Posting
	// answer is set for what the panel says: the turn must listen, see world.can.
	answer bool
	// turn is set for what a turn itself waits for.
	turn bool
	// delivery is set for mail on its way to the store.
	delivery bool
	poll     bool // asks for work

	rest      time.Duration // that the turn waits once it has the reply
	rank      uint64        // of those that can go the highest goes
	ready     time.Time
	pauses    int  // of the replica, when it arrived
	spared    bool // a fault befell it already that did not end it
	performed bool
	change    int // the number of the store's newest change when it was performed
	result    error
	reply     chan error
}

// gate is where calls wait. Engines add to it, the scheduler takes away.
type gate struct {
	mu       sync.Mutex
	arrived  []*call
	receipts []receipt
	bell     chan struct{} // a token while there is something new
}

// errDead is what the calls of a dead replica return. None has an effect.
var errDead = errors.New("the replica is dead")

// pass brings a call before the scheduler and returns what it decided.
func (g *gate) pass(c *call) error {
	if c.replica.isDead() {
		return c.failed(errDead)
	}
	if err := context.Cause(c.ctx); err != nil {
		return c.unsent(err)
	}
	c.reply = make(chan error, 1)
	g.mu.Lock()
	g.arrived = append(g.arrived, c)
	g.mu.Unlock()
	g.ring()
	if !c.poll {
		return <-c.reply
	}
	select { // nobody decides about a question for work whose replica stops
	case err := <-c.reply:
		return err
	case <-c.ctx.Done():
		return context.Cause(c.ctx)
	}
}

func (g *gate) ring() {
	select {
	case g.bell <- struct{}{}:
	default:
	}
}

// receipt is what became of a delivery.
type receipt struct {
	parcel    *parcel
	replica   *replica
	try       int
	reception engine.Reception
	err       error
}

// took notes the end of a delivery.
func (g *gate) took(r receipt) {
	g.mu.Lock()
	g.receipts = append(g.receipts, r)
	g.mu.Unlock()
	g.ring()
}

// collect takes what is new, in an order that depends on nothing but what it is.
func (g *gate) collect() ([]*call, []receipt) {
	g.mu.Lock()
	calls, receipts := g.arrived, g.receipts
	g.arrived, g.receipts = nil, nil
	g.mu.Unlock()
	slices.SortStableFunc(calls, func(a, b *call) int {
		return cmp.Or(cmp.Compare(a.replica.name, b.replica.name), cmp.Compare(a.name, b.name), cmp.Compare(a.about, b.about))
	})
	slices.SortStableFunc(receipts, func(a, b receipt) int {
		return cmp.Or(cmp.Compare(a.parcel.name, b.parcel.name), cmp.Compare(a.try, b.try))
	})
	return calls, receipts
}

// failed is an error after which the call may or may not have been performed.
func (c *call) failed(err error) error {
	switch c.port {
	case portSlack:
		return &engine.SendError{Outcome: engine.InDoubt, Err: err}
	case portPanel:
		return &engine.PanelError{Reason: thread.ReasonModelUnavailable, Err: err}
	case portStore, portItems:
		return fmt.Errorf("%s: %w", c.name, err)
	default:
		return err
	}
}

// unsent is an error after which the call was certainly not performed.
func (c *call) unsent(err error) error {
	if c.port == portSlack {
		return &engine.SendError{Outcome: engine.Unsent, Err: err}
	}
	return c.failed(err)
}
