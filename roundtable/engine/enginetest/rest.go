package enginetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// sleep lets time pass, and has another replica take the place of one that
// crashes meanwhile.
func (w *World) sleep(ctx context.Context, d time.Duration) error {
	for end := time.Now().Add(d); d > 0 && time.Now().Before(end); {
		if err := w.revive(); err != nil {
			return err
		}
		if err := pass(ctx, min(w.Rest/10, time.Until(end))); err != nil {
			return err
		}
	}
	return nil
}

// rest waits until nothing has changed for a while: for as long as w.Rest, or, if
// quiet is not zero, only that long where it is plain that nothing is under way.
// Somebody who still holds a discussion may be waiting to try again: that is given
// more time.
func (w *World) rest(ctx context.Context, quiet time.Duration) error {
	tick := w.Rest / 20
	if quiet > 0 {
		tick = quiet / 4
	}
	last, since := "", time.Now()
	for {
		resting := w.prompts.Waits() || w.ledger.Idle()
		if still := time.Since(since); still >= 6*w.Rest || resting && still >= w.Rest {
			break
		}
		if quiet > 0 && resting && time.Since(since) >= quiet {
			break
		}
		if err := w.sleep(ctx, tick); err != nil {
			return err
		}
		now, err := w.print(ctx)
		if err != nil {
			return err
		}
		if now != last {
			last, since = now, time.Now()
		}
	}
	w.prompts.Turn()
	return nil
}

// print is a fingerprint of everything that can change.
func (w *World) print(ctx context.Context) (string, error) {
	state, log, err := w.Store.Read(ctx, Ref())
	if err != nil && !errors.Is(err, engine.ErrNotFound) {
		return "", err
	}
	posts, _ := w.Slack.Posts()
	return fmt.Sprint(len(log), posts, w.Panel.Asked(), len(w.Slack.Messages(channel)), string(state), w.ledger.Changes()), nil
}
