package engine

import (
	"context"
	"log/slog"

	"github.com/roundtable-chat/app/roundtable"
)

// showHeard puts an emoji on a message that came while the personas were at work:
// it is kept and will be taken up (SPEC §8). Best effort, a few at a time.
func (e *Engine) showHeard(d Delivery) {
	in, err := roundtable.DecodeInput(d.Mail.Body)
	if err != nil {
		return
	}
	said, ok := in.Event.(roundtable.Said)
	if !ok || !take(e.greeters) {
		return
	}
	place := roundtable.Place{Team: d.Ref.Team, Channel: d.Ref.Channel, Thread: d.Thread}
	started := e.background(func(ctx context.Context) {
		defer func() { <-e.greeters }()
		ctx, cancel := context.WithTimeoutCause(ctx, courtesyTime, errPostTime)
		defer cancel()
		if err := e.opt.Workplace.React(ctx, place, said.TS, heardEmoji); err != nil {
			e.log.LogAttrs(ctx, slog.LevelDebug, "heard_not_shown", slog.Any("error", err))
		}
	})
	if !started {
		<-e.greeters
	}
}

// heardEmoji shows that a message was kept.
const heardEmoji = "eyes"
