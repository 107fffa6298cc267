package engine

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// post says something in Slack, once (I3), in order (I4). Slack has no idempotency
// key, so the post is marked as attempted before the request leaves; whoever finds
// the mark later looks in Slack before sending again.
func (t *turn) post(ctx context.Context, p roundtable.Post) error {
	if ts, ok := t.standing[p.Key]; ok {
		return t.posted(ctx, p, ts)
	}
	if !t.attempted.IsZero() {
		return t.reconcile(ctx, p)
	}
	if err := t.signSettles(ctx); err != nil {
		return err
	}
	// The time-out counts from before the mark: it bounds how long after the
	// mark the request can be under way.
	begun := time.Now()
	r, err := t.flush(ctx, Commit{Attempt: true})
	if err != nil {
		return err
	}
	if r.Wait > 0 {
		return t.wait(ctx, r.Wait)
	}
	t.attempted = r.Now
	t.attempts++
	return t.send(ctx, p, begun)
}

// send makes the request and acts on its outcome.
func (t *turn) send(ctx context.Context, p roundtable.Post, begun time.Time) error {
	start := time.Now()
	signed := t.signStands()
	wire, cancel := t.bounded(ctx, begun.Add(t.e.opt.PostTimeout), errPostTime)
	ts, err := t.e.opt.Workplace.Post(wire, Posting{Place: t.place(), Key: p.Key, Message: p.Message})
	cancel()
	t.effectDone(ctx, p, outcomeOf(err), start, err)
	if err == nil {
		if signed {
			t.signGone()
		}
		*t.m.upkeep().withheld = nil
		return t.posted(ctx, p, ts)
	}
	switch s := sendError(err); s.Outcome {
	case Unsent:
		return t.unsent(ctx, s)
	case Refused:
		return t.refused(ctx, p, s.Reason, Commit{Unattempt: true})
	default:
		return t.reconcile(ctx, p)
	}
}

// posted tells the rules that a post stands. The receipt goes with the next
// commit.
func (t *turn) posted(ctx context.Context, p roundtable.Post, ts string) error {
	t.pop()
	return t.feed(ctx, input{id: p.Key + "/posted", at: t.now(), event: roundtable.Posted{Effect: p.Key, TS: ts}})
}

// unsent takes the mark back and tries again when Slack said, or after a pause
// that grows.
func (t *turn) unsent(ctx context.Context, s *SendError) error {
	c := Commit{Unattempt: true}
	pause := s.After
	if pause > 0 {
		c.PaceUntil = t.now().Add(pause)
	} else {
		pause = backoff(t.attempts)
	}
	if pause > t.e.opt.Linger {
		return t.yield(ctx, c, pause)
	}
	if _, err := t.flush(ctx, c); err != nil {
		return err
	}
	t.attempted = time.Time{}
	return t.wait(ctx, pause)
}

// backoff is the pause after the nth attempt in a row: 1 s, 2 s, 4 s … 1 min.
func backoff(n int) time.Duration {
	return min(time.Second<<min(max(n-1, 0), 6), time.Minute)
}

// reconcile finds out what became of an attempt: once Slack has settled, the
// thread is read. What is found there is the post; what is not was not performed.
func (t *turn) reconcile(ctx context.Context, p roundtable.Post) error {
	if wait := t.attempted.Add(t.e.opt.Settle).Sub(t.now()); wait > 0 {
		return t.wait(ctx, wait)
	}
	start := time.Now()
	standing, err := t.find(ctx, t.attempted.Add(-lookBack))
	if err != nil {
		t.effectDone(ctx, p, "not_reconciled", start, err)
		s := sendError(err)
		if s.Outcome == Refused {
			return t.refused(ctx, p, s.Reason, Commit{})
		}
		doubted := t.now().Sub(t.attempted.Add(t.e.opt.Settle))
		return t.yield(ctx, Commit{}, max(s.After, growing(doubted, time.Second, 5*time.Minute)))
	}
	if ts, ok := standing[p.Key]; ok {
		t.effectDone(ctx, p, "found", start, nil)
		if err := t.posted(ctx, p, ts); err != nil || p.Message.Kind != roundtable.KindRoot {
			return err
		}
		return t.hearBelow(ctx)
	}
	t.effectDone(ctx, p, "absent", start, nil)
	u := t.m.upkeep()
	*u.rootDoubted = *u.rootDoubted || p.Message.Kind == roundtable.KindRoot
	*u.doubtedAt = t.now()
	t.attempted = time.Time{}
	return nil
}

// hearBelow takes in what people wrote below an introduction that stood while the
// store did not know its thread: whoever looked for missed words meanwhile could not
// look there (I1). What cannot be read is read later.
func (t *turn) hearBelow(ctx context.Context) error {
	wire, cancel := t.bounded(ctx, time.Now().Add(t.e.opt.PostTimeout), errPostTime)
	defer cancel()
	heard, err := t.e.opt.Workplace.Read(wire, t.place(), t.at.opened)
	if err != nil {
		t.log.LogAttrs(ctx, slog.LevelWarn, "thread_not_recovered", slog.Any("error", err))
		t.e.rereads.note(t.h.Ref)
		return nil
	}
	_, err = t.hearAgain(ctx, heard)
	return err
}

// lookBack is how far before an attempt Slack is read: earlier attempts of the
// same post, and clocks that differ.
const lookBack = 10 * time.Minute

// find reads which of our posts stand in Slack, by key, and heals doubles.
func (t *turn) find(ctx context.Context, since time.Time) (map[string]string, error) {
	return t.findIn(ctx, t.place(), since)
}

func (t *turn) findIn(ctx context.Context, place roundtable.Place, since time.Time) (map[string]string, error) {
	standing := make(map[string]string)
	if err := t.retractDoubles(ctx, place, since, standing); err != nil {
		return nil, err
	}
	return standing, nil
}

// retractDoubles reads our posts in a place and leaves one of each key, which standing
// then tells. It may know some before.
func (t *turn) retractDoubles(ctx context.Context, place roundtable.Place, since time.Time, standing map[string]string) error {
	wire, cancel := t.bounded(ctx, time.Now().Add(t.e.opt.PostTimeout), errPostTime)
	defer cancel()
	found, err := t.e.opt.Workplace.Find(wire, place, since)
	if err != nil {
		return err
	}
	for _, f := range found {
		if !strings.HasPrefix(f.Key, t.h.Ref.ID+"/") {
			continue // a channel holds other discussions' introductions
		}
		other, twice := standing[f.Key]
		if !twice || other == f.TS {
			standing[f.Key] = f.TS
			continue
		}
		keep, drop := t.elder(other, f.TS)
		if err := t.e.opt.Workplace.Retract(wire, place, drop); err != nil && sendError(err).Outcome != Refused {
			return err
		}
		t.e.metrics.doubles.Inc()
		t.log.LogAttrs(ctx, slog.LevelWarn, "double_retracted", slog.String("key", f.Key), slog.String("kept", keep), slog.String("retracted", drop))
		standing[f.Key] = keep
	}
	return nil
}

// elder decides which of two posts with one key stays: the one whose receipt
// stands in the log, else the earlier.
func (t *turn) elder(a, b string) (keep, drop string) {
	switch {
	case t.receipted(a):
		return a, b
	case t.receipted(b), b < a:
		return b, a
	default:
		return a, b
	}
}

func (t *turn) receipted(ts string) bool {
	if ts == t.at.place.Root {
		return true
	}
	for _, e := range t.entries {
		if e.Kind == roundtable.EntryPosted && e.TS == ts {
			return true
		}
	}
	return false
}
