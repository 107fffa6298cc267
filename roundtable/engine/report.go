package engine

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// report tells the analysis that a discussion was opened from how that goes. It goes
// into the analysis' mailbox under the report's key, so that it arrives once however
// often it is sent (I2), and only once what it reports is committed: what an analysis
// was told must not be decided differently after a crash. An analysis that is no more
// is not told.
func (t *turn) report(ctx context.Context, e roundtable.Report) error {
	if _, err := t.flush(ctx, Commit{}); err != nil {
		return err
	}
	start := time.Now()
	body, err := analysis.EncodeInput(analysis.Input{ID: e.Key, At: e.At, Event: reported(t.h.Ref.ID, e)})
	if err != nil {
		return err
	}
	r, err := t.e.Receive(ctx, Delivery{
		Ref:  Ref{Team: t.h.Ref.Team, Channel: t.h.Ref.Channel, ID: e.To},
		Mail: Mail{ID: e.Key, Body: body},
	})
	if err != nil {
		return err
	}
	t.effectDone(ctx, e, string(r), start, nil)
	if r == Full {
		return t.wait(ctx, failedPause)
	}
	t.pop()
	return nil
}

// reported is a report as the analysis takes it in.
func reported(discussion string, e roundtable.Report) analysis.Event {
	if !e.Ended {
		return analysis.ElaborationOpened{Discussion: discussion, By: e.By, StepTitle: e.Step.Title, Thread: e.Thread}
	}
	return analysis.ElaborationEnded{
		Discussion: discussion, StepTitle: e.Step.Title, Thread: e.Thread, Refused: e.Refused,
		Turns: e.Turns, Summary: e.Summary, Decisions: e.Decisions, Untold: e.Untold, Unwritten: e.Unwritten,
	}
}
