package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// How often one introduction is brought up to date, how long after that a discussion is
// come back to for what its turns have left, and how long a failure is left alone. While
// people talk, a turn that ends shows the introduction along the way, and nobody comes
// only for it.
const (
	rootEvery = 3 * time.Second
	rootRest  = 3 * time.Second
	rootRetry = 30 * time.Second
	rootTries = 3
)

// showRoot brings the introduction up to date with the state: a view that
// converges, not an effect, so a crash or a failure needs no repair. It returns
// when to come back for it (by the store's clock), zero if there is no need.
func (t *turn) showRoot(ctx context.Context) time.Time {
	if t.at.state == "" || t.at.place.Root == "" {
		return time.Time{}
	}
	m, shown := t.m.root(), t.m.upkeep().rootShown
	sum, err := digest(m)
	if err != nil || sum == *shown {
		return time.Time{}
	}
	last := t.e.roots.get(t.h.Ref)
	closing := t.at.closed && last.fails == 0
	if wait := time.Until(last.next); wait > 0 && !closing {
		if last.fails == 0 {
			wait += rootRest
		}
		return t.now().Add(wait)
	}
	start := time.Now()
	wire, cancel := t.bounded(ctx, start.Add(courtesyTime), errPostTime)
	err = t.e.opt.Workplace.ShowRoot(wire, t.at.place, m)
	cancel()
	if err != nil && sendError(err).Outcome != Refused {
		return t.rootFailed(ctx, last, err)
	}
	if err != nil {
		t.log.LogAttrs(ctx, slog.LevelWarn, "root_refused", slog.Any("error", err))
	}
	t.e.roots.set(t.h.Ref, pace{next: start.Add(rootEvery)})
	*shown = sum
	return time.Time{}
}

// rootFailed puts the next try off. After some tries it is left until something
// else happens.
func (t *turn) rootFailed(ctx context.Context, p pace, err error) time.Time {
	t.log.LogAttrs(ctx, slog.LevelWarn, "root_not_shown", slog.Any("error", err))
	p = pace{next: time.Now().Add(max(rootRetry, sendError(err).After)), fails: p.fails + 1}
	t.e.roots.set(t.h.Ref, p)
	if p.fails >= rootTries {
		return time.Time{}
	}
	return t.now().Add(time.Until(p.next))
}

// digest tells messages apart.
func digest(m roundtable.Message) (string, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}
