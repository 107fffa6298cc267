package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// auditAt is when Slack is to be read for doubles that showed up late (reliability
// §1.4.6), by the store's clock; zero for never. It is when what was sent again has
// settled, when the last posts of a discussion that closed have, and, if anything was
// ever sent again, before the discussion is forgotten.
func (t *turn) auditAt() time.Time {
	u := t.m.upkeep()
	last := latest(t.at.ended, *u.doubtedAt) // the farewell itself may have been sent again
	settled := last.Add(t.e.opt.Settle)
	finally := t.at.over && !u.doubtedAt.IsZero()
	if last.IsZero() || t.at.place.Thread == "" || !u.audited.Before(settled) && !finally {
		return time.Time{}
	}
	return latest(settled, t.now().Add(time.Until(t.e.audits.get(t.h.Ref).next)))
}

// audit heals doubles. It returns when to come back for it, zero if it is done. What
// cannot be read is tried again, ever later, for as long as the discussion is
// remembered; it keeps nothing from ending. What Slack refuses to show stays as it is.
func (t *turn) audit(ctx context.Context) time.Time {
	u := t.m.upkeep()
	err := t.heal(ctx)
	if err == nil || sendError(err).Outcome == Refused {
		*u.audited = t.now()
		return time.Time{}
	}
	waited := t.now().Sub(latest(t.at.ended, *u.doubtedAt).Add(t.e.opt.Settle))
	pause := max(sendError(err).After, growing(waited, auditRetry, auditRetryMost))
	t.log.LogAttrs(ctx, slog.LevelWarn, "audit_failed", slog.Duration("again_in", pause), slog.Any("error", err))
	t.e.audits.set(t.h.Ref, pace{next: time.Now().Add(pause)})
	return t.now().Add(pause)
}

// The pause after an audit that failed grows from the one to the other.
const (
	auditRetry     = 20 * time.Second
	auditRetryMost = time.Hour
)

// heal reads the thread for posts that stand twice, and, where the introduction was sent
// again, the channel since the last look for others of it.
func (t *turn) heal(ctx context.Context) error {
	u, channel := t.m.upkeep(), roundtable.Place{Team: t.h.Ref.Team, Channel: t.h.Ref.Channel}
	_, err := t.find(ctx, t.at.opened.Add(-lookBack))
	if !*u.rootDoubted || err != nil && sendError(err).Outcome != Refused {
		return err
	}
	if err := t.renew(ctx); err != nil {
		return err
	}
	stands := map[string]string{t.h.Ref.ID + "/root": t.at.place.Root}
	return t.retractDoubles(ctx, channel, latest(t.at.opened, *u.audited).Add(-lookBack), stands)
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
