package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// answer is what comes back to a question: a part, such as a contribution, or the
// event that ends it.
type answer struct {
	part *input // id and event
	end  event
	err  error // why end is a Failed
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
func (t *turn) ask(ctx context.Context, asked effect) error {
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
	if doomed, err := t.announce(ctx, asked.EffectKey()); err != nil || doomed {
		if doomed {
			err = t.feed(ctx, t.failure(asked.EffectKey(), roundtable.ReasonModelUnavailable))
		}
		return err
	}
	start := time.Now()
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(errMovedOn)
	answers, err := t.question(asking, asked)
	if err != nil {
		return err
	}
	t.think(asked)
	defer t.thinkNothing()
	grace := time.NewTimer(receiptGrace)
	defer grace.Stop()
	for {
		a, err := t.await(ctx, answers, grace.C, func() { cancel(errDraining) })
		isDraft := t.m.isDraft(a.end)
		if err == nil && isDraft {
			err = t.renew(ctx) // nothing said before the synthesis may miss it (NFR-003)
		}
		if err == nil {
			err = t.hear(ctx)
		}
		unsigned := t.signTaken() // by a notice
		if err == nil && a.part != nil && t.asks(asked) {
			err = t.contribute(ctx, *a.part)
			grace.Reset(receiptGrace)
			unsigned = true
		}
		if err == nil && unsigned && a.end == nil && len(answers) == 0 && t.asks(asked) { // else nobody is waited for
			t.think(asked)
		}
		switch {
		case err != nil:
			return err
		case !t.asks(asked):
			t.effectDone(ctx, asked, "moved_on", start, nil)
			return nil
		case a.end != nil:
			if isDraft {
				a.end = t.m.withTranscript(a.end, roundtable.ReadTranscript(t.entries))
			}
			t.effectDone(ctx, asked, askOutcome(a.end), start, a.err)
			return t.feed(ctx, input{id: asked.EffectKey() + "/" + eventName(a.end), at: t.now(), event: a.end})
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
	t.holder.thinking.Store(true)
	defer t.holder.thinking.Store(false)
	select {
	case a = <-answers:
	case <-grace:
		see = t.keep
	case <-lease.C:
		see = t.renew
	case <-t.holder.ring:
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
func (t *turn) contribute(ctx context.Context, part input) error {
	part.at = t.now()
	if err := t.feed(ctx, part); err != nil {
		return err
	}
	return t.performAll(ctx)
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
func (t *turn) asks(asked effect) bool {
	now := t.m.asking()
	return now != nil && now.EffectKey() == asked.EffectKey()
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
func askOutcome(e event) string {
	if f, ok := e.(roundtable.Failed); ok {
		return string(f.Reason)
	}
	return outcomeDone
}

// question starts the panel on a question. The panel runs on its own until it is
// done or ctx ends, and says everything on the channel it is given.
func (t *turn) question(ctx context.Context, asked effect) (<-chan answer, error) {
	put, err := t.m.question(t, asked)
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
	key := asked.EffectKey()
	panel := func(ctx context.Context) (end event, err error) {
		defer func() {
			if v := recover(); v != nil {
				end, err = nil, fmt.Errorf("the panel panicked (%T)", v)
			}
		}()
		return put(ctx, func(part input) error { return say(answer{part: &part}) })
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

// panelFailed says what kind of failure kept the panel from answering.
func panelFailed(key string, err error) roundtable.Failed {
	if p, ok := errors.AsType[*PanelError](err); ok {
		return roundtable.Failed{Effect: key, Reason: p.Reason, Spent: p.Spent, Budget: p.Budget}
	}
	return roundtable.Failed{Effect: key, Reason: roundtable.ReasonModelUnavailable}
}
