package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// performer does what the outbox holds, in order.
type performer struct {
	e      *Engine
	copy   *workingCopy
	poster *poster
}

// performAll empties the outbox in the middle of a question.
func (p *performer) performAll(ctx context.Context) error {
	for len(p.copy.outbox) > 0 {
		if p.copy.draining() {
			return p.copy.stop(ctx)
		}
		if err := p.copy.inTime(); err != nil {
			return err
		}
		if err := p.perform(ctx); err != nil {
			return err
		}
	}
	return nil
}

// perform does the effect at the head of the outbox.
func (p *performer) perform(ctx context.Context) error {
	if p.copy.attempted.IsZero() {
		doomed, err := p.copy.announce(ctx, p.copy.outbox[0].entry.Key)
		if doomed {
			err = p.copy.giveUp(ctx, p.copy.giveUpReason(p.copy.outbox[0].effect))
		}
		if doomed || err != nil {
			return err
		}
	}
	switch e := p.copy.outbox[0].effect.(type) {
	case roundtable.Effect:
		return p.performShared(ctx, e)
	case analysis.Effect:
		return p.performAnalysis(ctx, e)
	case forgetting.Effect:
		return p.performForgetting(ctx, e)
	default:
		return notPerformed(e)
	}
}

// performShared does an effect of a discussion, or one that other machines have, too.
func (p *performer) performShared(ctx context.Context, e roundtable.Effect) error {
	switch e := e.(type) {
	case roundtable.Post:
		return p.poster.post(ctx, e)
	case roundtable.Open:
		return p.openAnother(ctx, e)
	case roundtable.Report:
		return p.report(ctx, e)
	case roundtable.CheckDND:
		return p.knock(ctx, e)
	case roundtable.Identify:
		return p.identify(ctx, e)
	case roundtable.Analyse:
		return p.analyse(ctx, e)
	case roundtable.WriteDocuments:
		return p.writeInto(ctx, e)
	case roundtable.Tell:
		return p.courtesy(ctx, e, func(ctx context.Context) error {
			return p.e.opt.Workplace.Tell(ctx, p.copy.place(), e.User, e.Text)
		})
	case roundtable.React:
		return p.courtesy(ctx, e, func(ctx context.Context) error {
			return p.e.opt.Workplace.React(ctx, p.copy.place(), e.TS, e.Emoji)
		})
	case roundtable.Frame, roundtable.Discuss, roundtable.Synthesise:
		// Questions to the panel stand in the state.
	}
	return notPerformed(e)
}

// performAnalysis does an effect that only an analysis has.
func (p *performer) performAnalysis(ctx context.Context, e analysis.Effect) error {
	switch e := e.(type) {
	case analysis.Welcome:
		return p.welcome(ctx, e)
	case analysis.Write, analysis.Record:
		return p.writeInto(ctx, e)
	case analysis.Inspect, analysis.Inquire, analysis.Compose:
		// Questions stand in the state.
	case analysis.Post, analysis.Tell, analysis.Open, analysis.Identify:
		// The engine knows them as the discussion's (sharedEffect).
	}
	return notPerformed(e)
}

// performForgetting does an effect that only a forgetting has.
func (p *performer) performForgetting(ctx context.Context, e forgetting.Effect) error {
	switch e := e.(type) {
	case forgetting.Hide:
		return p.hide(ctx, e)
	case forgetting.Restore:
		return p.restore(ctx, e)
	case forgetting.Remove:
		return p.remove(ctx, e)
	case forgetting.Post, forgetting.Tell, forgetting.Identify:
		// The engine knows them as the discussion's (forgettingEffect).
	}
	return notPerformed(e)
}

// writeInto does an effect that changes the item.
func (p *performer) writeInto(ctx context.Context, e effect) error {
	if w, ok := p.copy.m.writing(e); ok {
		return p.write(ctx, e, w)
	}
	return notPerformed(e)
}

// notPerformed is the failure of an effect that the engine does not know.
func notPerformed(e effect) error {
	return fmt.Errorf("perform %s: %T is nothing to be performed", e.EffectKey(), e)
}

// courtesyTime bounds what may as well not happen.
const courtesyTime = 5 * time.Second

// courtesy performs an effect that may be lost: it is tried once, and its receipt
// goes along with the next commit.
func (p *performer) courtesy(ctx context.Context, e effect, do func(context.Context) error) error {
	start := time.Now()
	ctx, cancel := p.copy.bounded(ctx, start.Add(courtesyTime), errPostTime)
	defer cancel()
	err := do(ctx)
	p.copy.effectDone(ctx, e, outcomeOf(err), start, err)
	p.copy.pop()
	return nil
}

// knock asks whether a person may be disturbed. Where Slack does not say it, the person
// is reminded in their working hours.
func (p *performer) knock(ctx context.Context, e roundtable.CheckDND) error {
	start := time.Now()
	wire, cancel := p.copy.bounded(ctx, start.Add(courtesyTime), errPostTime)
	until, err := p.e.opt.Workplace.QuietUntil(wire, e.User)
	cancel()
	if err != nil {
		until = time.Time{}
	}
	p.copy.effectDone(ctx, e, outcomeOf(err), start, err)
	p.copy.pop()
	return p.copy.feed(ctx, input{id: e.Key + "/knocked", at: p.copy.now(), event: roundtable.DNDChecked{Effect: e.Key, Until: until}})
}

