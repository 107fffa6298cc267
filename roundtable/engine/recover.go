package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// Bounds of recovery.
const (
	// recoverLimit is how many discussions are read, those that were active last
	// first.
	recoverLimit = 1000
	// recoverLook is how many are looked at for them: what ended and still answers
	// stands among them.
	recoverLook = 4 * recoverLimit
	// recoverTries is how often reading one thread is tried before it is put off.
	recoverTries = 4
)

// Permits are what replicas share out among themselves, so that together they keep to
// Slack's limits and do once what one of them has to do.
type Permits interface {
	// MayRead takes a permit to read threads of a workspace back from Slack, after
	// which the next is given only when every has passed. With wait > 0 it was not
	// given, and asking makes sense after that time.
	MayRead(ctx context.Context, team string, every time.Duration) (wait time.Duration, err error)
	// First reports whether no replica has asked about this before: what is to be done
	// once, by the replica that comes first, is then the caller's to do. The store
	// remembers it for 30 days.
	First(ctx context.Context, what string) (bool, error)
}

// Missed says that events of Slack may have been lost for good: no connection
// stood for a while, at the latest before the first one did. Run then reads the
// threads of open discussions for what never came. It returns at once.
func (e *Engine) Missed() {
	select {
	case e.missed <- struct{}{}:
	default: // it is to be done anyway
	}
}

// recoverWhenMissed recovers whenever it was said that something may be missing, and
// what had to be put off.
func (e *Engine) recoverWhenMissed(ctx context.Context) {
	again := time.NewTicker(rereadEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
			e.recoverLater(ctx)
			continue
		case <-e.missed:
		}
		err := e.Recover(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		e.log.LogAttrs(ctx, slog.LevelWarn, "recovery_failed", slog.Any("error", err))
		if !e.breathe(ctx, failedPause) {
			return
		}
		e.Missed()
	}
}

// breathe waits; false if ctx ended first.
func (e *Engine) breathe(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Recover reads the threads of open discussions, one after the other at the pace of
// Options.RecoverEvery, which all replicas share, and receives what people wrote there and the mailbox never
// saw (I1). A thread that cannot be read now is read later. Replicas may do so at the same time: what is known already is refused
// as a duplicate. Deletions and reactions that were missed have no identity left in
// the thread and are not recovered.
func (e *Engine) Recover(ctx context.Context) error {
	listed, err := e.opt.Store.ListOpen(ctx, recoverLook)
	if err != nil {
		return fmt.Errorf("recover missed input: %w", err)
	}
	type thread struct {
		View
		tries int
	}
	var threads []thread
	for _, l := range listed {
		if len(threads) == recoverLimit {
			break
		}
		v := viewOf(l.Ref, l.State)
		if v.Err != nil || v.Closed || v.Place.Thread == "" {
			continue // its own holder says what is wrong with it, or it takes no words
		}
		threads = append(threads, thread{View: View{Ref: v.Ref, Place: v.Place, Opened: v.Opened}}) // the rest is not held for as long as reading takes
	}
	found := 0
	for i := 0; i < len(threads); i++ {
		th := threads[i]
		n, err := e.recoverThread(ctx, th.View)
		found += n
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			e.log.LogAttrs(ctx, slog.LevelWarn, "thread_not_recovered", slog.String("discussion", th.Ref.ID), slog.Any("error", err))
			th.tries++
			switch {
			case sendError(err).Outcome == Refused:
			case th.tries < recoverTries:
				threads = append(threads, th)
			default:
				e.rereads.note(th.Ref)
			}
			if i+1 < len(threads) && !e.breathe(ctx, max(e.opt.RecoverEvery, sendError(err).After)) {
				return context.Cause(ctx)
			}
		}
	}
	e.log.LogAttrs(ctx, slog.LevelInfo, "recovered", slog.Int("threads", len(threads)), slog.Int("inputs", found))
	return nil
}

