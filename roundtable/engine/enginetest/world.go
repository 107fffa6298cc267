package enginetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// World is everything outside the engine, and as many replicas of it, one after
// the other, as it takes to play a scenario to its end.
type World struct {
	Store interface {
		engine.Store
		engine.DeadLetters
		engine.Acts
	}
	Items engine.Items
	Slack *Slack
	Panel *Panel
	// Engine holds the options that concern time and size; the rest is filled in.
	Engine engine.Options
	// Rest is how long nothing must have changed for everything to have come to
	// rest: longer than the lease and the settling together. Quiet is how long is
	// enough where nobody holds the discussion or the panel waits for its cue.
	Rest, Quiet time.Duration
	// Pace is how long a span of a scenario takes here; nil: as long as it says.
	Pace func(time.Duration) time.Duration
	// Standby keeps a second replica running beside the first.
	Standby bool
	// Adjust, if set, changes what a replica is made of: with it a test breaks the
	// engine, to see whether the checker notices.
	Adjust func(*engine.Options)
	// Settle, if set, waits until the replicas that were started have done what they do at
	// once. Without it their reading of open threads and the first input come in any order,
	// so that the nth call is now this one and now that: a test that looks for one crash
	// point among all needs them in the same order every time.
	Settle func()
	// Permits is the pace that posts to the channel must keep; zero: any.
	Permits invariant.Pace
	// Logging keeps everything that the engine logs, to look for what must not be
	// there.
	Logging bool

	logs       Buffer
	ledger     Ledger
	prompts    Prompter
	panel      engine.Panel
	mu         sync.Mutex
	refuseNext thread.Reason // of the next post
	crash      Crash
	current    *process
	standby    *process
	first      *Replica
	started    int
	sent       []invariant.Sent
	named      map[string]string // timestamps of named messages
	pressed    int
}

// process is a replica that runs.
type process struct {
	replica *Replica
	engine  *engine.Engine
	cancel  context.CancelFunc
	done    chan error
}

// The place where every scenario happens.
const (
	team    = "T1"
	channel = "C1"
	id      = "D1"
)

// Ref is the discussion of every scenario.
func Ref() engine.Ref { return engine.Ref{Team: team, Channel: channel, ID: id} }

// Seats is the cast of every scenario.
func Seats() []persona.Seat {
	return []persona.Seat{
		{Key: "business-analyst", Name: "Maya Chen", Role: "Business Analyst", Title: "BA", Perspective: "a user-needs"},
		{Key: "solutions-architect", Name: "Alex Rivera", Role: "Solutions Architect", Title: "Architect", Perspective: "an architecture"},
		{Key: "system-designer", Name: "Jordan Park", Role: "System Designer", Title: "Designer", Perspective: "a design"},
	}
}

// Roster is the roster to the cast.
func Roster() persona.Roster {
	r := persona.Roster{Default: "business-analyst"}
	for _, s := range Seats() {
		r.Personas = append(r.Personas, persona.Persona{Seat: s})
	}
	return r
}

// Opening is the input that opens the discussion.
func Opening(s roundtable.Settings, at time.Time) roundtable.Input {
	return roundtable.Input{ID: "open", At: at, Event: roundtable.Opened{
		Discussion: id, Place: thread.Place{Team: team, Channel: channel},
		By: thread.Person{ID: "U1", Name: "Priya"}, Topic: "Ledgers", Item: "ledgers", ItemTitle: "Ledgers",
		Step: roundtable.StepRef{ID: "00-00", Title: "Ledgers", Outputs: []string{"elaboration-notes.md"}},
		Cast: Seats(), Lead: "business-analyst", Settings: s,
	}}
}

// Play plays a scenario; the first replica crashes as told. It returns the calls
// that the first replica made and what remains of each discussion.
func (w *World) Play(ctx context.Context, s Scenario, crash Crash) (calls []string, e []invariant.Evidence, err error) {
	w.crash = crash
	if err := w.prepare(ctx, s); err != nil {
		return nil, e, err
	}
	if err := w.begin(); err != nil {
		return nil, e, err
	}
	defer func() { err = errors.Join(err, w.current.stop(), w.standby.stop()) }()
	if err := w.send(ctx, invariant.Sent{Input: w.opening(s)}); err != nil {
		return nil, e, err
	}
	for _, a := range s.Acts {
		if !a.AtOnce {
			if err := w.rest(ctx, w.Quiet); err != nil {
				return nil, e, err
			}
		}
		if err := w.sleep(ctx, w.span(a.After)); err != nil {
			return nil, e, err
		}
		if err := w.act(ctx, s, a); err != nil {
			return nil, e, fmt.Errorf("play %s: %w", s.Name, err)
		}
	}
	if err := w.rest(ctx, w.Quiet); err != nil {
		return nil, e, err
	}
	w.prompts.Finish()
	e, err = w.settled(ctx)
	return w.first.Calls(), e, err
}

