package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// worker works off one claim of a discussion: what waits is taken in, what follows is
// performed, until there is nothing to do and the discussion is given back. It is the
// loop; its parts do the work on one working copy.
type worker struct {
	e         *Engine
	copy      *workingCopy
	sign      *sign
	intake    *intake
	poster    *poster
	performer *performer
	asker     *asker
	verifier  *verifier
}

// errOver says that the discussion was given back; it ends the worker's loop.
var errOver = errors.New("the discussion was given back")

// newWorker returns a worker for a claim.
func (e *Engine) newWorker(r *run, local *localClaim, claim *Claim) *worker {
	l := &lease{
		e: e, run: r, local: local, claim: claim, slot: true,
		log:     e.log.With(slog.String("discussion", claim.Ref.ID), slog.String("channel", claim.Ref.Channel)),
		careful: claim.Crashes >= 2 || claim.Tried != "" || e.refused.count(claim.Ref) > 0,
	}
	c := &workingCopy{lease: l, attempted: claim.Attempted, attempts: claim.Attempts, unverified: claim.Rewound}
	l.arrived = c.sortMail
	w := &worker{e: e, copy: c, sign: &sign{e: e, copy: c}, intake: &intake{e: e, copy: c}}
	w.poster = &poster{e: e, copy: c, sign: w.sign}
	w.performer = &performer{e: e, copy: c, poster: w.poster}
	w.asker = &asker{e: e, copy: c, sign: w.sign, intake: w.intake, performer: w.performer}
	w.verifier = &verifier{e: e, copy: c, poster: w.poster}
	return w
}

// drive works off a claim. It owns a slot. sent is when the request that brought the
// claim left.
func (e *Engine) drive(r *run, local *localClaim, claim *Claim, known knownLog, sent time.Time) {
	e.metrics.held.Inc()
	defer e.metrics.held.Dec()
	w := e.newWorker(r, local, claim)
	w.copy.stamp(sent)
	ctx := r.ctx
	err := w.copy.load(ctx, w.copy.handedOver(ctx, known))
	if err == nil {
		err = w.work(ctx)
	}
	w.end(ctx, err)
	e.logs.put(claim.Ref, keptLog{w.copy.history.committed, w.copy.history.rev})
	if w.copy.slot {
		e.releaseSlot()
	}
}

// work is the loop: take in, perform, ask, release.
func (w *worker) work(ctx context.Context) error {
	judged := false
	for {
		if w.copy.draining() {
			return w.copy.stop(ctx)
		}
		if w.copy.unverified && w.copy.at.place.Thread != "" {
			// What the store forgot comes before what is new.
			if err := w.verifier.verify(ctx); err != nil {
				return err
			}
			continue
		}
		if !judged && w.e.refused.count(w.copy.claim.Ref) >= refusalLimit {
			if err := w.intake.putAside(ctx); err != nil {
				return err
			}
		}
		judged = true
		if err := w.intake.takeIn(ctx); err != nil {
			return err
		}
		if err := w.goOn(ctx); err != nil {
			return err
		}
	}
}

// goOn does the next thing there is to do.
func (w *worker) goOn(ctx context.Context) error {
	if err := w.copy.inTime(); err != nil {
		return err
	}
	asked := w.copy.m.asking()
	if w.copy.unverified && (len(w.copy.outbox) > 0 || asked != nil) {
		return w.verifier.verify(ctx)
	}
	switch {
	case len(w.copy.outbox) > 0:
		return w.performer.perform(ctx)
	case asked != nil:
		return w.asker.ask(ctx, asked)
	default:
		return w.release(ctx)
	}
}

// end lets go of the discussion however the work on it ended. A worker leaves a claim
// that it lost alone, silently: the next holder goes on.
func (w *worker) end(ctx context.Context, err error) {
	how := "released"
	level := slog.LevelDebug
	switch {
	case errors.Is(err, errOver):
		w.e.refused.clear(w.copy.claim.Ref)
	case errors.Is(err, ErrFenced), errors.Is(err, errLate):
		how, level = "lost", slog.LevelInfo
	case errors.Is(err, thread.ErrNewer):
		pause, first := w.e.skew.refuse(w.copy.claim)
		how, level = "newer", slog.LevelInfo
		if first {
			level = slog.LevelWarn
		}
		w.copy.letGo(ctx, pause)
	case ctx.Err() != nil:
		how, level = "stopped", slog.LevelInfo
	case errors.Is(err, ErrTooLarge):
		how, level = "too_large", slog.LevelError
		w.e.refused.add(w.copy.claim.Ref)
		w.copy.letGo(ctx, failedPause)
	case err != nil:
		how, level = "failed", slog.LevelError
		pause := failedPause
		if _, ok := errors.AsType[*stepPanic](err); ok {
			pause = brokenPause
		}
		w.copy.letGo(ctx, pause)
	}
	w.sign.end(how == "released")
	w.e.metrics.turns.WithLabelValues(how).Inc()
	if errors.Is(err, errOver) {
		err = nil
	}
	w.copy.log.LogAttrs(ctx, level, "holding_ended", slog.String("end", how), slog.Any("error", err))
}

