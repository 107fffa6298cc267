package simulation

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// through is one replica's way to the models: every call passes the gate.
type through struct {
	w *world
	r *replica
}

func (t through) pass(ctx context.Context, p port, name, about string, do func() error) error {
	return t.w.gate.pass(&call{replica: t.r, port: p, name: name, about: about, ctx: ctx, do: do, turn: true})
}

// itemsPort is items as a replica sees them.
type itemsPort struct {
	engine.Items
	through
}

// ReadItem implements engine.Items.
func (i itemsPort) ReadItem(ctx context.Context, ref engine.ItemRef) (item engine.Item, err error) {
	err = i.pass(ctx, portItems, "read item", ref.Slug, func() (err error) {
		item, err = i.w.store.memory.ReadItem(ctx, ref)
		return err
	})
	if err != nil {
		return engine.Item{}, err
	}
	return item, nil
}

// WriteItem implements engine.Items.
func (i itemsPort) WriteItem(ctx context.Context, ref engine.ItemRef, write engine.ItemWrite) error {
	return i.pass(ctx, portItems, "write item", ref.Slug+" "+write.Key, func() error { return i.w.store.writeItem(ref, write) })
}

// slackPort is Slack as a replica sees it.
type slackPort struct{ through }

// Post implements engine.Workplace.
func (s slackPort) Post(ctx context.Context, p engine.Posting) (ts string, err error) {
	err = s.w.gate.pass(&call{
		replica: s.r, port: portSlack, name: "post", about: p.Key, ctx: ctx, post: &p, turn: true,
		do: func() error {
			ts = s.w.slack.perform(p)
			return nil
		},
	})
	if err != nil {
		return "", err
	}
	return ts, nil
}

// Find implements engine.Workplace.
func (s slackPort) Find(ctx context.Context, place thread.Place, since time.Time) (found []engine.Found, err error) {
	err = s.pass(ctx, portSlack, "find", s.w.slack.inWhich(place), func() (err error) {
		found, err = s.w.slack.find(place, since)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Read implements engine.Workplace.
func (s slackPort) Read(ctx context.Context, place thread.Place, since time.Time) (heard []engine.Heard, err error) {
	err = s.w.gate.pass(&call{replica: s.r, port: portSlack, name: "read", about: s.w.slack.inWhich(place), ctx: ctx, do: func() (err error) {
		heard, err = s.w.slack.Read(context.Background(), place, since)
		return err
	}})
	if err != nil {
		return nil, err
	}
	return heard, nil
}

// Retract implements engine.Workplace.
func (s slackPort) Retract(ctx context.Context, place thread.Place, ts string) error {
	return s.pass(ctx, portSlack, "retract", s.w.slack.inWhich(place), func() error { return s.w.slack.Retract(ctx, place, ts) })
}

// ShowRoot implements engine.Workplace.
func (s slackPort) ShowRoot(ctx context.Context, place thread.Place, m thread.Message) error {
	return s.pass(ctx, portSlack, "show root", s.w.slack.inWhich(place), func() error { return s.w.slack.ShowRoot(ctx, place, m) })
}

// QuietUntil implements engine.Workplace.
func (s slackPort) QuietUntil(ctx context.Context, user string) (until time.Time, err error) {
	err = s.pass(ctx, portSlack, "quiet_until", user, func() (err error) {
		until, err = s.w.slack.QuietUntil(ctx, user)
		return err
	})
	return until, err
}

// Identify implements engine.Workplace.
func (s slackPort) Identify(ctx context.Context, user string, _ bool) (p thread.Person, err error) {
	err = s.pass(ctx, portSlack, "identify", user, func() (err error) {
		p, err = s.w.identify(user)
		return err
	})
	return p, err
}

// Tell implements engine.Workplace.
func (s slackPort) Tell(ctx context.Context, place thread.Place, user, text string) error {
	return s.pass(ctx, portSlack, "tell", s.w.slack.inWhich(place)+" "+user, func() error { return s.w.slack.Tell(ctx, place, user, text) })
}

// React and Think are courtesies beside the turn, and which of two wishes that follow
// at once is shown is left to chance. So they take no time, and no post waits for them.

// React implements engine.Workplace.
func (s slackPort) React(context.Context, thread.Place, string, string) error { return nil }

// Think implements engine.Workplace.
func (s slackPort) Think(context.Context, thread.Place, []persona.Seat) error { return nil }

// panelPort is the panel as a replica sees it: puppets whose words follow from the
// question alone. What they say waits at the gate like everything else.
type panelPort struct{ through }

func (p panelPort) think(ctx context.Context, name, about string) error {
	return p.w.gate.pass(&call{
		replica: p.r, port: portPanel, name: name, about: about, ctx: ctx, answer: true,
		do: func() error { return nil },
	})
}

// Frame implements engine.Panel.
func (p panelPort) Frame(ctx context.Context, s roundtable.Subject) (roundtable.Framing, error) {
	if err := p.think(ctx, "frame", s.Discussion); err != nil {
		return roundtable.Framing{}, err
	}
	return p.w.puppets.Frame(ctx, s)
}

// Discuss implements engine.Panel. Now and then the positions conflict.
func (p panelPort) Discuss(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	ending, err := p.w.puppets.Discuss(ctx, r, func(c roundtable.Contribution) error {
		if err := p.think(ctx, "say "+string(c.Persona), r.Subject.Discussion); err != nil {
			return err
		}
		return emit(c)
	})
	if err == nil {
		err = p.think(ctx, "end the round", r.Subject.Discussion)
	}
	if err == nil && r.Round.Kind == roundtable.RoundAnswer && len(r.Transcript.Turns)%4 == 0 {
		ending.Conflict = &roundtable.Conflict{Question: "One ledger or two?", Options: []roundtable.Option{
			{Label: "One", Reason: "it balances", By: r.Subject.Cast[1].Key},
			{Label: "Two", Reason: "it isolates", By: r.Subject.Cast[2].Key},
		}}
	}
	return ending, err
}

// Synthesise implements engine.Panel.
func (p panelPort) Synthesise(ctx context.Context, s roundtable.Subject, t thread.Transcript, fault string) (*roundtable.Draft, error) {
	if err := p.think(ctx, "synthesise", s.Discussion); err != nil {
		return nil, err
	}
	return p.w.puppets.Synthesise(ctx, s, t, fault)
}

// Notice implements engine.Panel.
func (p panelPort) Notice() string { return "" }

var (
	_ engine.Store     = storePort{}
	_ engine.Items     = itemsPort{}
	_ engine.Workplace = slackPort{}
	_ engine.Panel     = panelPort{}
)
