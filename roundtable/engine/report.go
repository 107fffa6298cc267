package engine

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// Discussions and analyses tell each other how they go by putting inputs into each
// other's mailboxes, under the effect's key: an input arrives once however often it
// is sent (I2). What is told is committed before, because it must not be decided
// differently after a crash.

// report tells the analysis that a discussion was opened from how that goes. An
// analysis that is no more is not told.
func (t *turn) report(ctx context.Context, e roundtable.Report) error {
	body, err := analysis.EncodeInput(analysis.Input{ID: e.Key, At: e.At, Event: reported(t.h.Ref.ID, e)})
	if err != nil {
		return err
	}
	return t.inform(ctx, e, Delivery{Ref: t.beside(e.To), Mail: Mail{ID: e.Key, Body: body}})
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
func (t *turn) analyse(ctx context.Context, e roundtable.Analyse) error {
	place, err := FindAnalysis(ctx, t.e.opt.Store, ItemRef{Team: t.h.Ref.Team, Channel: t.h.Ref.Channel, Slug: e.Item}, t.h.Ref.ID)
	if err != nil {
		return err
	}
	s := e.Settings
	body, err := analysis.EncodeInput(analysis.Input{ID: e.Key, At: t.now(), Event: analysis.Opened{
		Analysis: place.Ref.ID, Place: roundtable.Place{Team: place.Ref.Team, Channel: place.Ref.Channel}, By: e.By,
		Item: e.Item, ItemTitle: e.ItemTitle, Cast: t.e.opt.Roster().Seats(),
		Settings: analysis.Settings{Gather: s.Gather, Silence: s.Silence, Elaboration: s, Notice: s.Notice},
		Origin:   &analysis.Origin{Discussion: t.h.Ref.ID, Thread: e.Thread, Conclusion: e.Conclusion},
	}})
	if err != nil {
		return err
	}
	return t.inform(ctx, e, Delivery{Ref: place.Ref, Mail: Mail{ID: e.Key, Body: body}, Opens: true})
}

// welcome tells a discussion that was turned into an analysis where that stands.
func (t *turn) welcome(ctx context.Context, e analysis.Welcome) error {
	body, err := roundtable.EncodeInput(roundtable.Input{ID: e.Key, At: e.At, Event: roundtable.Analysed{Thread: e.Thread, UnderWay: e.UnderWay}})
	if err != nil {
		return err
	}
	return t.inform(ctx, e, Delivery{Ref: t.beside(e.Discussion), Mail: Mail{ID: e.Key, Body: body}})
}

// beside names a discussion or an analysis of the same channel.
func (t *turn) beside(id string) Ref {
	return Ref{Team: t.h.Ref.Team, Channel: t.h.Ref.Channel, ID: id}
}

// inform delivers what another has to know. Where there is no room it waits; whoever
// is to be opened and has just ended is looked for anew.
func (t *turn) inform(ctx context.Context, e effect, d Delivery) error {
	if _, err := t.flush(ctx, Commit{}); err != nil {
		return err
	}
	start := time.Now()
	r, err := t.e.Receive(ctx, d)
	if err != nil {
		return err
	}
	t.effectDone(ctx, e, string(r), start, nil)
	if r == Full || r == Closed && d.Opens {
		return t.wait(ctx, failedPause)
	}
	t.pop()
	return nil
}
