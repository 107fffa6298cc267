package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// room is one engine that runs, in a bubble of virtual time, with everything
// around it. Waiting in it costs nothing: time passes when all stand still.
type room struct {
	t       *testing.T
	store   *enginetest.Memory
	slack   *enginetest.Slack
	panel   *enginetest.Panel
	replica *enginetest.Replica
	options engine.Options
	items   engine.Items // store, unless set
	// rules take the place of roundtable.Step from the next start on.
	rules  func(roundtable.Discussion, roundtable.Input) roundtable.Result
	engine *engine.Engine
	cancel context.CancelFunc
	done   chan error
	n      int
}

// inRoom runs f in a room whose discussion is open and whose first round is over.
func inRoom(t *testing.T, f func(r *room)) {
	t.Helper()
	inRoomWith(t, func(*room) {}, f)
}

// inRoomWith is inRoom in a room that is furnished first.
func inRoomWith(t *testing.T, furnish, f func(r *room)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		furnish(r)
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40, Gather: 3 * time.Second}, time.Now()))
		r.pass(time.Minute)
		f(r)
	})
}

func newRoom(t *testing.T) *room {
	r := &room{t: t, store: &enginetest.Memory{}, slack: &enginetest.Slack{Latency: 100 * time.Millisecond}, panel: &enginetest.Panel{Delay: time.Second}}
	r.options = engine.Options{Panel: r.panel, Roster: enginetest.Roster, Owner: "replica"}
	return r
}

func (r *room) start() {
	r.t.Helper()
	r.replica = enginetest.NewReplica(enginetest.Crash{})
	o := r.options
	if o.Store == nil {
		o.Store = r.store
	}
	if o.Workplace == nil {
		o.Workplace = r.slack
	}
	if r.items == nil {
		r.items = r.store
	}
	o.Store, o.Items, o.Workplace = r.replica.Store(o.Store), r.replica.Items(r.items), r.replica.Workplace(o.Workplace)
	o.Break(r.rules)
	var err error
	if r.engine, err = engine.New(o); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel, r.done = cancel, make(chan error, 1)
	go func() { r.done <- r.engine.Run(ctx) }()
	synctest.Wait()
}

// states is where the room's replica keeps what it does.
func (r *room) states() engine.StateReader {
	if r.options.Store != nil {
		return r.options.Store
	}
	return r.store
}

func (r *room) stop() {
	r.cancel()
	if err := <-r.done; err != nil {
		r.t.Errorf("Run: %v", err)
	}
	if !r.engine.PlacesLeft() {
		r.t.Error("somebody left who waited in memory, and kept the place")
	}
}

// pass lets virtual time pass.
func (r *room) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func (r *room) deliver(in roundtable.Input) engine.Reception {
	r.t.Helper()
	body, err := roundtable.EncodeInput(in)
	if err != nil {
		r.t.Fatal(err)
	}
	_, opens := in.Event.(roundtable.Opened)
	got, err := r.engine.Receive(r.t.Context(), engine.Delivery{Ref: enginetest.Ref(), Mail: engine.Mail{ID: in.ID, Body: body}, Opens: opens})
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

// say delivers a message of Priya's and returns its timestamp.
func (r *room) say(text string) string {
	r.t.Helper()
	ts := r.slack.Timestamp()
	r.deliver(roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: thread.Person{ID: "U1", Name: "Priya"}, Text: text}})
	return ts
}

func (r *room) press(b thread.ButtonKind) {
	r.t.Helper()
	r.n++
	r.deliver(roundtable.Input{ID: fmt.Sprintf("b:%d", r.n), At: time.Now(), Event: roundtable.Pressed{By: thread.Person{ID: "U1", Name: "Priya"}, Button: b}})
}

func (r *room) discussion() roundtable.Discussion {
	r.t.Helper()
	d, err := enginetest.Discussion(r.t.Context(), r.states(), enginetest.Ref())
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// contributions are the texts of the personas' turns that stand in Slack.
func (r *room) contributions() []string {
	var texts []string
	for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
		if m.Message.Kind == thread.KindContribution {
			texts = append(texts, string(m.Message.Speaker))
		}
	}
	return texts
}

// calls returns the calls made since n, of which there were so many.
func (r *room) calls(n int, prefix string) []string {
	var found []string
	for _, c := range r.replica.Calls()[n:] {
		if strings.HasPrefix(c, prefix) {
			found = append(found, c)
		}
	}
	return found
}
