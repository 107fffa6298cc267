package chaos

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	redis "github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/checkout"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// window looks into Redis and changes nothing: through the store as far as that
// shows it, and at the keys themselves (storage/keys.go) for what is nobody's
// business but the store's.
type window struct {
	*storage.Redis
	raw redis.UniversalClient
	// folders are the documents, where a directory keeps them.
	folders *checkout.Store
}

func newWindow(t testing.TB, g *ground) *window {
	t.Helper()
	w := &window{Redis: storagetest.Open(t, &storagetest.Server{URL: g.url}, storage.Options{Lease: lease}), raw: g.client}
	if g.artifacts != "" {
		var err error
		if w.folders, err = checkout.Open(t.Context(), checkout.Options{Dir: g.artifacts}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.folders.Close() })
	}
	return w
}

// ReadItem reads an item from where it is kept.
func (w *window) ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error) {
	if w.folders != nil {
		return w.folders.ReadItem(ctx, ref)
	}
	return w.Redis.ReadItem(ctx, ref)
}

// held is a discussion as Redis holds it.
type held struct {
	ref   engine.Ref
	shard string // "{rt1:7}:"
	state roundtable.Discussion
	// analysis is set instead if it is one: no honest person of a campaign begins any.
	analysis *analysis.Analysis
	entries  []thread.Entry
	// owner is true while somebody holds it; mail and outbox are what waits; due is
	// when it next needs somebody, zero for never.
	owner        bool
	mail, outbox int
	due          time.Time
}

// where names it in what a campaign tells.
func (h held) where() string { return h.ref.ID + " in " + h.ref.Channel }

// discussions lists all there are.
func (w *window) discussions(ctx context.Context) ([]held, error) {
	var all []held
	scan := w.raw.Scan(ctx, 0, "{rt1:*}:t:*", 1000).Iterator()
	seen := make(map[string]bool)
	for scan.Next(ctx) {
		if seen[scan.Val()] {
			continue
		}
		seen[scan.Val()] = true
		h, err := w.look(ctx, scan.Val())
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("list discussions: %w", err)
	}
	return all, nil
}

func (w *window) look(ctx context.Context, name string) (h held, err error) {
	shard, member, _ := strings.Cut(name, "}:t:")
	shard += "}:"
	part := strings.SplitN(member, "/", 3)
	if len(part) != 3 {
		return h, fmt.Errorf("key %s names no discussion", name)
	}
	h.ref, h.shard = engine.Ref{Team: part[0], Channel: part[1], ID: part[2]}, shard
	f, err := w.raw.HMGet(ctx, name, "lu", "oh", "ot", "lc").Result()
	if err != nil {
		return h, fmt.Errorf("look at %s: %w", name, err)
	}
	text := func(i int) string { s, _ := f[i].(string); return s }
	number := func(i int) int { n, _ := strconv.Atoi(text(i)); return n }
	h.owner, h.outbox = number(0) > 0, number(2)-number(1)
	waiting, err := w.raw.HKeys(ctx, shard+"in:"+member).Result()
	if err != nil {
		return h, fmt.Errorf("look at the mail of %s: %w", name, err)
	}
	gone := strings.Fields(text(3))
	for _, m := range waiting {
		if !slices.Contains(gone, m) {
			h.mail++
		}
	}
	switch score, err := w.raw.ZScore(ctx, shard+"due", member).Result(); {
	case errors.Is(err, redis.Nil):
	case err != nil:
		return h, fmt.Errorf("look when %s is due: %w", name, err)
	default:
		h.due = time.UnixMilli(int64(score))
	}
	state, log, err := w.Read(ctx, h.ref)
	if err != nil {
		return h, err
	}
	if thread.KindOf(state) == analysis.StateKind {
		a, err := analysis.Decode(state)
		h.analysis = &a
		return h, err
	}
	e, err := invariant.Of(h.ref, state, log, nil)
	h.state, h.entries = e.Discussion, e.Entries
	return h, err
}

// read reads a discussion's state and log.
func (w *window) read(ctx context.Context, ref engine.Ref) (invariant.Evidence, error) {
	state, log, err := w.Read(ctx, ref)
	if err != nil {
		return invariant.Evidence{}, err
	}
	return invariant.Of(ref, state, log, nil)
}

// soon is how near a discussion's next appointment must be to count as pending: the end
// of a closed discussion's memory is not.
const soon = time.Minute

// quiet reports whether nothing more will happen to a discussion for a long time:
// closed, audited, with nothing waiting and nobody at it.
func (h held) quiet(now time.Time) bool {
	if h.analysis != nil { // it waits for people, of whom none come
		return !h.owner && h.mail == 0 && h.outbox == 0
	}
	return h.state.State == roundtable.StateClosed && h.audited() && !h.owner && h.mail == 0 && h.outbox == 0 &&
		(h.due.IsZero() || h.due.After(now.Add(soon)))
}

// audited reports whether the thread was read for doubles after the last posts in it had
// settled.
func (h held) audited() bool {
	last := h.state.Closed
	if h.state.DoubtedAt.After(last) {
		last = h.state.DoubtedAt
	}
	return h.state.Place.Thread == "" || !h.state.Audited.Before(last.Add(settle))
}

// consumed reports whether an input was taken in, whatever came of it.
func (w *window) consumed(ctx context.Context, h held, input string) (bool, error) {
	sum := sha256.Sum256([]byte(input))
	of, err := w.raw.HGet(ctx, h.shard+"sn:"+h.ref.Team+"/"+h.ref.Channel+"/"+h.ref.ID, base64.RawURLEncoding.EncodeToString(sum[:12])).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil && of == "", err
}