// release is what remains when there is nothing to perform: wait in memory for what
// is due soon, or bring the introduction up to date and give the discussion back
// together with the last receipt.
func (w *worker) release(ctx context.Context) error {
	wake := w.copy.at.wakeAt
	if !wake.IsZero() && wake.Equal(w.copy.woken) {
		// Waking changed nothing: the rules and the clock disagree.
		wake = w.copy.now().Add(brokenPause)
	}
	if !wake.IsZero() && wake.Sub(w.copy.now()) <= w.e.opt.Linger {
		if leave, ok := w.copy.reserveMemory(); ok {
			defer leave()
			return w.keepClaim(ctx, wake)
		}
	}
	wake = earliest(wake, w.poster.showRoot(ctx))
	switch due := w.poster.auditAt(); {
	case due.IsZero():
	case due.After(w.copy.now()):
		wake = earliest(wake, due)
	case w.copy.gathered():
		// What was decided stands before Slack is read, which may take as long as the lease.
		_, err := w.copy.flush(ctx, Commit{})
		return err
	default:
		wake = earliest(wake, w.poster.audit(ctx))
	}
	if err := w.copy.inTime(); err != nil {
		return err
	}
	c := Commit{Mode: ModeRelease, Wake: wake}
	if w.copy.at.over {
		c = Commit{Mode: ModeClose, Retention: w.e.opt.Retention}
	}
	r, err := w.copy.flush(ctx, c)
	return w.endIfReleased(r, err)
}

// endIfReleased ends the worker if the store took the discussion back. The store did not if
// mail came: then the worker goes on.
func (w *worker) endIfReleased(r Committed, err error) error {
	switch {
	case err != nil:
		return err
	case r.Released:
		return errOver
	case len(w.copy.mail) == 0:
		return fmt.Errorf("release discussion %s: the store refused, and no mail waits", w.copy.claim.Ref.ID)
	default:
		return nil
	}
}

// keepClaim waits in memory until wake or until mail rings, and then looks for mail.
// People who write in bursts thus cost no claim each. What is owed to the world
// is not kept waiting.
func (w *worker) keepClaim(ctx context.Context, wake time.Time) error {
	if w.copy.owes() {
		if _, err := w.copy.flush(ctx, Commit{}); err != nil {
			return err
		}
		if len(w.copy.mail) > 0 {
			return nil
		}
	}
	if err := w.copy.pause(ctx, wake.Sub(w.copy.now())+clockGrain, w.copy.local.ring); err != nil {
		return err
	}
	if w.copy.draining() {
		return nil
	}
	return w.copy.renew(ctx)
}

// memoryBudget is how many bytes the discussions that wait in memory may hold: room for
// four thousand short ones, more than a busy replica gathers for at once.
func memoryBudget(o Options) int64 { return 2 * int64(o.LogBytes) }

// waiterWeight is about what a discussion that waits in memory takes besides its log and
// its stored state, in bytes.
const waiterWeight = 8 << 10

// reserveMemory makes room for the discussion to wait in memory, if there is: its worker
// keeps state, log and lease, and no slot.
func (w *workingCopy) reserveMemory() (leave func(), ok bool) {
	weight := int64(waiterWeight + weigh(w.history.entries) + len(w.state))
	if !w.e.waiting.TryAcquire(weight) {
		return nil, false
	}
	return func() { w.e.waiting.Release(weight) }, true
}

// wait lets time pass before the outbox can go on: in memory if that is short,
// else the discussion is given back until then. Where too many wait already, as many
// discussions of one channel do for its pace, they come back one by one and not all
// at the same moment, in front of all others.
func (w *workingCopy) wait(ctx context.Context, d time.Duration) error {
	if d > w.e.opt.Linger {
		return w.yield(ctx, Commit{}, d)
	}
	leave, ok := w.reserveMemory()
	if !ok {
		return w.yield(ctx, Commit{}, d+rand.N(crowdSpread))
	}
	defer leave()
	return w.pause(ctx, d, nil)
}

// crowdSpread is over how long discussions come back that found no room to wait in memory.
const crowdSpread = 5 * time.Second

// yield commits what was gathered, gives the discussion back though mail may
// wait, and ends the worker.
func (w *workingCopy) yield(ctx context.Context, c Commit, pause time.Duration) error {
	c.Mode, c.Wake = ModeYield, w.now().Add(pause)
	_, err := w.flush(ctx, c)
	if err == nil {
		return errOver
	}
	return err
}

// stop gives the discussion back at once. Before a rewound
// store was verified nothing is committed, or the next holder would trust it.
func (w *workingCopy) stop(ctx context.Context) error {
	if w.unverified {
		w.letGo(ctx, 0)
		return errOver
	}
	return w.yield(ctx, Commit{}, 0)
}
