package engine

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"time"
)

// verify reads Slack after the store may have forgotten something
// (reliability §1.5): posts that stand there are taken as posted when their turn
// comes, because the same input has the same keys. It waits first until whatever
// was under way when the store forgot has landed. What people wrote and the store
// does not know is taken in again.
//
// A panel that is asked again may word a contribution differently from the one that
// stands in Slack under the same key. The post is adopted all the same: people have
// read it and may have answered it, and nobody may be told two things by one turn.
// The transcript then has the newer words; Slack's rendering of the older ones
// cannot be turned back into them.
func (t *turn) verify(ctx context.Context) error {
	// Whoever ends from here on does not end of what it has taken in.
	if _, err := t.announce(ctx, "verify"); err != nil {
		return err
	}
	if err := t.pause(ctx, t.e.opt.Settle, nil); err != nil {
		return err
	}
	if t.draining() {
		return nil
	}
	if err := t.mayReadBack(ctx); err != nil || t.draining() {
		return err
	}
	standing, heard, err := t.readBack(ctx)
	switch s := sendError(err); {
	case err == nil:
	case ctx.Err() != nil || t.inTime() != nil:
		return err
	case s.Outcome == Refused:
		// The channel or the thread is gone, or closed to us. Nobody is helped by
		// waiting for it: what was forgotten cannot be learned, what is known goes on.
		t.log.LogAttrs(ctx, slog.LevelWarn, "verify_refused", slog.Any("error", err))
	default:
		t.e.unread.add(t.h.Ref)
		pause := max(s.After, failedPause, backoff(t.e.unread.count(t.h.Ref)))
		t.log.LogAttrs(ctx, slog.LevelWarn, "verify_failed", slog.Duration("again_in", pause), slog.Any("error", err))
		t.letGo(ctx, pause)
		return errOver
	}
	t.e.unread.clear(t.h.Ref)
	missed, err := t.hearAgain(ctx, heard)
	if err != nil {
		return err
	}
	t.standing, t.unverified = standing, false
	unknown := 0
	for key, ts := range standing {
		if !t.receipted(ts) && !t.awaits(key) {
			unknown++
		}
	}
	t.log.LogAttrs(ctx, slog.LevelWarn, "verified_after_rewind", slog.Int("posts", len(standing)), slog.Int("unknown", unknown), slog.Int("missed", missed))
	return t.sweepOnce(ctx)
}

// sweepOnce has the threads of all open discussions read, because what was forgotten
// here was forgotten elsewhere: by one replica, once for each run of the store.
func (t *turn) sweepOnce(ctx context.Context) error {
	first, err := t.e.opt.Store.First(ctx, "sweep/"+t.h.Ref.Team+"/"+t.h.Run)
	if first {
		t.e.Missed()
	}
	return err
}

// mayReadBack waits for its turn to read a thread back: after a failover many want to,
// and Slack allows a workspace fifty readings a minute.
func (t *turn) mayReadBack(ctx context.Context) error {
	for !t.draining() {
		wait, err := t.e.opt.Store.MayRead(ctx, t.h.Ref.Team, readingsBack*t.e.opt.RecoverEvery)
		if err != nil || wait <= 0 {
			return err
		}
		leave, ok := t.takePlace()
		if !ok {
			t.letGo(ctx, wait+rand.N(crowdSpread))
			return errOver
		}
		err = t.pause(ctx, wait, nil)
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
func (t *turn) readBack(ctx context.Context) (standing map[string]string, heard []Heard, err error) {
	since := t.now().Add(-lookBack)
	if t.at.state != "" {
		since = t.at.opened.Add(-lookBack)
	}
	if standing, err = t.find(ctx, since); err != nil {
		return nil, nil, err
	}
	place := t.place()
	if root, ok := standing[t.h.Ref.ID+"/root"]; ok && place.Thread == "" {
		// The thread was forgotten with the rest; its posts stand below the introduction,
		// and so does what people wrote.
		place.Thread = root
		inThread, err := t.findIn(ctx, place, since)
		if err != nil {
			return standing, nil, err
		}
		maps.Copy(standing, inThread)
	}
	if place.Thread == "" {
		return standing, nil, nil
	}
	wire, cancel := t.bounded(ctx, time.Now().Add(t.e.opt.PostTimeout), errPostTime)
	defer cancel()
	if heard, err = t.e.opt.Workplace.Read(wire, place, t.at.opened); err != nil {
		return standing, nil, fmt.Errorf("read the thread again: %w", err)
	}
	return standing, heard, nil
}

// awaits reports whether the outbox holds an effect.
func (t *turn) awaits(key string) bool {
	for _, e := range t.outbox {
		if e.intent.Key == key {
			return true
		}
	}
	return false
}
