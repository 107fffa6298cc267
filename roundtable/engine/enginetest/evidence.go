package enginetest

import (
	"context"
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// evidence gathers what package invariant judges, of every discussion there is.
func (w *World) evidence(ctx context.Context) ([]invariant.Evidence, error) {
	listed, err := w.Store.List(ctx, team, channel, 100)
	if err != nil {
		return nil, err
	}
	refs := []engine.Ref{Ref()}
	for _, l := range listed {
		if l.Ref != Ref() && thread.KindOf(l.State) == "" {
			refs = append(refs, l.Ref)
		}
	}
	var all []invariant.Evidence
	for _, ref := range refs {
		e, err := w.evidenceOf(ctx, ref)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	for _, m := range w.Slack.Messages(channel) {
		all[0].Channel = append(all[0].Channel, m.At)
	}
	all[0].Pace, all[0].Logs = w.Permits, w.logs.String()
	for _, s := range w.sent {
		if said, ok := s.Input.Event.(roundtable.Said); ok && len(said.Text) > 8 {
			all[0].Canaries = append(all[0].Canaries, said.Text)
		}
	}
	all[0].Sent, all[0].Consumed = slices.Clone(w.sent), w.ledger.Consumed(Ref())
	return all, nil
}

func (w *World) evidenceOf(ctx context.Context, ref engine.Ref) (e invariant.Evidence, err error) {
	state, log, err := w.Store.Read(ctx, ref)
	if err != nil {
		return e, err
	}
	if e, err = invariant.Of(ref, state, log, w.Slack.Messages(channel)); err != nil {
		return e, err
	}
	if e.Unfound, err = w.unfound(ctx, ref, e.Entries); err != nil {
		return e, err
	}
	e.States, e.Writes = w.ledger.States(ref.ID), w.ledger.Writes()
	_, e.Overlaps = w.Slack.Posts()
	e.Refused = w.Slack.Refused()
	if e.Parked, err = w.Store.DeadLetters(ctx, 100); err != nil {
		return e, err
	}
	e.Recorded = true
	err = w.Store.ReadActs(ctx, engine.ActQuery{Channel: ref.Channel}, func(a engine.Act) error {
		if a.Thread == ref.ID {
			e.Acts = append(e.Acts, a)
		}
		return nil
	})
	return e, err
}

// unfound are the messages in a log by which the store does not find the discussion, if
// it is open.
func (w *World) unfound(ctx context.Context, ref engine.Ref, log []thread.Entry) (lost []string, err error) {
	for _, entry := range log {
		if entry.TS == "" || entry.Kind != thread.EntryPosted && entry.Person == nil {
			continue
		}
		s, err := w.Store.FindMessage(ctx, ref.Team, ref.Channel, entry.TS)
		if err != nil {
			return nil, err
		}
		if s.Known && s.Ref != ref || slices.Contains(s.Perhaps, ref) {
			lost = append(lost, entry.TS)
		}
	}
	return lost, nil
}
