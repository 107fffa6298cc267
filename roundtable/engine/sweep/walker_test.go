package sweep_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// ground is where a walk takes place: a store, and how patient everybody is.
type ground struct {
	store interface {
		engine.Store
		engine.Items
	}
	options engine.Options
	latency time.Duration
	gather  time.Duration
	// rest and quiet are as in enginetest.World; standby keeps a second replica
	// running beside the first.
	rest, quiet time.Duration
	standby     bool
}

// memoryGround is a ground in virtual time.
func memoryGround() ground {
	return ground{store: &enginetest.Memory{}, latency: 120 * time.Millisecond, gather: 200 * time.Millisecond, rest: 70 * time.Second, quiet: time.Second}
}

// pausedGround is memoryGround with two replicas, of which one may stand still.
func pausedGround() ground {
	g := memoryGround()
	g.standby, g.rest = true, 150*time.Second
	return g
}

// tour is what people do on a walk, once everything has come to rest; it reports
// whether they have arrived.
type tour func(w *walker) (arrived bool)

// framer is a panel that notes from what it frames.
type framer struct {
	*enginetest.Panel
	mu   sync.Mutex
	from map[string]string
}

// Frame implements engine.Panel.
func (f *framer) Frame(ctx context.Context, s roundtable.Subject) (roundtable.Framing, error) {
	if ctx.Err() == nil { // or nobody waits for the answer any more
		f.mu.Lock()
		f.from[s.Discussion] = s.Written
		f.mu.Unlock()
	}
	return f.Panel.Frame(ctx, s)
}

// walker is somebody who goes through analyses and discussions.
type walker struct {
	t      *testing.T
	set    manifests.Set
	at     ground
	slack  *enginetest.Slack
	ledger enginetest.Ledger
	panel  *framer

	current, standby *running
	said             []string
	n                int
	// names are what the discussions and analyses of the walk are called.
	names map[string]string
}

// running is a replica that runs.
type running struct {
	replica *enginetest.Replica
	engine  *engine.Engine
	stop    context.CancelFunc
	done    chan error
}

// walk takes a tour; the first replica crashes, or stands still, as told. It returns
// the calls that the replica made, what remains, and what is wrong with that.
func walk(t *testing.T, g ground, c enginetest.Crash, tour tour) (calls []string, left remains, found []invariant.Violation) {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &walker{t: t, set: set, at: g, slack: &enginetest.Slack{Latency: g.latency}, panel: &framer{Panel: &enginetest.Panel{}, from: map[string]string{}}, names: map[string]string{}}
	first := enginetest.NewReplica(c)
	w.current = w.start(first)
	if g.standby {
		w.standby = w.start(enginetest.NewReplica(enginetest.Crash{}))
	}
	arrived := false
	for n := 0; n < 60 && !arrived; n++ {
		arrived = tour(w)
		w.rest()
	}
	if !arrived {
		t.Error("the walk never arrives")
	}
	w.end(w.current)
	w.end(w.standby)
	return first.Calls(), w.remains(), w.judged()
}

// walkInBubble is walk in virtual time.
func walkInBubble(t *testing.T, make func() ground, c enginetest.Crash, tour tour) (calls []string, left remains, found []invariant.Violation) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { calls, left, found = walk(t, make(), c, tour) })
	return calls, left, found
}

func (w *walker) start(r *enginetest.Replica) *running {
	w.t.Helper()
	o := w.at.options
	o.Store, o.Items = r.Store(w.ledger.Store(w.at.store)), r.Items(w.ledger.Items(w.at.store))
	o.Workplace, o.Panel = r.Workplace(w.slack), w.panel
	o.Roster = func() persona.Roster { return w.set.Roster }
	o.Catalogue = func() analysis.Catalogue { return w.set.Steps.Catalogue }
	o.Owner = fmt.Sprintf("replica-%p", r)
	e, err := engine.New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p := &running{replica: r, engine: e, stop: stop, done: make(chan error, 1)}
	go func() { p.done <- e.Run(ctx) }()
	return p
}

func (w *walker) end(p *running) {
	if p == nil {
		return
	}
	p.stop()
	if err := <-p.done; err != nil {
		w.t.Errorf("Run: %v", err)
	}
}

// revive puts another replica in the place of one that crashed.
func (w *walker) revive() {
	select {
	case <-w.current.replica.Dead():
		w.end(w.current)
		w.current = w.start(enginetest.NewReplica(enginetest.Crash{}))
	default:
	}
}

// rest lets everything come to rest, whether or not the replica crashes meanwhile:
// nothing has changed for a while, and nobody holds anything. Who still does may be
// waiting to try again, and is given more time.
func (w *walker) rest() {
	last, since := -1, time.Now()
	for {
		still := time.Since(since)
		if w.ledger.Idle() && still >= w.at.quiet || still >= 40*w.at.rest {
			return
		}
		<-time.After(w.at.quiet / 4)
		w.revive()
		if now := w.ledger.Changes() + len(w.slack.Messages("C1")); now != last {
			last, since = now, time.Now()
		}
	}
}

// deliver is Slack, which delivers again what was not taken.
func (w *walker) deliver(ref engine.Ref, id string, body []byte, opens bool) {
	for range 5 {
		d := engine.Delivery{Ref: ref, Mail: engine.Mail{ID: id, Body: body}, Opens: opens}
		if _, err := w.current.engine.Receive(w.t.Context(), d); err == nil {
			return
		}
		w.revive()
	}
	w.t.Fatalf("%s is never taken", id)
}

// place is the channel of every walk.
func place() thread.Place { return thread.Place{Team: "T1", Channel: "C1"} }

// called names a discussion or an analysis.
func (w *walker) called(name, id string) engine.Ref {
	w.names[id] = name
	return engine.Ref{Team: place().Team, Channel: place().Channel, ID: id}
}

// say lets the two people speak in turns.
func (w *walker) say(ref engine.Ref, text string) {
	by := thread.Person{ID: "U1", Name: "Priya"}
	if w.n%2 == 0 {
		by = thread.Person{ID: "U2", Name: "Sam"}
	}
	ts := w.slack.Timestamp()
	body, err := roundtable.EncodeInput(roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: by, Text: text}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.deliver(ref, "m:"+ts, body, false)
}

// answer says something that nobody has said before.
func (w *walker) answer(ref engine.Ref) {
	w.n++
	w.said = append(w.said, fmt.Sprintf("number-%d:", w.n))
	w.say(ref, fmt.Sprintf("Answer number-%d: about 3 files in 1 module, low complexity.", w.n))
}
