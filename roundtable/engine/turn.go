package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// turn is one holding of a discussion being worked off: what waits is taken in,
// what follows is performed, until there is nothing to do and the discussion is
// given back.
//
// What Step decides is gathered in change and committed only where it must stand
// before the world may see its consequences: before a post, before documents are
// written, before the discussion is given back. Until then the causes wait in the
// mailbox, and a crash only decides the same again.
type turn struct {
	e      *Engine
	run    *run
	holder *holder
	log    *slog.Logger

	h *Holding
	// seen and renewAt are local times: of the newest reply of the store, and
	// when the lease is to be renewed.
	seen, renewAt time.Time

	m       matter
	at      standing           // of m
	state   []byte             // m as stored
	entries []roundtable.Entry // the whole log, with what is not committed yet
	// committed is the part of it that is, nil if that is not known.
	committed []roundtable.Entry
	mail      []letter // what waits, in order
	outbox    []errand // what is to be performed, in order
	change    change

	// attempted is when the head of the outbox was marked, by the store's clock.
	attempted time.Time
	attempts  int

	// careful is set after crashes: what is worked on is announced first, and inputs
	// are taken in and committed one by one, so that what kills is known.
	careful bool
	// unverified is set when the store may have forgotten something; standing are
	// the posts that stand in Slack, by key, once it was verified.
	unverified bool
	standing   map[string]string
	// woken is the wake-up served last: it must not come again.
	woken   time.Time
	slot    bool
	thinker *thinker
}

// errOver says that the discussion was given back; it ends the turn's loop.
var errOver = errors.New("the discussion was given back")

// drive works off a holding. It owns a slot. sent is when the request that brought the
// holding left.
func (e *Engine) drive(r *run, me *holder, h *Holding, known knownLog, sent time.Time) {
	e.metrics.held.Inc()
	defer e.metrics.held.Dec()
	t := &turn{
		e: e, run: r, holder: me, h: h, slot: true,
		log:        e.log.With(slog.String("discussion", h.Ref.ID), slog.String("channel", h.Ref.Channel)),
		attempted:  h.Attempted,
		attempts:   h.Attempts,
		careful:    h.Crashes >= 2 || h.Tried != "" || e.refused.count(h.Ref) > 0,
		unverified: h.Rewound,
	}
	t.stamp(sent)
	ctx := r.ctx
	err := t.load(ctx, t.handedOver(ctx, known))
	if err == nil {
		err = t.work(ctx)
	}
	t.end(ctx, err)
	e.logs.put(h.Ref, t.committed)
	if t.slot {
		e.handFree()
	}
}

// end lets go of the discussion however the turn ended. A holding that is no
// longer ours is left alone, silently: whoever holds it now goes on.
func (t *turn) end(ctx context.Context, err error) {
	how := "released"
	level := slog.LevelDebug
	switch {
	case errors.Is(err, errOver):
		t.e.refused.clear(t.h.Ref)
	case errors.Is(err, ErrFenced), errors.Is(err, errLate):
		how, level = "lost", slog.LevelInfo
	case errors.Is(err, roundtable.ErrNewer):
		pause, first := t.e.newer.refuse(t.h)
		how, level = "newer", slog.LevelInfo
		if first {
			level = slog.LevelWarn
		}
		t.letGo(ctx, pause)
	case ctx.Err() != nil:
		how, level = "stopped", slog.LevelInfo
	case errors.Is(err, ErrTooLarge):
		how, level = "too_large", slog.LevelError
		t.e.refused.add(t.h.Ref)
		t.letGo(ctx, failedPause)
	case err != nil:
		how, level = "failed", slog.LevelError
		pause := failedPause
		if _, ok := errors.AsType[*stepPanic](err); ok {
			pause = brokenPause
		}
		t.letGo(ctx, pause)
	}
	t.stopThinking(how == "released")
	t.e.metrics.turns.WithLabelValues(how).Inc()
	if errors.Is(err, errOver) {
		err = nil
	}
	t.log.LogAttrs(ctx, level, "holding_ended", slog.String("end", how), slog.Any("error", err))
}

// How long a discussion rests when this replica could not go on with it, because
// something failed that has no better time of its own.
const (
	failedPause = 5 * time.Second
	brokenPause = time.Minute
)

