package engine

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// discussionMatter is a discussion as the engine drives it.
type discussionMatter struct {
	e *Engine
	d roundtable.Discussion
}

func (m *discussionMatter) status() status {
	d := &m.d
	return status{
		state: string(d.State), closed: d.State == roundtable.StateClosed, over: d.Over, place: d.Place, opened: d.Opened,
		ended: d.Closed, wakeAt: d.WakeAt, gather: d.Settings.Gather, turns: d.Turns, item: d.Item, opener: d.Opener.ID,
	}
}

func (m *discussionMatter) step(in input) decision {
	e, _ := in.event.(roundtable.Event)
	r := m.e.opt.rules(m.d, roundtable.Input{ID: in.id, At: in.at, Event: e, Excess: in.excess, Overtaken: in.overtaken})
	m.d = r.Discussion
	var effects []effect
	for _, x := range r.Effects {
		switch x.(type) {
		case roundtable.Frame, roundtable.Discuss, roundtable.Synthesise:
			// Questions to the panel stand in the state (roundtable.Asking).
		case roundtable.Post, roundtable.WriteDocuments, roundtable.Tell, roundtable.React, roundtable.Open, roundtable.Report, roundtable.Analyse, roundtable.CheckDND, roundtable.Identify:
			effects = append(effects, x)
		}
	}
	return decision{effects, r.Entries, r.Acts}
}

func (m *discussionMatter) asking() effect {
	if asked := roundtable.Asking(m.d); asked != nil {
		return asked
	}
	return nil
}

func (m *discussionMatter) question(w *workingCopy, asked effect) (putter, error) {
	panel, key, subject := m.e.opt.Panel, asked.EffectKey(), m.subject(w.run.ctx, w.log)
	transcript := thread.ReadTranscript(w.history.entries)
	ref, d, log := ItemRef{Team: w.claim.Ref.Team, Channel: w.claim.Ref.Channel, Slug: m.d.Item}, m.d, w.log
	switch e := asked.(type) {
	case roundtable.Frame:
		return func(ctx context.Context, _ func(input) error) (event, error) {
			subject.Written = m.e.written(ctx, ref, &d, log)
			f, err := panel.Frame(ctx, subject)
			return roundtable.Framed{Effect: key, Framing: f}, err
		}, nil
	case roundtable.Discuss:
		request := RoundRequest{Subject: subject, Transcript: transcript}
		if m.d.Round != nil {
			request.Round = *m.d.Round
		}
		return func(ctx context.Context, emit func(input) error) (event, error) {
			request.Subject.Written = m.e.written(ctx, ref, &d, log)
			ending, err := panel.Discuss(ctx, request, func(c roundtable.Contribution) error {
				return emit(input{id: roundtable.ContributionID(d, c), event: roundtable.Contributed{Effect: key, Contribution: c}})
			})
			return roundtable.RoundEnded{Effect: key, Ending: ending}, err
		}, nil
	case roundtable.Synthesise:
		return func(ctx context.Context, _ func(input) error) (event, error) {
			if e.Plain {
				return roundtable.Drafted{Effect: key, Transcript: transcript}, nil
			}
			subject.Written = m.e.written(ctx, ref, &d, log)
			draft, err := panel.Synthesise(ctx, subject, transcript, e.Fault)
			return roundtable.Drafted{Effect: key, Draft: draft, Transcript: transcript}, err
		}, nil
	default:
		return nil, fmt.Errorf("ask %s: %T is no question to the panel", key, asked)
	}
}

// subject is what the panel is told besides the transcript: the discussion's own
// seats with the voices that the roster has for them now.
func (m *discussionMatter) subject(ctx context.Context, log *slog.Logger) roundtable.Subject {
	roster, d := m.e.opt.Roster(), &m.d
	s := roundtable.Subject{
		Discussion: d.ID, Topic: d.Topic, Context: d.Context, Item: d.Item, Step: d.Step,
		Lead: d.Lead, Focus: d.Focus, Choice: d.Choice, Decided: d.Decided, Cast: make([]persona.Persona, 0, len(d.Cast)),
	}
	for _, seat := range d.Cast {
		p, ok := roster.Persona(seat.Key)
		if !ok {
			log.LogAttrs(ctx, slog.LevelWarn, "persona_unknown", slog.String("persona", string(seat.Key)))
		}
		p.Seat = seat
		s.Cast = append(s.Cast, p)
	}
	return s
}

// awaited are the seats whose words the panel still owes.
func (m *discussionMatter) awaited(asked effect) []persona.Seat {
	var keys []persona.Key
	if _, ok := asked.(roundtable.Discuss); ok && m.d.Round != nil {
		for _, c := range m.d.Round.Calls {
			if !slices.Contains(m.d.Round.Said, c.Persona) {
				keys = append(keys, c.Persona)
			}
		}
	} else {
		keys = append(keys, m.d.Lead)
	}
	var seats []persona.Seat
	for _, k := range keys {
		for _, s := range m.d.Cast {
			if s.Key == k {
				seats = append(seats, s)
			}
		}
	}
	return seats
}

func (m *discussionMatter) isDraft(answer event) bool {
	_, ok := answer.(roundtable.Drafted)
	return ok
}

func (m *discussionMatter) withTranscript(draft event, t thread.Transcript) event {
	d, ok := draft.(roundtable.Drafted)
	if !ok {
		return draft
	}
	d.Transcript = t
	return d
}

// writing is what a discussion concluded on its way into the item. It is remembered
// under the discussion's id: there is one conclusion.
func (m *discussionMatter) writing(e effect) (writing, bool) {
	enrich, ok := e.(roundtable.WriteDocuments)
	if !ok {
		return writing{}, false
	}
	return writing{
		once: m.d.ID,
		merge: func(item Item, proceed func() error) (ItemWrite, []thread.ArtifactChange, error) {
			enrich.Markdown = thread.LinkMessages(enrich.Markdown, m.e.permalinks(m.d.Place))
			return merge(item, enrich, m.d, m.e.opt.Catalogue().Keys(), proceed)
		},
		receipt: func(changes []thread.ArtifactChange) event {
			return roundtable.DocumentsWritten{Effect: enrich.Key, Changes: changes}
		},
	}, true
}

func (m *discussionMatter) root() thread.Message { return roundtable.Root(m.d) }

func (m *discussionMatter) upkeep() *thread.Upkeep { return &m.d.Upkeep }

func (m *discussionMatter) decode(state []byte) error {
	m.d = roundtable.Discussion{}
	if state == nil {
		return nil
	}
	d, err := roundtable.Decode(state)
	if err == nil {
		m.d = roundtable.Seated(d, m.e.opt.Roster())
	}
	return err
}

func (m *discussionMatter) encode() ([]byte, error) { return roundtable.Encode(m.d) }

func (m *discussionMatter) decodeInput(b []byte) (input, error) {
	in, err := roundtable.DecodeInput(b)
	return input{id: in.ID, at: in.At, event: in.Event}, err
}

func (m *discussionMatter) decodeEffect(b []byte) (effect, error) { return roundtable.DecodeEffect(b) }

func (m *discussionMatter) encodeEffect(e effect) ([]byte, error) {
	x, ok := e.(roundtable.Effect)
	if !ok {
		return nil, fmt.Errorf("encode effect %s: %T is none of a discussion's", e.EffectKey(), e)
	}
	return roundtable.EncodeEffect(x)
}
