package enginetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// World is everything outside the engine, and as many replicas of it, one after
// the other, as it takes to play a scenario to its end.
type World struct {
	Store engine.Store
	Items engine.Items
	Slack *Slack
	Panel *Panel
	// Engine holds the options that concern time and size; the rest is filled in.
	Engine engine.Options
	// Rest is how long nothing must have changed for everything to have come to
	// rest: longer than the lease and the settling together.
	Rest time.Duration
	// Standby keeps a second replica running beside the first.
	Standby bool
	// Adjust, if set, changes what a replica is made of: with it a test breaks the
	// engine, to see whether the checker notices.
	Adjust func(*engine.Options)
	Logger *slog.Logger

	ledger  Ledger
	crash   Crash
	current *process
	standby *process
	first   *Replica
	started int
	sent    []Sent
	named   map[string]string // timestamps of named messages
	pressed int
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
func Seats() []roundtable.Seat {
	return []roundtable.Seat{
		{Key: "business-analyst", Name: "Maya Chen", Role: "Business Analyst", Title: "BA", Perspective: "a user-needs"},
		{Key: "solutions-architect", Name: "Alex Rivera", Role: "Solutions Architect", Title: "Architect", Perspective: "an architecture"},
		{Key: "system-designer", Name: "Jordan Park", Role: "System Designer", Title: "Designer", Perspective: "a design"},
	}
}

// Roster is the roster to the cast.
func Roster() roundtable.Roster {
	r := roundtable.Roster{Default: "business-analyst"}
	for _, s := range Seats() {
		r.Personas = append(r.Personas, roundtable.Persona{Seat: s})
	}
	return r
}

// Opening is the input that opens the discussion.
func Opening(s roundtable.Settings, at time.Time) roundtable.Input {
	return roundtable.Input{ID: "open", At: at, Event: roundtable.Opened{
		Discussion: id, Place: roundtable.Place{Team: team, Channel: channel},
		By: roundtable.Person{ID: "U1", Name: "Priya"}, Topic: "Ledgers", Item: "ledgers", ItemTitle: "Ledgers",
		Step: roundtable.StepRef{ID: "00-00", Title: "Ledgers", Outputs: []string{"elaboration-notes.md"}},
		Cast: Seats(), Lead: "business-analyst", Settings: s,
	}}
}

// Play plays a scenario; the first replica crashes as told. It returns the calls
// that the first replica made and what remains of each discussion.
func (w *World) Play(ctx context.Context, s Scenario, crash Crash) (calls []string, e []Evidence, err error) {
	w.crash = crash
	w.named = make(map[string]string)
	w.Panel.Answer = s.Answer
	if s.Fault != nil {
		w.Slack.Fault = func(n int, _ engine.Posting) Fault { return s.Fault(n) }
	}
	if err := w.begin(); err != nil {
		return nil, e, err
	}
	defer func() { err = errors.Join(err, w.current.stop(), w.standby.stop()) }()
	if err := w.send(ctx, Sent{Input: Opening(s.Settings, time.Now())}); err != nil {
		return nil, e, err
	}
	for _, a := range s.Acts {
		if !a.AtOnce {
			if err := w.rest(ctx); err != nil {
				return nil, e, err
			}
		}
		if err := w.sleep(ctx, a.After); err != nil {
			return nil, e, err
		}
		if err := w.act(ctx, a); err != nil {
			return nil, e, err
		}
	}
	if err := w.rest(ctx); err != nil {
		return nil, e, err
	}
	e, err = w.evidence(ctx)
	return w.first.Calls(), e, err
}

// begin starts the replica that crashes as told, and the one beside it.
func (w *World) begin() (err error) {
	w.first = NewReplica(w.crash)
	if w.current, err = w.start(w.first); err != nil || !w.Standby {
		return err
	}
	w.standby, err = w.start(NewReplica(Crash{}))
	return err
}

// start starts a replica.
func (w *World) start(r *Replica) (*process, error) {
	w.started++
	o := w.Engine
	o.Store = r.Store(w.ledger.Store(w.Store))
	o.Items = r.Items(w.ledger.Items(w.Items))
	o.Workplace = r.Workplace(w.Slack)
	o.Panel, o.Roster, o.Logger = w.Panel, Roster, w.Logger
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

func (w *World) sleep(ctx context.Context, d time.Duration) error {
	for end := time.Now().Add(d); d > 0 && time.Now().Before(end); {
		if err := w.revive(); err != nil {
			return err
		}
		if err := pass(ctx, min(w.Rest/10, time.Until(end))); err != nil {
			return err
		}
	}
	return nil
}

// rest waits until nothing has changed for a while.
func (w *World) rest(ctx context.Context) error {
	last, since := "", time.Now()
	for time.Since(since) < w.Rest {
		if err := w.sleep(ctx, w.Rest/20); err != nil {
			return err
		}
		now, err := w.print(ctx)
		if err != nil {
			return err
		}
		if now != last {
			last, since = now, time.Now()
		}
	}
	return nil
}

// print is a fingerprint of everything that can change.
func (w *World) print(ctx context.Context) (string, error) {
	state, log, err := w.Store.Read(ctx, Ref())
	if err != nil && !errors.Is(err, engine.ErrNotFound) {
		return "", err
	}
	posts, _ := w.Slack.Posts()
	return fmt.Sprint(len(log), posts, w.Panel.Asked(), len(w.Slack.Messages(channel)), string(state)), nil
}

// act does what a person does.
func (w *World) act(ctx context.Context, a Act) error {
	now := time.Now()
	by := roundtable.Person{ID: map[string]string{"Priya": "U1", "Sam": "U2"}[a.Who], Name: a.Who}
	in := roundtable.Input{At: now}
	switch {
	case a.Say != "":
		ts := w.Slack.Timestamp()
		w.named[a.Name] = ts
		in.ID, in.Event = "m:"+ts, roundtable.Said{TS: ts, By: by, Text: a.Say}
	case a.Edit != "":
		ts := w.named[a.Edit]
		in.ID, in.Event = "e:"+ts, roundtable.Edited{TS: ts, By: by, Text: a.Text, EditedTS: w.Slack.Timestamp()}
		in.ID += ":" + in.Event.(roundtable.Edited).EditedTS
	case a.Delete != "":
		ts := w.named[a.Delete]
		in.ID, in.Event = "d:"+ts, roundtable.Deleted{TS: ts}
	case a.React != "":
		ts := w.message(a.React)
		in.ID, in.Event = "r:"+ts+":"+by.ID+":"+a.Text, roundtable.Reacted{TS: ts, By: by, Emoji: a.Text}
	default:
		w.pressed++
		in.ID, in.Event = "b:"+strconv.Itoa(w.pressed), roundtable.Pressed{By: by, Button: a.Press, Value: a.Value}
	}
	return w.send(ctx, Sent{Input: in, Unlogged: a.Unlogged})
}

// message finds a message by its name or, as "#n", the nth contribution.
func (w *World) message(name string) string {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "#"))
	if err != nil {
		return w.named[name]
	}
	for _, m := range w.Slack.Messages(channel) {
		if m.Message.Kind == roundtable.KindContribution {
			if n--; n == 0 {
				return m.TS
			}
		}
	}
	return ""
}

// send delivers an input as Slack does: again and again until it is acknowledged.
func (w *World) send(ctx context.Context, s Sent) error {
	body, err := roundtable.EncodeInput(s.Input)
	if err != nil {
		return err
	}
	_, opens := s.Input.Event.(roundtable.Opened)
	for {
		if err := w.revive(); err != nil {
			return err
		}
		r, err := w.current.engine.Receive(ctx, engine.Delivery{Ref: Ref(), Mail: engine.Mail{ID: s.Input.ID, Body: body}, Opens: opens})
		switch {
		case err == nil && (r == engine.Stored || r == engine.Duplicate):
			w.sent = append(w.sent, s)
			return nil
		case err == nil && r == engine.Closed:
			return nil
		case err == nil && r == engine.Unknown:
			return fmt.Errorf("deliver %s: no such discussion", s.Input.ID)
		}
		if err := pass(ctx, w.Rest/20); err != nil {
			return err
		}
	}
}
