package evaluation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// Utterance is a contribution of the evaluation.
type Utterance struct {
	Topic string `json:"topic"`
	// Round counts what people said that wanted an answer; 0 is the opening.
	Round   int           `json:"round"`
	Turn    int           `json:"turn"`
	Persona persona.Key   `json:"persona"`
	Stance  thread.Stance `json:"stance"`
	Text    string        `json:"text"`
	Faults  []voice.Rule  `json:"faults,omitempty"`
	// probe is what the line asked that it answers.
	probe   probe
	details []string
}

// play is a discussion among a panel and scripted people, driven through the rules
// in memory: time stands still but for what is said, and every post stands at once.
type play struct {
	panel engine.Panel
	cast  []persona.Persona
	topic Topic
	// length is how long contributions may be.
	length voice.Length
	now    func() time.Time // nil: latency is not measured

	d       roundtable.Discussion
	log     []thread.Entry
	clock   time.Time
	inputs  int
	round   int
	cue     cue
	said    []Utterance
	failed  int
	latency []time.Duration // to the first contribution of a round
}

var began = time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)

// run plays a whole discussion.
func (p *play) run(ctx context.Context, cues []cue, lead persona.Key) (observed, error) {
	p.clock = began
	id := strings.ReplaceAll(strings.ToLower(p.topic.Title), " ", "-")
	err := p.give(ctx, "o:"+id, roundtable.Opened{
		Discussion: id, Place: thread.Place{Team: "T", Channel: "C"}, By: people["Priya"], Topic: p.topic.Title, Item: id, ItemTitle: p.topic.Title,
		Step: roundtable.StepRef{ID: roundtable.FreeStep, Title: p.topic.Title, Outputs: []string{roundtable.FreeOutput}},
		Cast: persona.Roster{Personas: p.cast}.Seats(), Lead: lead,
		Settings: roundtable.Settings{MaxTurns: 20 + 8*len(cues)}, // nothing is cut short
	})
	var o observed
	for _, c := range cues {
		if err != nil || p.d.State != roundtable.StateDiscussionLoop {
			break
		}
		if c.probe != probeHuman {
			p.round++
		}
		p.cue = c
		before := len(p.said)
		var turn int
		turn, err = p.say(ctx, c)
		o.cues = append(o.cues, heardCue{c, turn, len(p.said) - before})
	}
	if err == nil {
		p.cue = cue{}
		err = p.end(ctx)
	}
	o.topic, o.said, o.failed, o.latency, o.spent = p.topic, p.said, p.failed, p.latency, p.d.Spent
	o.outcome = p.d.Outcome
	return o, err
}

// say has a person speak and returns the number of the turn.
func (p *play) say(ctx context.Context, c cue) (int, error) {
	ts := fmt.Sprintf("%d.000100", p.clock.Unix())
	if err := p.give(ctx, "m:"+ts, roundtable.Said{TS: ts, By: c.by, Text: c.text, BotUser: "UROUNDTABLE"}); err != nil {
		return 0, err
	}
	for _, e := range p.log {
		if e.TS == ts && e.Kind == thread.EntryTurn {
			return e.Turn, nil
		}
	}
	return 0, nil
}

// end leaves the discussion; a panel that cannot sum it up is done without.
func (p *play) end(ctx context.Context) error {
	for range 2 {
		if p.d.State == roundtable.StateClosed {
			return nil
		}
		if _, err := p.say(ctx, cue{by: people["Priya"], text: "done"}); err != nil {
			return err
		}
	}
	if p.d.State != roundtable.StateClosed {
		return fmt.Errorf("evaluate %q: the discussion does not end: it is in %s", p.topic.Title, p.d.State)
	}
	return nil
}

