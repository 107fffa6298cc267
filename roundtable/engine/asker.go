package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Panel thinks up what the personas say.
type Panel interface {
	Frame(ctx context.Context, s roundtable.Subject) (roundtable.Framing, error)
	// Discuss emits contributions as they complete, in the order of speaking.
	// What was emitted before an error stands.
	Discuss(ctx context.Context, r RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error)
	// Synthesise proposes a synthesis; fault names what was wrong with the
	// last proposal, or is empty.
	Synthesise(ctx context.Context, s roundtable.Subject, t thread.Transcript, fault string) (*roundtable.Draft, error)
	// Notice is a sentence that names the engine where people should know
	// that no model speaks, or empty.
	Notice() string
}

// RoundRequest is one round to be thought up.
type RoundRequest struct {
	Subject    roundtable.Subject
	Transcript thread.Transcript
	Round      roundtable.Round
}

// Inquirer thinks up what a lead asks in an analysis, and what is written down of
// the answers. One without an idea asks the briefing's next prompt.
type Inquirer interface {
	// Inquire takes up the answers so far and asks on; Asked.Effect is the engine's.
	Inquire(ctx context.Context, q Inquiry) (analysis.Asked, error)
	// Compose drafts what goes into the artifacts; nil if nothing usable came.
	Compose(ctx context.Context, q Inquiry) (*analysis.Draft, error)
}

// Inquiry is what an inquirer is told.
type Inquiry struct {
	Analysis   string
	Briefing   analysis.Briefing
	Transcript thread.Transcript
	Roster     persona.Roster
	// Documents are the item's artifacts as they stand, by name.
	Documents []Document
	// Fault names what was wrong with the last draft, or is empty.
	Fault string
}

// PanelError is a failure of a panel with its kind.
type PanelError struct {
	Reason thread.Reason
	// After is when a retry makes sense, zero if unknown.
	After time.Duration
	// Spent is what the discussion has cost up to here, in total; Budget the one
	// that is used up, for ReasonOverBudget.
	Spent  thread.Spend
	Budget *thread.Budget
	Err    error
}

func (e *PanelError) Error() string { return fmt.Sprintf("panel: %s: %v", e.Reason, e.Err) }

func (e *PanelError) Unwrap() error { return e.Err }

// asker puts the open question of a discussion to the panel and takes in what comes back.
type asker struct {
	e         *Engine
	copy      *workingCopy
	sign      *sign
	intake    *intake
	performer *performer
}

// answer is what comes back to a question: a part, such as a contribution, or the
// event that ends it.
type answer struct {
	part *input // id and event
	end  event
	err  error // why end is a Failed
}

// openQuestion is a question that the panel is at work on.
type openQuestion struct {
	asked   effect
	start   time.Time
	answers <-chan answer
	// receipts rings when receipts were kept back for long enough.
	receipts *time.Timer
	// hush has the panel stop.
	hush func()
}

// receiptGrace is how long the receipt of a contribution may wait for the next
// contribution, whose commit it would share.
const receiptGrace = 300 * time.Millisecond

// askPause is when a question is put again that found too many others.
const askPause = 5 * time.Second

// ask puts the open question to the panel and takes in the answers as they come:
// a contribution stands in Slack while its successor is still being thought up.
// People do not see the question, so what led to it need not be committed first; if
// the replica dies, the next holder decides the same and asks again. While the panel is at
// work the slot is free for others: a panel that hangs holds up its own discussion
// only. Questions beyond Options.Asks are put later.
func (a *asker) ask(ctx context.Context, asked effect) error {
	if !take(a.e.panelSem) {
		a.e.metrics.putOff.Inc()
		return a.copy.yield(ctx, Commit{}, jitter(askPause))
	}
	defer func() { <-a.e.panelSem }()
	if doomed, err := a.prepare(ctx, asked); err != nil || doomed {
		return err
	}
	start := time.Now()
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(errMovedOn)
	answers, err := a.put(asking, asked)
	if err != nil {
		return err
	}
	a.sign.show(asked)
	defer a.sign.clear()
	q := &openQuestion{
		asked: asked, start: start, answers: answers,
		receipts: time.NewTimer(receiptGrace), hush: func() { cancel(errDraining) },
	}
	defer q.receipts.Stop()
	return a.listen(ctx, q)
}

// prepare commits what must stand before the question is put, and announces it where
// holders have ended before. A question that ended too many of them is doomed: the rules
// are told that the panel does not answer.
func (a *asker) prepare(ctx context.Context, asked effect) (doomed bool, err error) {
	if a.copy.owes() || a.copy.careful {
		if err := a.copy.commitAlone(ctx); err != nil {
			return false, err
		}
	}
	doomed, err = a.copy.announce(ctx, asked.EffectKey())
	if err == nil && doomed {
		err = a.copy.feed(ctx, a.copy.failure(asked.EffectKey(), thread.ReasonModelUnavailable))
	}
	return doomed, err
}

// put starts the panel on a question. The panel runs on its own until it is
// done or ctx ends, and says everything on the channel it is given.
func (a *asker) put(ctx context.Context, asked effect) (<-chan answer, error) {
	put, err := a.copy.m.question(a.copy, asked)
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
	a.e.wg.Go(func() {
		limited, cancel := context.WithTimeoutCause(ctx, a.e.opt.PanelTimeout, errAskTime)
		defer cancel()
		end, err := panel(limited)
		if err != nil {
			end = panelFailed(key, err)
		}
		_ = say(answer{end: end, err: err}) // the asker does not listen once ctx has ended
	})
	return answers, nil
}

