package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// analysisMatter is the analysis of an item as the engine drives it.
type analysisMatter struct {
	e *Engine
	a analysis.Analysis
}

type analysisOpened = analysis.Opened

func (m *analysisMatter) status() status {
	a := &m.a
	return status{
		state: string(a.State), closed: a.State == analysis.StateClosed, over: a.Over, place: a.Place, opened: a.Opened,
		ended: a.Closed, wakeAt: a.WakeAt, gather: a.Settings.Gather, turns: a.Turns, item: a.Item, opener: a.Opener.ID,
	}
}

func (m *analysisMatter) step(in input) decision {
	r := analysis.Step(m.a, analysis.Input{ID: in.id, At: in.at, Event: analysisEvent(in.event), Excess: in.excess, Overtaken: in.overtaken})
	m.a = r.Analysis
	var effects []effect
	for _, x := range r.Effects {
		switch x := x.(type) {
		case analysis.Inspect, analysis.Inquire, analysis.Compose:
			// Questions stand in the state (analysis.Asking).
		case analysis.Post, analysis.Tell, analysis.Open, analysis.Write, analysis.Record, analysis.Welcome, analysis.Identify:
			effects = append(effects, sharedEffect(x))
		}
	}
	return decision{effects, r.Entries, r.Acts}
}

// analysisEvent is an event as an analysis knows it.
func analysisEvent(e event) analysis.Event {
	if own, ok := e.(analysis.Event); ok {
		return own
	}
	shared, _ := e.(roundtable.Event)
	switch e := shared.(type) {
	case roundtable.TimerFired:
		return analysis.TimerFired(e)
	case roundtable.Posted:
		return analysis.Posted(e)
	case roundtable.Failed:
		return analysis.Failed(e)
	case roundtable.Parked:
		return analysis.Parked(e)
	case roundtable.Identified:
		return analysis.Identified(e)
	case roundtable.Opened, roundtable.Said, roundtable.Edited, roundtable.Deleted, roundtable.Reacted, roundtable.Pressed, roundtable.Framed,
		roundtable.Contributed, roundtable.RoundEnded, roundtable.Drafted, roundtable.DNDChecked, roundtable.Analysed, roundtable.DocumentsWritten:
	}
	panic(fmt.Sprintf("%T is no event of an analysis", e))
}

// sharedEffect is an effect as the engine performs it: the discussion's, if a
// discussion has it, too.
func sharedEffect(e analysis.Effect) effect {
	switch e := e.(type) {
	case analysis.Post:
		return roundtable.Post(e)
	case analysis.Tell:
		return roundtable.Tell(e)
	case analysis.Open:
		return roundtable.Open(e)
	case analysis.Identify:
		return roundtable.Identify(e)
	case analysis.Inspect, analysis.Inquire, analysis.Compose, analysis.Write, analysis.Record, analysis.Welcome:
		return e
	}
	return e
}

func (m *analysisMatter) asking() effect {
	if asked := analysis.Asking(m.a); asked != nil {
		return asked
	}
	return nil
}

func (m *analysisMatter) question(w *workingCopy, asked effect) (putter, error) {
	key, log := asked.EffectKey(), w.log
	ref := ItemRef{Team: w.claim.Ref.Team, Channel: w.claim.Ref.Channel, Slug: m.a.Item}
	switch e := asked.(type) {
	case analysis.Inspect:
		return func(ctx context.Context, _ func(input) error) (event, error) {
			s, err := m.e.surveyInTime(ctx, ref, log)
			return analysis.Surveyed{Effect: key, Survey: s}, err
		}, nil
	case analysis.Inquire:
		request, err := m.inquiry(w)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context, _ func(input) error) (event, error) {
			if m.e.opt.Inquirer == nil {
				b := request.Briefing
				return analysis.Asked{Effect: key, Question: b.NextText, Prompt: b.Next, Enough: b.Next == 0}, nil
			}
			request.Documents = m.e.documents(ctx, ref, log)
			asked, err := m.e.opt.Inquirer.Inquire(ctx, request)
			asked.Effect = key
			return asked, err
		}, nil
	case analysis.Compose:
		request, err := m.inquiry(w)
		if err != nil {
			return nil, err
		}
		request.Fault = e.Fault
		return func(ctx context.Context, _ func(input) error) (event, error) {
			answer := analysis.Drafted{Effect: key, Transcript: request.Transcript}
			if e.Plain || m.e.opt.Inquirer == nil {
				return answer, nil
			}
			request.Documents = m.e.documents(ctx, ref, log)
			draft, err := m.e.opt.Inquirer.Compose(ctx, request)
			answer.Draft = draft
			return answer, err
		}, nil
	default:
		return nil, fmt.Errorf("ask %s: %T is no question", key, asked)
	}
}

// inquiry is what an inquirer is told.
func (m *analysisMatter) inquiry(w *workingCopy) (Inquiry, error) {
	b, ok := analysis.BriefingOf(m.a)
	if !ok {
		return Inquiry{}, fmt.Errorf("brief on analysis %s: no step is gone through", m.a.ID)
	}
	return Inquiry{Analysis: m.a.ID, Briefing: b, Transcript: thread.ReadTranscript(w.history.entries), Roster: m.e.opt.Roster()}, nil
}

