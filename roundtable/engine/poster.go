package engine

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// poster says things in Slack in a discussion's name, once and in order, finds out what
// became of requests whose outcome is unknown, and heals posts that stand twice.
type poster struct {
	e    *Engine
	copy *workingCopy
	sign *sign
}

// post says something in Slack, once (I3), in order (I4). Slack has no idempotency
// key, so the post is marked as attempted before the request leaves; a holder that finds
// the mark later looks in Slack before sending again.
func (p *poster) post(ctx context.Context, post roundtable.Post) error {
	if ts, ok := p.copy.foundPosts[post.Key]; ok {
		return p.posted(ctx, post, ts)
	}
	if !p.copy.attempted.IsZero() {
		return p.reconcile(ctx, post)
	}
	if err := p.sign.settle(ctx); err != nil {
		return err
	}
	// The time-out counts from before the mark: it bounds how long after the
	// mark the request can be under way.
	begun := time.Now()
	r, err := p.copy.flush(ctx, Commit{Attempt: true})
	if err != nil {
		return err
	}
	if r.Wait > 0 {
		return p.copy.wait(ctx, r.Wait)
	}
	p.copy.attempted = r.Now
	p.copy.attempts++
	return p.send(ctx, post, begun)
}

// send makes the request and acts on its outcome.
func (p *poster) send(ctx context.Context, post roundtable.Post, begun time.Time) error {
	start := time.Now()
	signed := p.sign.stands()
	wire, cancel := p.copy.bounded(ctx, begun.Add(p.e.opt.PostTimeout), errPostTime)
	ts, err := p.e.opt.Workplace.Post(wire, Posting{Place: p.copy.place(), Key: post.Key, Message: post.Message})
	cancel()
	p.copy.effectDone(ctx, post, outcomeOf(err), start, err)
	if err == nil {
		if signed {
			p.sign.takenByPost()
		}
		p.copy.m.upkeep().Withheld = nil
		return p.posted(ctx, post, ts)
	}
	switch s := sendError(err); s.Outcome {
	case Unsent:
		return p.unsent(ctx, s)
	case Refused:
		return p.refused(ctx, post, s.Reason, Commit{Unattempt: true})
	case Unmade:
		return p.copy.unmade(ctx, Commit{Unattempt: true}, thread.ReasonUndrawn)
	default:
		return p.reconcile(ctx, post)
	}
}

// posted tells the rules that a post stands. The receipt goes with the next
// commit.
func (p *poster) posted(ctx context.Context, post roundtable.Post, ts string) error {
	p.copy.pop()
	p.copy.change.posted = append(p.copy.change.posted, ts)
	return p.copy.feed(ctx, input{id: post.Key + "/posted", at: p.copy.now(), event: roundtable.Posted{Effect: post.Key, TS: ts}})
}

// unsent takes the mark back and tries again when Slack said, or after a pause
// that grows.
func (p *poster) unsent(ctx context.Context, s *SendError) error {
	c := Commit{Unattempt: true}
	pause := s.After
	if pause > 0 {
		c.PaceUntil = p.copy.now().Add(pause)
	} else {
		pause = backoff(p.copy.attempts)
	}
	if pause > p.e.opt.Linger {
		return p.copy.yield(ctx, c, pause)
	}
	if _, err := p.copy.flush(ctx, c); err != nil {
		return err
	}
	p.copy.attempted = time.Time{}
	return p.copy.wait(ctx, pause)
}

// How long posts wait for a channel that takes none: tried again after pauses that
// grow, sooner if a person does something there, and for so long in all.
const (
	withheldFirst = 15 * time.Second
	withheldMost  = time.Hour
	withheldFor   = 7 * 24 * time.Hour
)