// panelFailed says what kind of failure kept the panel from answering.
func panelFailed(key string, err error) roundtable.Failed {
	if p, ok := errors.AsType[*PanelError](err); ok {
		return roundtable.Failed{Effect: key, Reason: p.Reason, Spent: p.Spent, Budget: p.Budget}
	}
	return roundtable.Failed{Effect: key, Reason: thread.ReasonModelUnavailable}
}

// listen takes in answers until the question is answered, or is no longer open.
func (a *asker) listen(ctx context.Context, q *openQuestion) error {
	for {
		got, err := a.await(ctx, q)
		if err == nil {
			err = a.takeUp(ctx, q, got)
		}
		switch {
		case err != nil:
			return err
		case !a.isOpen(q.asked):
			a.copy.effectDone(ctx, q.asked, "moved_on", q.start, nil)
			return nil
		case got.end != nil:
			return a.conclude(ctx, q, got)
		}
	}
}

// await waits for the panel, leaving its slot to others, and sees to whatever else
// comes first: mail, the lease, receipts that were kept long enough, the order to
// stop, which also calls hush.
func (a *asker) await(ctx context.Context, q *openQuestion) (got answer, err error) {
	renewal := time.NewTimer(time.Until(a.copy.renewAt))
	defer renewal.Stop()
	var see func(context.Context) error
	due, still := a.dueSoon()
	defer still()
	a.copy.leaveSlot()
	a.copy.local.thinking.Store(true)
	defer a.copy.local.thinking.Store(false)
	select {
	case got = <-q.answers:
	case <-q.receipts.C:
		see = a.keep
	case <-due:
		see = a.stir
	case <-renewal.C:
		see = a.copy.renew
	case <-a.copy.local.ring:
		see = a.copy.renew // which brings the mail
	case <-a.copy.run.draining:
		q.hush()
		see = a.copy.stop
	case <-ctx.Done():
		return got, context.Cause(ctx)
	}
	if err := a.copy.takeSlot(ctx); err != nil || see == nil {
		return got, err
	}
	return got, see(ctx)
}

// takeUp takes in what came: first the mail, because a person who leaves need not wait
// for the round to end, then the panel's contribution.
func (a *asker) takeUp(ctx context.Context, q *openQuestion, got answer) error {
	if a.copy.m.isDraft(got.end) {
		// Nothing that was said before the synthesis may be missing in it (NFR-003).
		if err := a.copy.renew(ctx); err != nil {
			return err
		}
	}
	if err := a.hear(ctx); err != nil {
		return err
	}
	unsigned := a.sign.taken() // by a notice
	if got.part != nil && a.isOpen(q.asked) {
		if err := a.contribute(ctx, *got.part); err != nil {
			return err
		}
		q.receipts.Reset(receiptGrace)
		unsigned = true
	}
	if unsigned && got.end == nil && len(q.answers) == 0 && a.isOpen(q.asked) { // else no persona is waited for
		a.sign.show(q.asked)
	}
	return nil
}

// conclude tells the rules how the question ended.
func (a *asker) conclude(ctx context.Context, q *openQuestion, got answer) error {
	if a.copy.m.isDraft(got.end) {
		got.end = a.copy.m.withTranscript(got.end, thread.ReadTranscript(a.copy.history.entries))
	}
	a.copy.effectDone(ctx, q.asked, askOutcome(got.end), q.start, got.err)
	return a.copy.feed(ctx, input{id: q.asked.EffectKey() + "/" + eventName(got.end), at: a.copy.now(), event: got.end})
}

// dueSoon rings when time moves the discussion while the panel is at work, and never where
// it does not. still ends the ringing.
func (a *asker) dueSoon() (due <-chan time.Time, still func()) {
	at := a.copy.at.wakeAt
	if at.IsZero() || at.Equal(a.copy.woken) {
		return nil, func() {}
	}
	timer := time.NewTimer(at.Sub(a.copy.now()) + clockGrain)
	return timer.C, func() { timer.Stop() }
}

// stir lets time pass in the middle of a question: what a person did and Slack can judge
// by now need not wait for the round to end.
func (a *asker) stir(ctx context.Context) error {
	if err := a.copy.renew(ctx); err != nil {
		return err
	}
	if err := a.intake.wake(ctx); err != nil {
		return err
	}
	return a.performer.performAll(ctx)
}

// hearAtMost is how much mail may be heard during a question before it is
// committed: it counts against the mailbox's limit until then.
const hearAtMost = 32

// hear takes in what people wrote while the panel is at work: a person who leaves need
// not wait for the round to end.
func (a *asker) hear(ctx context.Context) error {
	if len(a.copy.mail) == 0 {
		return nil
	}
	if err := a.intake.takeIn(ctx); err != nil {
		return err
	}
	if len(a.copy.change.consumed) >= hearAtMost {
		if _, err := a.copy.flush(ctx, Commit{}); err != nil {
			return err
		}
	}
	return a.performer.performAll(ctx)
}

// contribute takes in a contribution and posts it, in the middle of the round.
func (a *asker) contribute(ctx context.Context, part input) error {
	part.at = a.copy.now()
	if err := a.copy.feed(ctx, part); err != nil {
		return err
	}
	return a.performer.performAll(ctx)
}

// isOpen reports whether a question is still the one that is open.
func (a *asker) isOpen(asked effect) bool {
	now := a.copy.m.asking()
	return now != nil && now.EffectKey() == asked.EffectKey()
}

// keep commits receipts that no next contribution came to take along.
func (a *asker) keep(ctx context.Context) error {
	if !a.copy.owes() {
		return nil
	}
	_, err := a.copy.flush(ctx, Commit{})
	return err
}

// askOutcome names how a question ended.
func askOutcome(e event) string {
	if f, ok := e.(roundtable.Failed); ok {
		return string(f.Reason)
	}
	return outcomeDone
}
