package slacksim

import (
	"time"
)

// overRate reports how long the caller must wait, or 0 when the call is within
// the rates that are switched on; such a call counts. The caller holds mu.
func (w *Workspace) overRate(m *method, c *call) time.Duration {
	now := w.now()
	limit := w.opts.Pace.PerMinute[c.method]
	if limit == 0 && w.opts.Pace.Tiers {
		limit = m.perMinute
	}
	if limit > 0 {
		if wait := w.window(c.method, limit, time.Minute, now); wait > 0 {
			return wait
		}
	}
	if every := w.opts.Pace.PostEvery; every > 0 && c.method == "chat.postMessage" {
		burst := max(1, w.opts.Pace.PostBurst)
		return w.window("post "+c.args["channel"], burst, every*time.Duration(burst), now)
	}
	return 0
}

// window admits at most limit calls of one kind in any span of time.
func (w *Workspace) window(key string, limit int, span time.Duration, now time.Time) time.Duration {
	recent := w.windows[key]
	for len(recent) > 0 && now.Sub(recent[0]) >= span {
		recent = recent[1:]
	}
	if len(recent) >= limit {
		w.windows[key] = recent
		return span - now.Sub(recent[0])
	}
	w.windows[key] = append(recent, now)
	return 0
}