// give has the rules take in an input, and performs what they decide.
func (p *play) give(ctx context.Context, id string, e roundtable.Event) error {
	p.inputs++
	p.clock = p.clock.Add(time.Minute)
	r := roundtable.Step(p.d, roundtable.Input{ID: id, At: p.clock, Event: e})
	p.d, p.log = r.Discussion, append(p.log, r.Entries...)
	for _, effect := range r.Effects {
		if err := p.perform(ctx, effect); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) perform(ctx context.Context, e roundtable.Effect) error {
	key := e.EffectKey()
	switch e := e.(type) {
	case roundtable.Post:
		return p.give(ctx, key+"/posted", roundtable.Posted{Effect: key, TS: fmt.Sprintf("%d.%06d", p.clock.Unix(), p.inputs)})
	case roundtable.Frame:
		f, err := p.panel.Frame(ctx, p.subject())
		if err != nil {
			return p.failure(ctx, key, err)
		}
		return p.give(ctx, key+"/framed", roundtable.Framed{Effect: key, Framing: f})
	case roundtable.Discuss:
		return p.discuss(ctx, key)
	case roundtable.Synthesise:
		var draft *roundtable.Draft
		transcript := thread.ReadTranscript(p.log)
		if !e.Plain {
			var err error
			if draft, err = p.panel.Synthesise(ctx, p.subject(), transcript, e.Fault); err != nil {
				return p.failure(ctx, key, err)
			}
		}
		return p.give(ctx, key+"/drafted", roundtable.Drafted{Effect: key, Draft: draft, Transcript: transcript})
	case roundtable.WriteDocuments:
		return p.give(ctx, key+"/enriched", roundtable.DocumentsWritten{Effect: key})
	case roundtable.Tell, roundtable.React, roundtable.Open, roundtable.Report, roundtable.Analyse, roundtable.CheckDND, roundtable.Identify:
		// No panel has a part in these.
	}
	return nil
}

func (p *play) subject() roundtable.Subject {
	return roundtable.Subject{
		Discussion: p.d.ID, Topic: p.d.Topic, Context: p.d.Context, Item: p.d.Item, Step: p.d.Step, Lead: p.d.Lead, Cast: p.cast, Focus: p.d.Focus,
	}
}

// discuss plays a round.
func (p *play) discuss(ctx context.Context, key string) error {
	start, first := p.time(), true
	request := engine.RoundRequest{Subject: p.subject(), Transcript: thread.ReadTranscript(p.log), Round: *p.d.Round}
	ending, err := p.panel.Discuss(ctx, request, func(c roundtable.Contribution) error {
		if first && p.now != nil {
			p.latency = append(p.latency, p.time().Sub(start))
		}
		first = false
		return p.hear(ctx, key, c)
	})
	if err != nil {
		return p.failure(ctx, key, err)
	}
	return p.give(ctx, key+"/end", roundtable.RoundEnded{Effect: key, Ending: ending})
}

func (p *play) time() time.Time {
	if p.now == nil {
		return time.Time{}
	}
	return p.now()
}

// hear takes in a contribution and judges its voice.
func (p *play) hear(ctx context.Context, key string, c roundtable.Contribution) error {
	turns, before := thread.ReadTranscript(p.log).Turns, p.d.Turns
	if err := p.give(ctx, roundtable.ContributionID(p.d, c), roundtable.Contributed{Effect: key, Contribution: c}); err != nil {
		return err
	}
	at := slices.IndexFunc(p.cast, func(o persona.Persona) bool { return o.Key == c.Persona })
	if c.Drift != nil || p.d.Turns == before || at < 0 {
		return nil
	}
	u := Utterance{Topic: p.topic.Title, Round: p.round, Turn: p.d.Turns, Persona: c.Persona, Stance: c.Stance, Text: c.Text, probe: p.cue.probe}
	said := voice.After(turns, p.cast[at], p.cast, c.Text)
	said.Length = p.length
	for _, f := range voice.Check(p.cast[at], p.cast, said) {
		u.Faults, u.details = append(u.Faults, f.Rule), append(u.details, f.Detail)
	}
	p.said = append(p.said, u)
	return nil
}

// failure counts what a panel could not do; the rules say what follows. An end of
// the context ends the evaluation.
func (p *play) failure(ctx context.Context, key string, err error) error {
	refused, ok := errors.AsType[*engine.PanelError](err)
	if ctx.Err() != nil || !ok {
		return fmt.Errorf("evaluate %q: %w", p.topic.Title, err)
	}
	p.failed++
	return p.give(ctx, fmt.Sprintf("%s/failed%d", key, p.inputs), roundtable.Failed{Effect: key, Reason: refused.Reason, Spent: refused.Spent, Budget: refused.Budget})
}
