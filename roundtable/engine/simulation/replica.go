package simulation

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// replica is one engine that runs, or ran. Its name is its place and how many were
// there before it.
type replica struct {
	name   string
	place  int
	engine *engine.Engine
	cancel context.CancelFunc
	done   chan error
	dead   atomic.Bool

	// stopping is set once it was told to stop.
	stopping bool
	// until is the end of its pause; pauses counts them.
	until  time.Time
	pauses int

	// rests is until when one of its turns waits for the pace of the channel.
	rests time.Time

	poll      *call // its question for work, waiting
	polls     int
	polled    time.Time // when that was last answered
	pollAfter time.Time // it does not ask before
	pollFails bool      // its connection to the store is gone: the next one fails
	pollOwed  bool      // the one before failed: the next is answered though nothing is due
}

func (r *replica) isDead() bool { return r.dead.Load() }

// start starts a replica at a place.
func (w *world) start(place int) error {
	w.born[place]++
	r := &replica{name: fmt.Sprintf("r%d.%d", place+1, w.born[place]), place: place, done: make(chan error, 1)}
	t := through{w: w, r: r}
	o := engine.Options{
		Store: storePort{through: t}, Items: itemsPort{through: t}, Workplace: slackPort{t}, Panel: panelPort{t},
		Roster: enginetest.Roster, Owner: r.name, Linger: w.plan.Linger,
		PanelTimeout: time.Hour, // that the panel fails is for the plan to say
		// The scheduler decides when a question for work is answered; this one leaves
		// nothing to chance, not even the engine's jitter.
		Poll: 1,
	}
	if w.flaw.Adjust != nil {
		w.flaw.Adjust(&o)
	}
	var err error
	if r.engine, err = engine.New(o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	w.replicas[place] = r
	w.all = append(w.all, r)
	go func() { r.done <- r.engine.Run(ctx) }()
	r.engine.Missed() // as the edge says once it is connected
	return nil
}

// crash ends a replica: nothing that it was about to do happens any more.
func (w *world) crash(r *replica) {
	w.bury(r)
	down := w.dice.span(100*time.Millisecond, 40*time.Second, "down", r.name)
	if w.plan.Prompt {
		down = time.Second
	}
	w.later(down, func() error { return w.revive(r) })
}

// outage ends all replicas for a long time.
func (w *world) outage() {
	away := w.dice.span(outageFrom, outageTo, "outage", fmt.Sprint(len(w.all)))
	w.out = time.Now().Add(away)
	for _, r := range w.replicas {
		w.bury(r)
		w.later(away, func() error { return w.revive(r) })
	}
}

// bury makes a replica dead.
func (w *world) bury(r *replica) {
	if r.dead.Swap(true) {
		return
	}
	r.cancel()
	kept := w.waiting[:0]
	for _, c := range w.waiting {
		if c.replica != r {
			kept = append(kept, c)
			continue
		}
		c.reply <- c.failed(errDead)
	}
	w.waiting = kept
	r.poll = nil
}

// restart tells a replica to stop in good order and starts another.
func (w *world) restart(r *replica) {
	r.stopping = true
	r.cancel()
	w.later(w.dice.span(100*time.Millisecond, 5*time.Second, "down", r.name), func() error { return w.revive(r) })
}

// revive puts another replica in the place of one that is gone.
func (w *world) revive(r *replica) error {
	if w.replicas[r.place] != r || w.out.After(time.Now()) {
		return nil // or the end of the outage revives it
	}
	return w.start(r.place)
}

// able are the replicas that Slack can deliver to.
func (w *world) able() []*replica {
	var able []*replica
	for _, r := range w.replicas {
		if !r.isDead() && !r.stopping {
			able = append(able, r)
		}
	}
	return able
}