// surveyInTime reads how an item stands, again and again while the store fails.
func (e *Engine) surveyInTime(ctx context.Context, ref ItemRef, log *slog.Logger) (analysis.Survey, error) {
	for {
		s, err := e.survey(ctx, ref, log)
		if _, final := errors.AsType[*PanelError](err); err == nil || final {
			return s, err
		}
		log.LogAttrs(ctx, slog.LevelWarn, "item_not_read", slog.Any("error", err))
		if !e.breathe(ctx, failedPause) {
			return s, err
		}
	}
}

// survey reads how an item stands.
func (e *Engine) survey(ctx context.Context, ref ItemRef, log *slog.Logger) (analysis.Survey, error) {
	item, err := e.opt.Items.ReadItem(ctx, ref)
	switch {
	case errors.Is(err, ErrBarred):
		return analysis.Survey{}, &PanelError{Reason: thread.ReasonArtifactRefused, Err: err}
	case err != nil && !errors.Is(err, ErrNotFound):
		return analysis.Survey{}, ref.Discreet(fmt.Errorf("read item %s: %w", ref.Slug, err))
	}
	catalogue := e.opt.Catalogue()
	meta, err := metaOf(item, document.Item{Slug: ref.Slug}, catalogue.Keys())
	if err != nil {
		return analysis.Survey{}, &PanelError{Reason: thread.ReasonArtifactRefused, Err: err}
	}
	s := analysis.Look(catalogue, e.opt.Roster(), meta, string(item.Files[analysis.QuickScanFile]))
	for _, w := range s.Warnings {
		log.LogAttrs(ctx, slog.LevelWarn, "analysis_warning", slog.String("warning", w))
	}
	return s, nil
}

func (m *analysisMatter) awaited(asked effect) []persona.Seat {
	if _, ok := asked.(analysis.Inspect); ok || m.a.Step == nil {
		return nil // looking something up is nobody's thought
	}
	for _, s := range m.a.Cast {
		if s.Key == m.a.Step.Lead {
			return []persona.Seat{s}
		}
	}
	return nil
}

func (m *analysisMatter) isDraft(answer event) bool {
	_, ok := answer.(analysis.Drafted)
	return ok
}

func (m *analysisMatter) withTranscript(draft event, t thread.Transcript) event {
	d, ok := draft.(analysis.Drafted)
	if !ok {
		return draft
	}
	d.Transcript = t
	return d
}

// writing is what a step leaves in the item. It is remembered under the effect's
// key: an analysis writes many times.
func (m *analysisMatter) writing(e effect) (writing, bool) {
	switch e := e.(type) {
	case analysis.Write:
		return writing{
			once: e.Key,
			merge: func(item Item, proceed func() error) (ItemWrite, []thread.ArtifactChange, error) {
				return fillItem(item, linked(e, m.e.permalinks(m.a.Place)), proceed)
			},
			receipt: func(c []thread.ArtifactChange) event { return analysis.Written{Effect: e.Key, Changes: c} },
		}, true
	case analysis.Record:
		fresh := document.Item{Slug: m.a.Item, CreatedAt: isoTime(m.a.Opened)}
		return writing{
			once: e.Key,
			merge: func(item Item, _ func() error) (ItemWrite, []thread.ArtifactChange, error) {
				return recordStep(item, e, fresh, m.e.opt.Catalogue().Keys())
			},
			receipt: func([]thread.ArtifactChange) event { return analysis.Recorded{Effect: e.Key} },
		}, true
	default:
		return writing{}, false
	}
}

func (m *analysisMatter) root() thread.Message { return analysis.Root(m.a) }

func (m *analysisMatter) upkeep() *thread.Upkeep { return &m.a.Upkeep }

func (m *analysisMatter) decode(state []byte) error {
	m.a = analysis.Analysis{}
	if state == nil {
		return nil
	}
	a, err := analysis.Decode(state)
	if err == nil {
		m.a = analysis.Seated(a, m.e.opt.Roster())
	}
	return err
}

func (m *analysisMatter) encode() ([]byte, error) { return analysis.Encode(m.a) }

func (m *analysisMatter) decodeInput(b []byte) (input, error) {
	in, err := analysis.DecodeInput(b)
	return input{id: in.ID, at: in.At, event: in.Event}, err
}

func (m *analysisMatter) decodeEffect(b []byte) (effect, error) {
	e, err := analysis.DecodeEffect(b)
	if err != nil {
		return nil, err
	}
	return sharedEffect(e), nil
}

func (m *analysisMatter) encodeEffect(e effect) ([]byte, error) {
	if x, ok := e.(analysis.Effect); ok {
		return analysis.EncodeEffect(x)
	}
	if x, ok := e.(roundtable.Effect); ok {
		return roundtable.EncodeEffect(x) // the same form there
	}
	return nil, fmt.Errorf("encode effect %s: %T is unknown", e.EffectKey(), e)
}