// refused decides what becomes of a post that Slack refuses, or whose thread it
// refuses to show. What is wrong with the message, or with a thread that is gone, stays
// wrong: the post is given up, and the rules say so. What is wrong with the channel may
// be mended: then the post waits, and everything after it, so that nothing is missing
// and in order once messages are taken again (I3, I4). An introduction does not wait:
// the person who asked for it is told at once. c says what becomes of the mark.
func (p *poster) refused(ctx context.Context, post roundtable.Post, reason thread.Reason, c Commit) error {
	if post.Message.Kind == thread.KindRoot || !mendable(reason) {
		return p.copy.giveUp(ctx, reason)
	}
	u, now := p.copy.m.upkeep(), p.copy.now()
	since := now
	if w := u.Withheld; w != nil {
		since = w.Since
	}
	if now.Sub(since) >= withheldFor {
		return p.copy.giveUp(ctx, reason)
	}
	u.Withheld = &thread.Withheld{Reason: reason, Since: since}
	return p.copy.yield(ctx, c, growing(now.Sub(since), withheldFirst, withheldMost))
}

// mendable reports whether what Slack refuses for this reason it may take later.
func mendable(r thread.Reason) bool {
	switch r {
	case thread.ReasonArchived, thread.ReasonNotInChannel, thread.ReasonNoPermission:
		return true
	default:
		return false
	}
}

// reconcile finds out what became of an attempt: once Slack has settled, the
// thread is read. What is found there is the post; what is not was not performed.
func (p *poster) reconcile(ctx context.Context, post roundtable.Post) error {
	if wait := p.copy.attempted.Add(p.e.opt.Settle).Sub(p.copy.now()); wait > 0 {
		return p.copy.wait(ctx, wait)
	}
	start := time.Now()
	posts, err := p.find(ctx, p.copy.attempted.Add(-lookBack))
	if err != nil {
		p.copy.effectDone(ctx, post, "not_reconciled", start, err)
		s := sendError(err)
		if s.Outcome == Refused {
			return p.refused(ctx, post, s.Reason, Commit{})
		}
		doubted := p.copy.now().Sub(p.copy.attempted.Add(p.e.opt.Settle))
		return p.copy.yield(ctx, Commit{}, max(s.After, growing(doubted, time.Second, 5*time.Minute)))
	}
	if ts, ok := posts[post.Key]; ok {
		p.copy.effectDone(ctx, post, "found", start, nil)
		if err := p.posted(ctx, post, ts); err != nil || post.Message.Kind != thread.KindRoot {
			return err
		}
		return p.hearBelow(ctx)
	}
	p.copy.effectDone(ctx, post, "absent", start, nil)
	u := p.copy.m.upkeep()
	u.RootDoubted = u.RootDoubted || post.Message.Kind == thread.KindRoot
	u.DoubtedAt = p.copy.now()
	p.copy.attempted = time.Time{}
	return nil
}

// hearBelow takes in what people wrote below an introduction that stood while the
// store did not know its thread: a replica that looked for missed words meanwhile could
// not look there (I1). What cannot be read is read later.
func (p *poster) hearBelow(ctx context.Context) error {
	wire, cancel := p.copy.bounded(ctx, time.Now().Add(p.e.opt.PostTimeout), errPostTime)
	defer cancel()
	heard, err := p.e.opt.Workplace.Read(wire, p.copy.place(), p.copy.at.opened)
	if err != nil {
		p.copy.log.LogAttrs(ctx, slog.LevelWarn, "thread_not_recovered", slog.Any("error", err))
		p.e.rereads.note(p.copy.claim.Ref)
		return nil
	}
	_, err = p.copy.redeliver(ctx, heard)
	return err
}

// lookBack is how far before an attempt Slack is read: earlier attempts of the
// same post, and clocks that differ.
const lookBack = 10 * time.Minute

// find reads which of our posts stand in Slack, by key, and heals doubles.
func (p *poster) find(ctx context.Context, since time.Time) (map[string]string, error) {
	return p.findIn(ctx, p.copy.place(), since)
}

// findIn does so in a place.
func (p *poster) findIn(ctx context.Context, place thread.Place, since time.Time) (map[string]string, error) {
	posts := make(map[string]string)
	if err := p.retractDoubles(ctx, place, since, posts); err != nil {
		return nil, err
	}
	return posts, nil
}

