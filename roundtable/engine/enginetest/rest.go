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
func (w *World) rest(ctx context.Context, quiet time.Duration) error {
	tick := w.Rest / 20
	if quiet > 0 {
		tick = quiet / 4
	}
	last, since := "", time.Now()
	for time.Since(since) < w.Rest {
		if quiet > 0 && time.Since(since) >= quiet && (w.prompts.Waits() || w.ledger.Idle()) {
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
