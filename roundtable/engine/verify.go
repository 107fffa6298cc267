package engine

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// verifier reads Slack after the store may have forgotten something, and takes in what
// stands there.
type verifier struct {
	e      *Engine
	copy   *workingCopy
	poster *poster
}

// verify reads Slack after the store may have forgotten something: posts that stand
// there are taken as posted when their turn comes, because the same input has the same
// keys. It waits first until the requests that were under way when the store forgot have
// landed. What people wrote and the store does not know is taken in again.
//
// A panel that is asked again may word a contribution differently from the one that
// stands in Slack under the same key. The post is adopted all the same: people have
// read it and may have answered it, and one turn may not tell them two things.
// The transcript then has the newer words; Slack's rendering of the older ones
// cannot be turned back into them.
func (v *verifier) verify(ctx context.Context) error {
	// A replica that ends from here on does not end of what it has taken in.
	if _, err := v.copy.announce(ctx, "verify"); err != nil {
		return err
	}
	if err := v.copy.pause(ctx, v.e.opt.Settle, nil); err != nil {
		return err
	}
	if v.copy.draining() {
		return nil
	}
	if err := v.mayReadBack(ctx); err != nil || v.copy.draining() {
		return err
	}
	posts, heard, err := v.readBack(ctx)
	switch s := sendError(err); {
	case err == nil:
	case ctx.Err() != nil || v.copy.inTime() != nil:
		return err
	case s.Outcome == Refused:
		// The channel or the thread is gone, or closed to us. Waiting for it
		// helps no person: what was forgotten cannot be learned, what is known goes on.
		v.copy.log.LogAttrs(ctx, slog.LevelWarn, "verify_refused", slog.Any("error", err))
	default:
		v.e.unread.add(v.copy.claim.Ref)
		pause := max(s.After, failedPause, backoff(v.e.unread.count(v.copy.claim.Ref)))
		v.copy.log.LogAttrs(ctx, slog.LevelWarn, "verify_failed", slog.Duration("again_in", pause), slog.Any("error", err))
		v.copy.letGo(ctx, pause)
		return errOver
	}
	v.e.unread.clear(v.copy.claim.Ref)
	missed, err := v.copy.redeliver(ctx, heard)
	if err != nil {
		return err
	}
	v.copy.foundPosts, v.copy.unverified = posts, false
	unknown := 0
	for key, ts := range posts {
		if !v.copy.receipted(ts) && !v.copy.awaits(key) {
			unknown++
		}
	}
	v.copy.log.LogAttrs(ctx, slog.LevelWarn, "verified_after_rewind", slog.Int("posts", len(posts)), slog.Int("unknown", unknown), slog.Int("missed", missed))
	return v.sweepOnce(ctx)
}

// sweepOnce has the threads of all open discussions read, because what was forgotten
// here was forgotten elsewhere: by one replica, once for each run of the store.
func (v *verifier) sweepOnce(ctx context.Context) error {
	first, err := v.e.opt.Store.First(ctx, "sweep/"+v.copy.claim.Ref.Team+"/"+v.copy.claim.Run)
	if first {
		v.e.Missed()
	}
	return err
}

// mayReadBack waits for its turn to read a thread back: after a failover many want to,
// and Slack allows a workspace fifty readings a minute.
func (v *verifier) mayReadBack(ctx context.Context) error {
	for !v.copy.draining() {
		wait, err := v.e.opt.Store.MayRead(ctx, v.copy.claim.Ref.Team, readingsBack*v.e.opt.RecoverEvery)
		if err != nil || wait <= 0 {
			return err
		}
		leave, ok := v.copy.reserveMemory()
		if !ok {
			v.copy.letGo(ctx, wait+rand.N(crowdSpread))
			return errOver
		}
		err = v.copy.pause(ctx, wait, nil)
		leave()
		if err != nil {
			return err
		}
	}
	return nil
}

// readingsBack is how often Slack is asked for one discussion that may have been
// forgotten: for what we said, and for what people did.
const readingsBack = 2