// retractDoubles reads our posts in a place and leaves one of each key, which posts
// then tells. It may know some before.
func (p *poster) retractDoubles(ctx context.Context, place thread.Place, since time.Time, posts map[string]string) error {
	wire, cancel := p.copy.bounded(ctx, time.Now().Add(p.e.opt.PostTimeout), errPostTime)
	defer cancel()
	found, err := p.e.opt.Workplace.Find(wire, place, since)
	if err != nil {
		return err
	}
	for _, f := range found {
		if !strings.HasPrefix(f.Key, p.copy.claim.Ref.ID+"/") {
			continue // a channel holds other discussions' introductions
		}
		other, twice := posts[f.Key]
		if !twice || other == f.TS {
			posts[f.Key] = f.TS
			continue
		}
		keep, drop := p.elder(other, f.TS)
		if err := p.e.opt.Workplace.Retract(wire, place, drop); err != nil && sendError(err).Outcome != Refused {
			return err
		}
		p.e.metrics.doubles.Inc()
		p.copy.log.LogAttrs(ctx, slog.LevelWarn, "double_retracted", slog.String("key", f.Key), slog.String("kept", keep), slog.String("retracted", drop))
		posts[f.Key] = keep
	}
	return nil
}

// elder decides which of two posts with one key stays: the one whose receipt
// stands in the log, else the earlier.
func (p *poster) elder(a, b string) (keep, drop string) {
	switch {
	case p.copy.receipted(a):
		return a, b
	case p.copy.receipted(b), b < a:
		return b, a
	default:
		return a, b
	}
}

// receipted reports whether a post is known to stand.
func (w *workingCopy) receipted(ts string) bool {
	return ts == w.at.place.Root || w.history.hasReceipt(ts)
}

// auditAt is when Slack is to be read for doubles that showed up late, by the store's clock; zero for never. It is when what was sent again has
// settled, when the last posts of a discussion that closed have, and, if anything was
// ever sent again, before the discussion is forgotten.
func (p *poster) auditAt() time.Time {
	u := p.copy.m.upkeep()
	last := latest(p.copy.at.ended, u.DoubtedAt) // the farewell itself may have been sent again
	settled := last.Add(p.e.opt.Settle)
	finally := p.copy.at.over && !u.DoubtedAt.IsZero()
	if last.IsZero() || p.copy.at.place.Thread == "" || !u.Audited.Before(settled) && !finally {
		return time.Time{}
	}
	return latest(settled, p.copy.now().Add(time.Until(p.e.audits.get(p.copy.claim.Ref).next)))
}

// audit heals doubles. It returns when to come back for it, zero if it is done. What
// cannot be read is tried again, ever later, for as long as the discussion is
// remembered; it keeps nothing from ending. What Slack refuses to show stays as it is.
func (p *poster) audit(ctx context.Context) time.Time {
	u := p.copy.m.upkeep()
	err := p.heal(ctx)
	if err == nil || sendError(err).Outcome == Refused {
		u.Audited = p.copy.now()
		return time.Time{}
	}
	waited := p.copy.now().Sub(latest(p.copy.at.ended, u.DoubtedAt).Add(p.e.opt.Settle))
	pause := max(sendError(err).After, growing(waited, auditRetry, auditRetryMost))
	p.copy.log.LogAttrs(ctx, slog.LevelWarn, "audit_failed", slog.Duration("again_in", pause), slog.Any("error", err))
	p.e.audits.set(p.copy.claim.Ref, pace{next: time.Now().Add(pause)})
	return p.copy.now().Add(pause)
}

// The pause after an audit that failed grows from the one to the other.
const (
	auditRetry     = 20 * time.Second
	auditRetryMost = time.Hour
)

// heal reads the thread for posts that stand twice, and, where the introduction was sent
// again, the channel since the last look for others of it.
func (p *poster) heal(ctx context.Context) error {
	u, channel := p.copy.m.upkeep(), thread.Place{Team: p.copy.claim.Ref.Team, Channel: p.copy.claim.Ref.Channel}
	_, err := p.find(ctx, p.copy.at.opened.Add(-lookBack))
	if !u.RootDoubted || err != nil && sendError(err).Outcome != Refused {
		return err
	}
	if err := p.copy.renew(ctx); err != nil {
		return err
	}
	stands := map[string]string{p.copy.claim.Ref.ID + "/root": p.copy.at.place.Root}
	return p.retractDoubles(ctx, channel, latest(p.copy.at.opened, u.Audited).Add(-lookBack), stands)
}
