package engine

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Reasons for which work is cut short; causes of cancelled contexts.
var (
	errDraining = errors.New("the engine is stopping")
	errDrained  = errors.New("the time for stopping is over")
	errLate     = errors.New("the right to act for the discussion has run out")
	errPostTime = errors.New("Slack took too long")
	errAskTime  = errors.New("the panel took too long")
	errMovedOn  = errors.New("the discussion moved on")
)

// Run finds discussions that need somebody and drives them, until ctx ends. Then
// it claims nothing more, lets effects under way end within Options.Drain, gives
// back what it holds and returns nil. It may be called once.
func (e *Engine) Run(ctx context.Context) error {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	r := &run{ctx: work, draining: make(chan struct{})}
	e.mu.Lock()
	if e.run != nil {
		e.mu.Unlock()
		return errors.New("run engine: it runs already")
	}
	e.run = r
	e.wg.Go(func() { e.recoverWhenMissed(ctx) })
	e.mu.Unlock()

	e.poll(ctx)

	e.mu.Lock()
	e.run = nil
	e.mu.Unlock()
	close(r.draining)
	hurry := time.AfterFunc(e.opt.Drain, func() { stop(errDrained) })
	defer hurry.Stop()
	e.wg.Wait()
	return nil
}

// poll asks for due discussions until ctx ends: at once again while there are
// more than it could take, and less often while the store fails. A store that
// failed may come back without its newest writes.
func (e *Engine) poll(ctx context.Context) {
	failing := false
	for {
		pause := e.opt.Poll
		e.logs.tidy()
		more, err := e.pollOnce(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			e.log.LogAttrs(ctx, slog.LevelWarn, "poll_failed", slog.Any("error", err))
			pause = max(pause, time.Second)
			failing = true
		case failing:
			failing = false
			e.Missed()
		case more && e.line.len() == 0 && !e.busy():
			continue
		case more:
			pause = busyPause
		}
		timer := time.NewTimer(jitter(pause))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// busyPause is how soon to look again when there was more to do than there are hands.
// Looking costs the store nothing while the line is long.
const busyPause = 10 * time.Millisecond

// jitter keeps replicas from asking in step: d ± 20 %.
func jitter(d time.Duration) time.Duration {
	return d*4/5 + rand.N(d*2/5+1)
}

// pollOnce puts what is due in line, what waits longest first. more is true when more
// may be waiting and looking again makes sense. What the store could list is served
// also when it could not list all.
func (e *Engine) pollOnce(ctx context.Context) (more bool, err error) {
	if e.line.len() > cap(e.slots)/2 {
		return true, nil
	}
	// What is left to a newer version may stand in front of everything else.
	limit := cap(e.slots) + e.newer.count()
	due, err := e.opt.Store.Due(ctx, limit)
	joined := 0
	for _, ref := range due {
		if !e.holds(ref) && !e.newer.avoids(ref) && e.line.join(ref) {
			joined++
		}
	}
	e.serve()
	return len(due) == limit && (joined > 0 || e.busy()), err
}

// claim takes a due discussion and drives it. It owns a slot.
func (e *Engine) claim(r *run, me *holder, ref Ref) {
	known := knownLog{entries: e.logs.take(ref)}
	sent := time.Now()
	h, err := e.opt.Store.Claim(r.ctx, ref, Claimant{Owner: e.opt.Owner, LogFrom: known.length()})
	if h == nil {
		e.giveBackLog(ref, known)
	}
	switch {
	case err != nil:
		e.log.LogAttrs(r.ctx, slog.LevelWarn, "claim_failed", slog.String("discussion", ref.ID), slog.Any("error", err))
		e.handFree()
	case h == nil: // somebody was faster
		e.handFree()
	default:
		e.drive(r, me, h, known, sent)
	}
}

// giveBack lets go of a holding that nothing was done with.
func (e *Engine) giveBack(ctx context.Context, h *Holding) {
	if _, err := e.opt.Store.Commit(ctx, h, Commit{Release: true, Yield: true}); err != nil {
		e.log.LogAttrs(ctx, slog.LevelInfo, "give_back_failed", slog.String("discussion", h.Ref.ID), slog.Any("error", err))
	}
}