// recoverThread receives what one thread holds and its mailbox never saw.
func (e *Engine) recoverThread(ctx context.Context, v View) (found int, err error) {
	for {
		wait, err := e.opt.Store.MayRead(ctx, v.Ref.Team, e.opt.RecoverEvery)
		if err != nil {
			return 0, err
		}
		if wait <= 0 {
			break
		}
		if !e.breathe(ctx, wait) {
			return 0, context.Cause(ctx)
		}
	}
	wire, cancel := context.WithTimeoutCause(ctx, e.opt.PostTimeout, errPostTime)
	defer cancel()
	heard, err := e.opt.Workplace.Read(wire, v.Place, v.Opened)
	if err != nil {
		return 0, fmt.Errorf("read the thread of %s again: %w", v.Ref.ID, err)
	}
	for _, h := range heard {
		delivery, err := deliveryOf(v.Ref, h)
		if err != nil {
			return found, err
		}
		switch r, err := e.Receive(ctx, delivery); {
		case err != nil:
			return found, err
		case r == Stored:
			found++
			e.metrics.recovered.Inc()
		case r == Full:
			return found, errors.New("the mailbox is full")
		}
	}
	return found, nil
}

// deliveryOf is what was heard on its way into a mailbox.
func deliveryOf(ref Ref, h Heard) (Delivery, error) {
	body, err := roundtable.EncodeInput(h.Input)
	if err != nil {
		return Delivery{}, err
	}
	return Delivery{Ref: ref, Mail: Mail{ID: h.Input.ID, Body: body}, Also: h.Also}, nil
}

// rereadQueue remembers the discussions whose thread may hold what their mailbox
// does not: the mailbox took no more, or the thread could not be read when something
// was missed. Slack delivers what was refused a few times and then gives up; the thread
// still has it, and is read again once Slack has (I1).
type rereadQueue struct {
	mu    sync.Mutex
	again map[Ref]time.Time // when the thread is to be read
}

// How long after a refusal Slack has given up (it repeats at once, after a minute
// and after five), how often that is looked for, and how many are remembered.
const (
	rereadAfter = 6 * time.Minute
	rereadEvery = 30 * time.Second
	rereadsKept = 1024
)

// note remembers that a thread is to be read again. Beyond rereadsKept nothing is
// remembered that the next reading of all threads would not find.
func (r *rereadQueue) note(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.again == nil {
		r.again = make(map[Ref]time.Time)
	}
	if _, known := r.again[ref]; known || len(r.again) < rereadsKept {
		r.again[ref] = time.Now().Add(rereadAfter)
	}
}

// due takes out those whose time has come.
func (r *rereadQueue) due() []Ref {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	var refs []Ref
	for ref, at := range r.again {
		if !now.Before(at) {
			refs = append(refs, ref)
			delete(r.again, ref)
		}
	}
	return refs
}

// recoverLater reads the threads that are due, one after the other at the pace of
// Options.RecoverEvery, until each was read or Slack refuses for good. Receive notes
// those whose mailbox is full again.
func (e *Engine) recoverLater(ctx context.Context) {
	for _, ref := range e.rereads.due() {
		v, err := NewReader(e.opt.Store).View(ctx, ref)
		if err == nil && v.Kind == "" {
			continue // no replica has opened it yet
		}
		found := 0
		if err == nil {
			found, err = e.recoverThread(ctx, v)
		}
		switch {
		case errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			e.log.LogAttrs(ctx, slog.LevelWarn, "thread_not_recovered", slog.String("discussion", ref.ID), slog.Any("error", err))
			if sendError(err).Outcome != Refused {
				e.rereads.note(ref)
			}
		default:
			e.log.LogAttrs(ctx, slog.LevelInfo, "recovered_later", slog.String("discussion", ref.ID), slog.Int("inputs", found))
		}
		if !e.breathe(ctx, e.opt.RecoverEvery) {
			return
		}
	}
}