// letGo gives the discussion back without what was gathered, best effort. It
// matters: a holder that vanishes is counted as a crash.
func (t *turn) letGo(ctx context.Context, pause time.Duration) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_, err := t.e.opt.Store.Commit(ctx, t.h, Commit{Release: true, Yield: true, Wake: t.now().Add(pause)})
	if err != nil {
		t.log.LogAttrs(ctx, slog.LevelInfo, "give_back_failed", slog.Any("error", err))
	}
}

// load decodes the holding.
func (t *turn) load(ctx context.Context, cached []roundtable.Entry) error {
	t.state, t.m = t.h.State, t.e.matter(t.h.State, t.h.Mail)
	if err := t.decode(); err != nil {
		return err
	}
	if err := t.loadLog(ctx, cached); err != nil {
		return err
	}
	for _, in := range t.h.Outbox {
		e, err := t.readErrand(in)
		if err != nil {
			return err
		}
		t.outbox = append(t.outbox, e)
	}
	err := t.sortMail(t.h.Mail)
	t.h.Log, t.h.Mail = nil, nil // decoded, and as long again
	return err
}

// decode reads the matter as stored.
func (t *turn) decode() error {
	err := t.m.decode(t.state)
	t.at = t.m.standing()
	return err
}

// loadLog joins the known beginning of the log with what the store sent, which may
// begin before its end. If they do not fit, because the store forgot something or the
// log was not handed over, it reads anew.
func (t *turn) loadLog(ctx context.Context, cached []roundtable.Entry) error {
	lines := t.h.Log
	overlap := len(cached) + len(lines) - t.h.LogLen
	if t.h.Rewound || overlap < 0 || overlap > len(lines) {
		cached, overlap = nil, 0
		var err error
		if lines, err = t.e.opt.Store.Log(ctx, t.h.Ref, 0); err != nil {
			return fmt.Errorf("read the log of %s: %w", t.h.Ref.ID, err)
		}
	}
	lines = lines[overlap:]
	entries, err := roundtable.DecodeLog(t.h.Ref.ID, lines)
	if err != nil {
		return err
	}
	t.entries = cached
	t.entries = append(t.entries, entries...)
	t.isCommitted()
	return nil
}

// isCommitted notes that the store has all of the log.
func (t *turn) isCommitted() {
	t.committed = t.entries
	t.holder.logged.Store(int64(len(t.entries)))
}

// work is the loop of a turn: take in, perform, ask, rest.
func (t *turn) work(ctx context.Context) error {
	judged := false
	for {
		if t.draining() {
			return t.stop(ctx)
		}
		if t.unverified && t.at.place.Thread != "" {
			// What the store forgot comes before what is new.
			if err := t.verify(ctx); err != nil {
				return err
			}
			continue
		}
		if !judged && t.e.refused.count(t.h.Ref) >= refusalLimit {
			if err := t.putAside(ctx); err != nil {
				return err
			}
		}
		judged = true
		if err := t.takeIn(ctx); err != nil {
			return err
		}
		if err := t.goOn(ctx); err != nil {
			return err
		}
	}
}

// goOn does the next thing there is to do.
func (t *turn) goOn(ctx context.Context) error {
	if err := t.inTime(); err != nil {
		return err
	}
	asked := t.m.asking()
	if t.unverified && (len(t.outbox) > 0 || asked != nil) {
		return t.verify(ctx)
	}
	switch {
	case len(t.outbox) > 0:
		return t.perform(ctx)
	case asked != nil:
		return t.ask(ctx, asked)
	default:
		return t.rest(ctx)
	}
}

// now is the time by the store's clock, which alone decides what is due: the
// replicas' own clocks may differ.
func (t *turn) now() time.Time { return t.h.Now.Add(time.Since(t.seen)) }

// inTime reports errLate when the right to act has run out.
func (t *turn) inTime() error {
	if !time.Now().Before(t.h.Until) {
		return errLate
	}
	return nil
}

// stamp notes when the newest reply was asked for and seen.
func (t *turn) stamp(sent time.Time) {
	t.seen = time.Now()
	t.renewAt = sent.Add(t.h.Until.Sub(sent) / 2)
}

func (t *turn) draining() bool {
	select {
	case <-t.run.draining:
		return true
	default:
		return false
	}
}

// place is where the discussion lives, also while it is not opened yet.
func (t *turn) place() roundtable.Place {
	if t.at.state == "" {
		return roundtable.Place{Team: t.h.Ref.Team, Channel: t.h.Ref.Channel}
	}
	return t.at.place
}
