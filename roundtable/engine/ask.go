package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// answer is what the panel says: a contribution, or the event that ends the
// question.
type answer struct {
	contribution *roundtable.Contribution
	end          roundtable.Event
	err          error // why end is a Failed
}

// receiptGrace is how long the receipt of a contribution may wait for the next
// contribution, whose commit it would share.
const receiptGrace = 300 * time.Millisecond

// ask puts the open question to the panel and takes in the answers as they come:
// a contribution stands in Slack while its successor is still being thought up.
// Asking is visible to nobody, so what led to it need not be committed first; if
// we die, whoever comes next decides the same and asks again. While the panel is at
// work the slot is free for others: a panel that hangs holds up its own discussion
// only. Questions beyond Options.Asks are put later.
func (t *turn) ask(ctx context.Context, effect roundtable.Effect) error {
	if !take(t.e.askers) {
		t.e.metrics.putOff.Inc()
		return t.yield(ctx, Commit{}, jitter(askPause))
	}
	defer func() { <-t.e.askers }()
	if t.owes() || t.careful {
		if err := t.commitAlone(ctx); err != nil {
			return err
		}
	}
	if doomed, err := t.announce(ctx, effect.EffectKey()); err != nil || doomed {
		if doomed {
			err = t.feed(ctx, t.failure(effect.EffectKey(), roundtable.ReasonModelUnavailable))
		}
		return err
	}
	start := time.Now()
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(errMovedOn)
	answers, err := t.question(asking, effect)
	if err != nil {
		return err
	}
	t.think(effect)
	defer t.thinkNothing()
	grace := time.NewTimer(receiptGrace)
	defer grace.Stop()
	for {
		a, err := t.await(ctx, answers, grace.C, func() { cancel(errDraining) })
		drafted, isDraft := a.end.(roundtable.Drafted)
		if err == nil && isDraft {
			err = t.renew(ctx) // nothing said before the synthesis may miss it (NFR-003)
		}
		if err == nil {
			err = t.hear(ctx)
		}
		if err == nil && a.contribution != nil && t.asks(effect) {
			err = t.contribute(ctx, effect, *a.contribution)
			grace.Reset(receiptGrace)
			t.think(effect)
		}
		switch {
		case err != nil:
			return err
		case !t.asks(effect):
			t.effectDone(ctx, effect, "moved_on", start, nil)
			return nil
		case a.end != nil:
			if isDraft {
				drafted.Transcript = roundtable.ReadTranscript(t.entries)
				a.end = drafted
			}
			t.effectDone(ctx, effect, askOutcome(a.end), start, a.err)
			return t.feed(ctx, roundtable.Input{ID: effect.EffectKey() + "/" + eventName(a.end), At: t.now(), Event: a.end})
		}
	}
}

// await waits for the panel, leaving its slot to others, and sees to whatever else
// comes first: mail, the lease, receipts that were kept long enough, the order to
// stop, which also calls hush.
func (t *turn) await(ctx context.Context, answers <-chan answer, grace <-chan time.Time, hush func()) (a answer, err error) {
	lease := time.NewTimer(time.Until(t.renewAt))
	defer lease.Stop()
	var see func(context.Context) error
	t.leaveSlot()
	select {
	case a = <-answers:
	case <-grace:
		see = t.keep
	case <-lease.C:
		see = t.renew
	case <-t.nudge.ring:
		see = t.renew // which brings the mail
	case <-t.run.draining:
		hush()
		see = t.stop
	case <-ctx.Done():
		return a, context.Cause(ctx)
	}
	if err := t.takeSlot(ctx); err != nil || see == nil {
		return a, err
	}
	return a, see(ctx)
}

// askPause is when a question is put again that found too many others.
const askPause = 5 * time.Second

// hearAtMost is how much mail may be heard during a question before it is
// committed: it counts against the mailbox's limit until then.
const hearAtMost = 32

// contribute takes in a contribution and posts it, in the middle of the round.
func (t *turn) contribute(ctx context.Context, effect roundtable.Effect, c roundtable.Contribution) error {
	err := t.feed(ctx, roundtable.Input{
		ID: roundtable.ContributionID(t.d, c), At: t.now(),
		Event: roundtable.Contributed{Effect: effect.EffectKey(), Contribution: c},
	})
	if err == nil {
		err = t.performAll(ctx)
	}
	return err
}

// hear takes in what people wrote while the panel is at work: whoever leaves need
// not wait for the round to end.
func (t *turn) hear(ctx context.Context) error {
	if len(t.mail) == 0 {
		return nil
	}
	if err := t.takeIn(ctx); err != nil {
		return err
	}
	if len(t.change.consumed) >= hearAtMost {
		if _, err := t.flush(ctx, Commit{}); err != nil {
			return err
		}
	}
	return t.performAll(ctx)
}

// performAll empties the outbox in the middle of a question.
func (t *turn) performAll(ctx context.Context) error {
	for len(t.outbox) > 0 {
		if t.draining() {
			return t.stop(ctx)
		}
		if err := t.inTime(); err != nil {
			return err
		}
		if err := t.perform(ctx); err != nil {
			return err
		}
	}
	return nil
}

