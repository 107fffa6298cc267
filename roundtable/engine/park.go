package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/roundtable-chat/app/roundtable"
)

// park moves a letter to the dead letters.
func (t *turn) park(ctx context.Context, l letter, reason string, cause error) error {
	if len(t.change.park) > 0 && t.change.parkFor != reason {
		if _, err := t.flush(ctx, Commit{}); err != nil {
			return err
		}
	}
	t.change.park = append(t.change.park, l.id)
	t.change.parkFor = reason
	t.e.metrics.parked.Inc()
	t.log.LogAttrs(ctx, slog.LevelError, "input_parked", slog.String("input", l.id), slog.String("reason", reason), slog.Any("error", cause))
	if len(t.change.park) > 1 {
		return nil // the room is told once
	}
	err := t.feed(ctx, roundtable.Input{ID: l.id + "/parked", At: t.now(), Event: roundtable.Parked{}})
	if p, ok := errors.AsType[*stepPanic](err); ok {
		t.log.LogAttrs(ctx, slog.LevelError, "parking_not_told", slog.String("input", l.id), slog.Any("error", p))
		return nil
	}
	return err
}

// putAside removes what has killed its holder again and again: the oldest letter
// (all before it were committed one by one), else the head of the outbox, else
// the question to the panel.
func (t *turn) putAside(ctx context.Context) error {
	const reason = "crashed"
	asked := roundtable.Asking(t.d)
	var err error
	switch {
	case len(t.mail) > 0:
		l := t.mail[0]
		t.mail = t.mail[1:]
		err = t.park(ctx, l, reason, nil)
	case len(t.outbox) > 0:
		err = t.giveUp(ctx, giveUpReason(t.outbox[0].effect))
	case asked != nil:
		err = t.feed(ctx, t.failure(asked.EffectKey(), roundtable.ReasonModelUnavailable))
	}
	if err != nil {
		return err
	}
	_, err = t.flush(ctx, Commit{})
	return err
}

// openAlone takes in one letter in a commit of its own, so that the one that kills,
// or that makes the state too large to be stored, is known by elimination. The
// latter is parked in its turn.
func (t *turn) openAlone(ctx context.Context, l letter) error {
	if t.owes() || len(t.change.consumed) > 0 || len(t.change.lines) > 0 {
		// An empty commit would only make the store forget the crashes it counted.
		if _, err := t.flush(ctx, Commit{}); err != nil {
			return err
		}
		if len(t.mail) == 0 || t.mail[0].id != l.id {
			return nil // the commit brought older mail
		}
	}
	if err := t.open(ctx, l); err != nil {
		return err
	}
	_, err := t.flush(ctx, Commit{})
	if !errors.Is(err, ErrTooLarge) {
		return err
	}
	if err := t.undo(); err != nil {
		return err
	}
	if err := t.park(ctx, l, "too_large", err); err != nil {
		return err
	}
	_, err = t.flush(ctx, Commit{})
	return err
}

// undo forgets everything that was decided since the last commit. Nothing of it was
// performed.
func (t *turn) undo() error {
	t.entries = t.entries[:len(t.entries)-len(t.change.lines)]
	t.outbox = slices.DeleteFunc(t.outbox, func(e errand) bool { return !e.stored })
	t.change = change{}
	t.d = roundtable.Discussion{}
	if t.state == nil {
		return nil
	}
	var err error
	if t.d, err = roundtable.Decode(t.state); err != nil {
		return fmt.Errorf("go back to the last commit of %s: %w", t.h.Ref.ID, err)
	}
	return nil
}

// refusals counts how often in a row the store refused a change of a discussion for
// its size. From the first on the discussion is worked on carefully; then the cause
// is put aside. Every replica finds out for itself.
type refusals struct {
	mu sync.Mutex
	n  map[Ref]int
}

// refusalLimit is after how many refusals the cause is put aside.
const refusalLimit = 2

func (r *refusals) count(ref Ref) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n[ref]
}

func (r *refusals) add(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == nil || len(r.n) > 1024 {
		r.n = make(map[Ref]int)
	}
	r.n[ref]++
}

func (r *refusals) clear(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.n, ref)
}