// readBack reads what stands in Slack of a discussion whose store may have forgotten
// it: our posts by their keys, and what people wrote. With an error it returns what it
// could read.
func (v *verifier) readBack(ctx context.Context) (posts map[string]string, heard []Heard, err error) {
	since := v.copy.now().Add(-lookBack)
	if v.copy.at.state != "" {
		since = v.copy.at.opened.Add(-lookBack)
	}
	if posts, err = v.poster.find(ctx, since); err != nil {
		return nil, nil, err
	}
	place := v.copy.place()
	if root, ok := posts[v.copy.claim.Ref.ID+"/root"]; ok && place.Thread == "" {
		// The thread was forgotten with the rest; its posts stand below the introduction,
		// and so does what people wrote.
		place.Thread = root
		inThread, err := v.poster.findIn(ctx, place, since)
		if err != nil {
			return posts, nil, err
		}
		maps.Copy(posts, inThread)
	}
	if place.Thread == "" {
		return posts, nil, nil
	}
	wire, cancel := v.copy.bounded(ctx, time.Now().Add(v.e.opt.PostTimeout), errPostTime)
	defer cancel()
	if heard, err = v.e.opt.Workplace.Read(wire, place, v.copy.at.opened); err != nil {
		return posts, nil, fmt.Errorf("read the thread again: %w", err)
	}
	return posts, heard, nil
}

// redeliver puts into the mailbox what people wrote and a store that forgot does
// not know, and takes it out with what waits: in order.
func (w *workingCopy) redeliver(ctx context.Context, heard []Heard) (found int, err error) {
	for _, h := range heard {
		delivery, err := deliveryOf(w.claim.Ref, h)
		if err != nil {
			return found, err
		}
		got, err := w.e.opt.Store.Deliver(ctx, delivery)
		if err != nil {
			return found, fmt.Errorf("deliver what was forgotten: %w", err)
		}
		if got.Reception == Stored {
			found++
			w.e.metrics.recovered.Inc()
		}
	}
	if found == 0 {
		return 0, nil
	}
	return found, w.renew(ctx)
}

// heldBack reports whether an input has to wait until what came before it is
// answered, because it was so before the store forgot: posts that stand in Slack
// name it, or the end of its gathering, as their cause, or stood there before it was
// written and are not adopted yet. Taken in earlier it would be answered in another
// round, and once more, or end the discussion before they are.
func (w *workingCopy) heldBack(pending pendingInput) bool {
	if w.unverified && (len(w.outbox) > 0 || w.m.asking() != nil) {
		return true // the thread is not known yet, and is read next
	}
	if len(w.foundPosts) == 0 {
		return false
	}
	due := w.at.wakeAt
	passed := !due.IsZero() && !due.Equal(w.woken) && !due.After(pending.in.at)
	if !passed && len(w.outbox) == 0 && w.m.asking() == nil {
		return false
	}
	own := w.claim.Ref.ID + "/" + pending.id + "/"
	gathered := w.claim.Ref.ID + "/w:" + pending.in.at.Add(w.at.gather).UTC().Format(time.RFC3339Nano) + "/"
	for key, ts := range w.foundPosts {
		if strings.HasPrefix(key, own) || strings.HasPrefix(key, gathered) || stoodBefore(ts, pending.in.at) && !w.receipted(ts) {
			return true
		}
	}
	return false
}

// adopting reports whether posts that stand in Slack may still have to be taken as
// posted after a commit, because the store forgot them. Once the discussion comes to
// rest, and nothing is being gathered, what is left belongs to nothing that will
// happen.
func (w *workingCopy) adopting(c Commit) bool {
	if len(w.foundPosts) == 0 {
		return false
	}
	rests := c.Mode == ModeClose || c.Mode == ModeRelease
	gathers := !w.at.wakeAt.IsZero() && w.at.wakeAt.Sub(w.now()) <= w.at.gather
	return !rests || gathers || len(w.mail) > 0
}

// awaits reports whether the outbox holds an effect.
func (w *workingCopy) awaits(key string) bool {
	for _, e := range w.outbox {
		if e.entry.Key == key {
			return true
		}
	}
	return false
}

// stoodBefore reports whether a post stood in Slack before a time.
func stoodBefore(ts string, at time.Time) bool {
	sec, frac, _ := strings.Cut(ts, ".")
	n, err := strconv.ParseInt(sec+frac, 10, 64)
	return err == nil && time.UnixMicro(n).Before(at)
}