// asks reports whether a question is still the one that is open.
func (t *turn) asks(effect roundtable.Effect) bool {
	now := roundtable.Asking(t.d)
	return now != nil && now.EffectKey() == effect.EffectKey()
}

// keep commits receipts that no next contribution came to take along.
func (t *turn) keep(ctx context.Context) error {
	if !t.owes() {
		return nil
	}
	_, err := t.flush(ctx, Commit{})
	return err
}

// askOutcome names how a question ended.
func askOutcome(e roundtable.Event) string {
	if f, ok := e.(roundtable.Failed); ok {
		return string(f.Reason)
	}
	return outcomeDone
}

// question starts the panel on a question. The panel runs on its own until it is
// done or ctx ends, and says everything on the channel it is given.
func (t *turn) question(ctx context.Context, effect roundtable.Effect) (<-chan answer, error) {
	put, err := t.putter(effect)
	if err != nil {
		return nil, err
	}
	// One round's contributions fit in, so that the panel is not held up while
	// they are being posted.
	answers := make(chan answer, 16)
	say := func(a answer) error {
		select {
		case answers <- a:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	key := effect.EffectKey()
	panel := func(ctx context.Context) (end roundtable.Event, err error) {
		defer func() {
			if v := recover(); v != nil {
				end, err = nil, fmt.Errorf("the panel panicked (%T)", v)
			}
		}()
		return put(ctx, func(c roundtable.Contribution) error { return say(answer{contribution: &c}) })
	}
	t.e.wg.Go(func() {
		limited, cancel := context.WithTimeoutCause(ctx, t.e.opt.PanelTimeout, errAskTime)
		defer cancel()
		end, err := panel(limited)
		if err != nil {
			end = panelFailed(key, err)
		}
		_ = say(answer{end: end, err: err}) // nobody listens once ctx has ended
	})
	return answers, nil
}

// putter is how a question is put to the panel: it returns the event that ends it.
type putter func(ctx context.Context, emit func(roundtable.Contribution) error) (roundtable.Event, error)

// putter collects what the panel is told, now, so that the panel's goroutine
// touches nothing of the turn.
func (t *turn) putter(effect roundtable.Effect) (putter, error) {
	panel, key, subject := t.e.opt.Panel, effect.EffectKey(), t.subject()
	transcript := roundtable.ReadTranscript(t.entries)
	switch e := effect.(type) {
	case roundtable.Frame:
		return func(ctx context.Context, _ func(roundtable.Contribution) error) (roundtable.Event, error) {
			f, err := panel.Frame(ctx, subject)
			return roundtable.Framed{Effect: key, Framing: f}, err
		}, nil
	case roundtable.Discuss:
		request := RoundRequest{Subject: subject, Transcript: transcript}
		if t.d.Round != nil {
			request.Round = *t.d.Round
		}
		return func(ctx context.Context, emit func(roundtable.Contribution) error) (roundtable.Event, error) {
			ending, err := panel.Discuss(ctx, request, emit)
			return roundtable.RoundEnded{Effect: key, Ending: ending}, err
		}, nil
	case roundtable.Synthesise:
		return func(ctx context.Context, _ func(roundtable.Contribution) error) (roundtable.Event, error) {
			if e.Plain {
				return roundtable.Drafted{Effect: key, Transcript: transcript}, nil
			}
			draft, err := panel.Synthesise(ctx, subject, transcript, e.Fault)
			return roundtable.Drafted{Effect: key, Draft: draft, Transcript: transcript}, err
		}, nil
	case roundtable.Post, roundtable.Enrich, roundtable.Tell, roundtable.React, roundtable.Open:
		return nil, fmt.Errorf("ask %s: %T is no question to the panel", key, effect)
	default:
		return nil, fmt.Errorf("ask %s: unknown effect %T", key, effect)
	}
}

// panelFailed says what kind of failure kept the panel from answering.
func panelFailed(key string, err error) roundtable.Failed {
	if p, ok := errors.AsType[*PanelError](err); ok {
		return roundtable.Failed{Effect: key, Reason: p.Reason, Spent: p.Spent, Budget: p.Budget}
	}
	return roundtable.Failed{Effect: key, Reason: roundtable.ReasonModelUnavailable}
}

// subject is what the panel is told besides the transcript: the discussion's own
// seats with the voices that the roster has for them now.
func (t *turn) subject() roundtable.Subject {
	roster := t.e.opt.Roster()
	s := roundtable.Subject{
		Discussion: t.d.ID, Topic: t.d.Topic, Context: t.d.Context, Item: t.d.Item, Step: t.d.Step,
		Lead: t.d.Lead, Focus: t.d.Focus, Cast: make([]roundtable.Persona, 0, len(t.d.Cast)),
	}
	for _, seat := range t.d.Cast {
		p, ok := roster.Persona(seat.Key)
		if !ok {
			t.log.LogAttrs(t.run.ctx, slog.LevelWarn, "persona_unknown", slog.String("persona", string(seat.Key)))
		}
		p.Seat = seat
		s.Cast = append(s.Cast, p)
	}
	return s
}