// settled is the evidence once everything has come to rest. It is read from several places,
// one after the other, so it is read again if something changed meanwhile: a busy machine may
// let a replica rest for longer than it takes to be taken for asleep.
func (w *World) settled(ctx context.Context) ([]invariant.Evidence, error) {
	for {
		if err := w.rest(ctx, 0); err != nil {
			return nil, err
		}
		before, err := w.print(ctx)
		if err != nil {
			return nil, err
		}
		e, err := w.evidence(ctx)
		if err != nil {
			return nil, err
		}
		if after, err := w.print(ctx); err != nil || after == before {
			return e, err
		}
	}
}

// prepare sets the scene.
func (w *World) prepare(ctx context.Context, s Scenario) error {
	w.named = make(map[string]string)
	w.Panel.Answer, w.panel = s.Answer, w.Panel
	if s.Scripted {
		w.panel = &scripted{Panel: w.Panel, p: &w.prompts}
	}
	w.refuse(s.Refused)
	w.Slack.Fault = func(n int, _ engine.Posting) Fault {
		if f, due := w.refusal(); due || s.Fault == nil {
			return f
		}
		return s.Fault(n)
	}
	if !s.BrokenItem {
		return nil
	}
	return w.Items.WriteItem(ctx, w.item(s), engine.ItemWrite{Meta: []byte(`{"elaborations":`), Key: "broken"})
}

// opening is the input that opens the discussion of a scenario.
func (w *World) opening(s Scenario) roundtable.Input {
	in := Opening(s.Settings, time.Now())
	e := in.Event.(roundtable.Opened)
	if s.Opened != nil {
		e = *s.Opened
	}
	e.Settings.Gather, e.Settings.Silence = w.span(e.Settings.Gather), w.span(e.Settings.Silence)
	in.Event = e
	return in
}

// span is how long something takes in this world.
func (w *World) span(d time.Duration) time.Duration {
	if w.Pace == nil || d == 0 {
		return d
	}
	return w.Pace(d)
}

// item is the item of a scenario.
func (w *World) item(s Scenario) engine.ItemRef {
	return engine.ItemRef{Team: team, Channel: channel, Slug: w.opening(s).Event.(roundtable.Opened).Item}
}

// begin starts the replica that crashes as told, and the one beside it.
func (w *World) begin() (err error) {
	w.first = NewReplica(w.crash)
	if w.current, err = w.start(w.first); err != nil {
		return err
	}
	if w.Standby {
		if w.standby, err = w.start(NewReplica(Crash{})); err != nil {
			return err
		}
	}
	if w.Settle != nil {
		w.Settle()
	}
	return nil
}

// start starts a replica.
func (w *World) start(r *Replica) (*process, error) {
	w.started++
	o := w.Engine
	o.Store = r.Store(w.ledger.Store(w.Store))
	o.Items = r.Items(w.ledger.Items(w.Items))
	o.Workplace = r.Workplace(w.Slack)
	o.Panel, o.Roster = w.panel, Roster
	if w.Logging {
		o.Logger = slog.New(slog.NewTextHandler(&w.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	o.Owner = "replica-" + strconv.Itoa(w.started)
	if w.Adjust != nil {
		w.Adjust(&o)
	}
	eng, err := engine.New(o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{replica: r, engine: eng, cancel: cancel, done: make(chan error, 1)}
	go func() { p.done <- eng.Run(ctx) }()
	eng.Missed() // as the edge says once it is connected
	return p, nil
}

// stop stops a replica and waits until it has.
func (p *process) stop() error {
	if p == nil {
		return nil
	}
	p.cancel()
	return <-p.done
}

// revive puts another replica in the place of one that crashed.
func (w *World) revive() error {
	select {
	case <-w.current.replica.Dead():
		err := w.current.stop()
		if err == nil {
			w.current, err = w.start(NewReplica(Crash{}))
		}
		return err
	default:
		return nil
	}
}
