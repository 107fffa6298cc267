package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// audit heals doubles that showed up late (reliability §1.4.6). It reads Slack when what
// was sent again has settled, when the last posts of a discussion that closed have, and,
// if anything was ever sent again, before the discussion is forgotten. It returns when to
// come back for it, zero if there is no need. What cannot be read is tried again until
// then; it keeps nothing from ending.
func (t *turn) audit(ctx context.Context) time.Time {
	u := t.m.upkeep()
	last := latest(t.at.ended, *u.doubtedAt) // the farewell itself may have been sent again
	settled := last.Add(t.e.opt.Settle)
	now := t.now()
	finally := t.at.over && !u.doubtedAt.IsZero()
	switch {
	case last.IsZero() || t.at.place.Thread == "" || !u.audited.Before(settled) && !finally:
		return time.Time{}
	case now.Before(settled):
		return settled
	case now.Before(t.auditAgain):
		return t.auditAgain
	}
	since := t.at.opened.Add(-lookBack)
	_, err := t.find(ctx, since)
	if err == nil && *u.rootDoubted {
		_, err = t.findIn(ctx, roundtable.Place{Team: t.h.Ref.Team, Channel: t.h.Ref.Channel}, since)
	}
	if err == nil {
		*u.audited = now
		return time.Time{}
	}
	t.log.LogAttrs(ctx, slog.LevelWarn, "audit_failed", slog.Any("error", err))
	// Mail may keep the discussion here, and the next rest asks again.
	t.auditAgain = now.Add(max(sendError(err).After, growing(now.Sub(settled), auditRetry, auditRetryMost)))
	return t.auditAgain
}

// The pause after an audit that failed grows from the one to the other.
const (
	auditRetry     = 20 * time.Second
	auditRetryMost = 5 * time.Minute
)

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