// identify asks who a person is. Where Slack does not say it, the rules have it asked
// again, and not before Slack allows.
func (p *performer) identify(ctx context.Context, e roundtable.Identify) error {
	start := time.Now()
	wire, cancel := p.copy.bounded(ctx, start.Add(courtesyTime), errPostTime)
	person, err := p.e.opt.Workplace.Identify(wire, e.User, e.Strictly)
	cancel()
	said := roundtable.Identified{Effect: e.Key, Person: person}
	if err != nil {
		said.Person = thread.Person{ID: e.User}.As(thread.StandingUnknown)
		if after := sendError(err).After; after > 0 {
			said.Until = p.copy.now().Add(after)
		}
	}
	p.copy.effectDone(ctx, e, outcomeOf(err), start, err)
	p.copy.pop()
	return p.copy.feed(ctx, input{id: e.Key + "/identified", at: p.copy.now(), event: said})
}

// openAnother opens a further discussion. Delivering it again is harmless.
func (p *performer) openAnother(ctx context.Context, e roundtable.Open) error {
	start := time.Now()
	body, err := roundtable.EncodeInput(roundtable.Input{ID: e.Key, At: p.copy.now(), Event: e.Opened})
	if err != nil {
		return err
	}
	place := e.Opened.Place
	r, err := p.e.Receive(ctx, Delivery{
		Ref:   Ref{Team: place.Team, Channel: place.Channel, ID: e.Opened.Discussion},
		Mail:  Mail{ID: e.Key, Body: body},
		Opens: true, Thread: place.Thread,
	})
	if err != nil {
		return err
	}
	p.copy.effectDone(ctx, e, string(r), start, nil)
	p.copy.pop()
	return nil
}

// Discussions and analyses tell each other how they go by putting inputs into each
// other's mailboxes, under the effect's key: an input arrives once however often it
// is sent (I2). What is told is committed before, because it must not be decided
// differently after a crash.

// report tells the analysis that a discussion was opened from how that goes. An
// analysis that is no more is not told.
func (p *performer) report(ctx context.Context, e roundtable.Report) error {
	body, err := analysis.EncodeInput(analysis.Input{ID: e.Key, At: e.At, Event: reported(p.copy.claim.Ref.ID, e)})
	if err != nil {
		return err
	}
	return p.inform(ctx, e, Delivery{Ref: p.beside(e.To), Mail: Mail{ID: e.Key, Body: body}})
}

// reported is a report as the analysis takes it in.
func reported(discussion string, e roundtable.Report) analysis.Event {
	if !e.Ended {
		return analysis.ElaborationOpened{Discussion: discussion, By: e.By, StepTitle: e.Step.Title, Thread: e.Thread}
	}
	return analysis.ElaborationEnded{
		Discussion: discussion, StepTitle: e.Step.Title, Thread: e.Thread, Refused: e.Refused, Conclusion: e.Conclusion,
	}
}

// analyse turns a discussion into the analysis of its item. One that is under way, or
// that was opened for this discussion before a crash, takes it in.
func (p *performer) analyse(ctx context.Context, e roundtable.Analyse) error {
	place, err := NewReader(p.e.opt.Store).FindAnalysis(ctx, ItemRef{Team: p.copy.claim.Ref.Team, Channel: p.copy.claim.Ref.Channel, Slug: e.Item}, p.copy.claim.Ref.ID)
	if err != nil {
		return err
	}
	body, err := analysis.EncodeInput(analysis.Input{ID: e.Key, At: p.copy.now(), Event: analysis.Opened{
		Analysis: place.Ref.ID, Place: thread.Place{Team: place.Ref.Team, Channel: place.Ref.Channel}, By: e.By,
		Item: e.Item, ItemTitle: e.ItemTitle, Cast: p.e.opt.Roster().Seats(),
		Settings: analysis.SettingsLike(e.Settings),
		Origin:   &analysis.Origin{Discussion: p.copy.claim.Ref.ID, Thread: e.Thread, Conclusion: e.Conclusion},
	}})
	if err != nil {
		return err
	}
	return p.inform(ctx, e, Delivery{Ref: place.Ref, Mail: Mail{ID: e.Key, Body: body}, Opens: true})
}

// welcome tells a discussion that was turned into an analysis where that stands.
func (p *performer) welcome(ctx context.Context, e analysis.Welcome) error {
	body, err := roundtable.EncodeInput(roundtable.Input{ID: e.Key, At: e.At, Event: roundtable.Analysed{Thread: e.Thread, UnderWay: e.UnderWay}})
	if err != nil {
		return err
	}
	return p.inform(ctx, e, Delivery{Ref: p.beside(e.Discussion), Mail: Mail{ID: e.Key, Body: body}})
}

// beside names a discussion or an analysis of the same channel.
func (p *performer) beside(id string) Ref {
	return Ref{Team: p.copy.claim.Ref.Team, Channel: p.copy.claim.Ref.Channel, ID: id}
}

// inform delivers what another discussion has to know. Where there is no room it waits;
// an analysis that is to be opened and has just ended is looked for anew.
func (p *performer) inform(ctx context.Context, e effect, d Delivery) error {
	if _, err := p.copy.flush(ctx, Commit{}); err != nil {
		return err
	}
	start := time.Now()
	r, err := p.e.Receive(ctx, d)
	if err != nil {
		return err
	}
	p.copy.effectDone(ctx, e, string(r), start, nil)
	if r == Full || r == Closed && d.Opens {
		return p.copy.wait(ctx, failedPause)
	}
	p.copy.pop()
	return nil
}
