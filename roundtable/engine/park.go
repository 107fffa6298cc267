package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

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
	err := t.feed(ctx, input{id: l.id + "/parked", at: t.now(), event: roundtable.Parked{}})
	if p, ok := errors.AsType[*stepPanic](err); ok {
		t.log.LogAttrs(ctx, slog.LevelError, "parking_not_told", slog.String("input", l.id), slog.Any("error", p))
		return nil
	}
	return err
}

// putAside removes what the store refused again and again for its size: the oldest
// letter (all before it were committed one by one), else the head of the outbox,
// else the question to the panel.
func (t *turn) putAside(ctx context.Context) error {
	asked := t.m.asking()
	var err error
	switch {
	case len(t.mail) > 0:
		l := t.mail[0]
		t.mail = t.mail[1:]
		err = t.park(ctx, l, "too_large", nil)
	case len(t.outbox) > 0:
		err = t.giveUp(ctx, t.giveUpReason(t.outbox[0].effect))
	case asked != nil:
		err = t.feed(ctx, t.failure(asked.EffectKey(), roundtable.ReasonTooLarge))
	}
	if err != nil {
		return err
	}
	_, err = t.flush(ctx, Commit{})
	return err
}

// announce notes in the store what is about to be worked on, if holders of this
// discussion have come to an end, and reports whether that was announced too often
// already. Only what a holder announced while the store was well counts: a claim
// whose reply was lost, or an end while it waited for Slack to settle, says nothing
// about what waits here.
func (t *turn) announce(ctx context.Context, what string) (doomed bool, err error) {
	switch {
	case !t.careful:
		return false, nil
	case t.h.Tried == what && t.h.Tries >= t.e.opt.PoisonLimit:
		return true, nil
	}
	if err := t.inTime(); err != nil {
		return false, err
	}
	sent := time.Now()
	r, err := t.e.opt.Store.Try(ctx, t.h, what)
	if err != nil {
		return false, fmt.Errorf("announce work on discussion %s: %w", t.h.Ref.ID, err)
	}
	return false, t.accept(r, sent)
}

// openAlone takes in one letter in a commit of its own, after it was announced, so
// that the one that kills, or that makes the state too large to be stored, is known.
func (t *turn) openAlone(ctx context.Context, l letter) error {
	if err := t.commitAlone(ctx); err != nil || len(t.mail) == 0 || t.mail[0].id != l.id {
		return err // or the commit brought older mail
	}
	doomed := false
	if !t.survived(l) {
		var err error
		if doomed, err = t.announce(ctx, l.id); err != nil || len(t.mail) == 0 || t.mail[0].id != l.id {
			return err
		}
	}
	if doomed {
		t.mail = t.mail[1:]
		if err := t.park(ctx, l, "crashed", nil); err != nil {
			return err
		}
		return t.commitAlone(ctx)
	}
	if err := t.open(ctx, l); err != nil {
		return err
	}
	err := t.commitAlone(ctx)
	if !errors.Is(err, ErrTooLarge) {
		return err
	}
	if err := t.undo(); err != nil {
		return err
	}
	if err := t.park(ctx, l, "too_large", err); err != nil {
		return err
	}
	return t.commitAlone(ctx)
}

// survived reports whether a former holder had taken in this letter and gone on to
// a later one, before it ended without a commit.
func (t *turn) survived(l letter) bool {
	return l.id != t.h.Tried && slices.ContainsFunc(t.mail, func(m letter) bool { return m.id == t.h.Tried })
}

// commitAlone commits what was gathered, if there is anything: an empty commit would
// only make the store forget what it counted. Before a rewound store was verified
// nothing may be committed.
func (t *turn) commitAlone(ctx context.Context) error {
	if t.unverified {
		return nil
	}
	var c Commit
	body, err := t.fill(&c)
	if err != nil || bytes.Equal(body, t.state) && !t.owes() && len(c.Consumed)+len(c.Append)+len(c.Park) == 0 {
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
	if err := t.decode(); err != nil {
		return fmt.Errorf("go back to the last commit of %s: %w", t.h.Ref.ID, err)
	}
	return nil
}

// streaks counts how often in a row something went wrong with a discussion. Every
// replica finds out for itself.
type streaks struct {
	mu sync.Mutex
	n  map[Ref]int
}

// refusalLimit is after how many changes that the store refused for their size the
// cause is put aside. From the first on the discussion is worked on carefully.
const refusalLimit = 2

func (r *streaks) count(ref Ref) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n[ref]
}

func (r *streaks) add(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == nil || len(r.n) > 1024 {
		r.n = make(map[Ref]int)
	}
	r.n[ref]++
}

func (r *streaks) clear(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.n, ref)
}
