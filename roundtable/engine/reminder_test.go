package engine_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Somebody who wants not to be disturbed is reminded after that, once, and not in the
// night (FR-107, I9); what Slack does not say keeps nobody from being reminded.
func TestReminderKeepsQuiet(t *testing.T) {
	refused := &engine.SendError{Outcome: engine.Refused, Reason: thread.ReasonNoPermission, Err: errCut}
	// A bubble begins on a Saturday at midnight UTC: the first reminder is due on
	// Monday at nine.
	monday := time.Date(2000, 1, 3, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		name  string
		quiet time.Time
		err   error
		want  time.Time
	}{
		{"at any time", time.Time{}, nil, monday},
		{"for two hours", monday.Add(2 * time.Hour), nil, monday.Add(2 * time.Hour)},
		{"until the evening", monday.Add(9 * time.Hour), nil, monday.Add(24 * time.Hour)},
		{"nobody knows", time.Time{}, refused, monday},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t)
				r.options.Poll = 5 * time.Second
				r.options.Panel = asking{r.panel}
				r.slack.Quiet = func(string) (time.Time, error) {
					if time.Now().Before(test.quiet) {
						return test.quiet, test.err
					}
					return time.Time{}, test.err
				}
				r.start()
				defer r.stop()
				r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40, Nudge: time.Hour}, time.Now()))
				r.pass(time.Minute)
				utc := 0
				r.deliver(roundtable.Input{ID: "m:1.0", At: time.Now(), Event: roundtable.Said{TS: "1.0", By: thread.Person{ID: "U1", Name: "Priya"}, Text: "And refunds?", Zone: &utc}})
				r.pass(6 * 24 * time.Hour)
				var reminded []time.Time
				for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
					if strings.Contains(m.Message.Text, "waits for your answer") && m.Message.Mention == "U1" {
						reminded = append(reminded, m.At)
					}
				}
				if len(reminded) != 1 || reminded[0].Before(test.want) || reminded[0].After(test.want.Add(time.Minute)) {
					t.Errorf("reminded at %v, want once at %v", reminded, test.want)
				}
			})
		})
	}
}

// asking is a panel that asks back whenever somebody is answered.
type asking struct{ *enginetest.Panel }

func (a asking) Discuss(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	return a.Panel.Discuss(ctx, r, func(c roundtable.Contribution) error {
		if len(r.Round.Answers) > 0 {
			c.Stance, c.ReplyTo = thread.StanceQuestion, r.Round.Answers[0]
		}
		return emit(c)
	})
}
