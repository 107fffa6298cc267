package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
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
		ref   Ref
		at    standing
		tries int
	}
	var threads []thread
	for _, l := range listed {
		if len(threads) == recoverLimit {
			break
		}
		m, err := e.decode(l.State)
		at := m.standing()
		if err != nil || at.closed || at.place.Thread == "" {
			continue // its own holder says what is wrong with it, or nobody waits for words
		}
		threads = append(threads, thread{ref: l.Ref, at: at})
	}
	found := 0
	for i := 0; i < len(threads); i++ {
		th := threads[i]
		n, err := e.recoverThread(ctx, th.ref, th.at)
		found += n
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			e.log.LogAttrs(ctx, slog.LevelWarn, "thread_not_recovered", slog.String("discussion", th.ref.ID), slog.Any("error", err))
			th.tries++
			switch {
			case sendError(err).Outcome == Refused:
			case th.tries < recoverTries:
				threads = append(threads, th)
			default:
				e.rereads.note(th.ref)
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
func (e *Engine) recoverThread(ctx context.Context, ref Ref, at standing) (found int, err error) {
	for {
		wait, err := e.opt.Store.MayRead(ctx, ref.Team, e.opt.RecoverEvery)
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
	heard, err := e.opt.Workplace.Read(wire, at.place, at.opened)
	if err != nil {
		return 0, fmt.Errorf("read the thread of %s again: %w", ref.ID, err)
	}
	for _, h := range heard {
		delivery, err := deliveryOf(ref, h)
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

// hearAgain puts into the mailbox what people wrote and a store that forgot does
// not know, and takes it out with what waits: in order.
func (t *turn) hearAgain(ctx context.Context, heard []Heard) (found int, err error) {
	for _, h := range heard {
		delivery, err := deliveryOf(t.h.Ref, h)
		if err != nil {
			return found, err
		}
		r, _, _, err := t.e.opt.Store.Deliver(ctx, delivery)
		if err != nil {
			return found, fmt.Errorf("deliver what was forgotten: %w", err)
		}
		if r == Stored {
			found++
			t.e.metrics.recovered.Inc()
		}
	}
	if found == 0 {
		return 0, nil
	}
	return found, t.renew(ctx)
}

// heldBack reports whether a letter has to wait until what came before it is
// answered, because it was so before the store forgot: posts that stand in Slack
// name it, or the end of its gathering, as their cause, or stood there before it was
// written and are not adopted yet. Taken in earlier it would be answered in another
// round, and once more, or end the discussion before they are.
func (t *turn) heldBack(l letter) bool {
	if t.unverified && (len(t.outbox) > 0 || t.m.asking() != nil) {
		return true // the thread is not known yet, and is read next
	}
	if len(t.standing) == 0 {
		return false
	}
	due := t.at.wakeAt
	passed := !due.IsZero() && !due.Equal(t.woken) && !due.After(l.in.at)
	if !passed && len(t.outbox) == 0 && t.m.asking() == nil {
		return false
	}
	own := t.h.Ref.ID + "/" + l.id + "/"
	gathered := t.h.Ref.ID + "/w:" + l.in.at.Add(t.at.gather).UTC().Format(time.RFC3339Nano) + "/"
	for key, ts := range t.standing {
		if strings.HasPrefix(key, own) || strings.HasPrefix(key, gathered) || stoodBefore(ts, l.in.at) && !t.receipted(ts) {
			return true
		}
	}
	return false
}

// adopting reports whether posts that stand in Slack may still have to be taken as
// posted after a commit, because the store forgot them. Once the discussion comes to
// rest, and nothing is being gathered, what is left belongs to nothing that will
// happen.
func (t *turn) adopting(c Commit) bool {
	if len(t.standing) == 0 {
		return false
	}
	rests := c.Close || c.Release && !c.Yield
	gathers := !t.at.wakeAt.IsZero() && t.at.wakeAt.Sub(t.now()) <= t.at.gather
	return !rests || gathers || len(t.mail) > 0
}

// stoodBefore reports whether a post stood in Slack before a time.
func stoodBefore(ts string, at time.Time) bool {
	sec, frac, _ := strings.Cut(ts, ".")
	n, err := strconv.ParseInt(sec+frac, 10, 64)
	return err == nil && time.UnixMicro(n).Before(at)
}

// deliveryOf is what was heard on its way into a mailbox.
func deliveryOf(ref Ref, h Heard) (Delivery, error) {
	body, err := roundtable.EncodeInput(h.Input)
	if err != nil {
		return Delivery{}, err
	}
	return Delivery{Ref: ref, Mail: Mail{ID: h.Input.ID, Body: body}, Also: h.Also}, nil
}
