package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// enrichTries bounds how often a write is tried against others who write the same
// item at the same moment (SPEC §7: both land).
const enrichTries = 20

// write makes a change of the item, once however often it is tried (I8). Everything
// gathered is committed first: what is written must follow from a conclusion that
// cannot be forgotten and drafted differently.
func (t *turn) write(ctx context.Context, e effect, w writing) error {
	if _, err := t.flush(ctx, Commit{}); err != nil {
		return err
	}
	start := time.Now()
	wire, cancel := t.bounded(ctx, start.Add(t.e.opt.PostTimeout), errPostTime)
	defer cancel()
	changes, err := t.writeItem(wire, w)
	var refused *refusal
	switch {
	case errors.As(err, &refused), errors.Is(err, ErrBarred), errors.Is(err, ErrTooLarge):
		t.effectDone(ctx, e, string(Refused), start, err)
		t.log.LogAttrs(ctx, slog.LevelError, "item_refused", slog.String("item", t.at.item), slog.Any("error", err))
		return t.giveUp(ctx, roundtable.ReasonArtifactRefused)
	case err != nil:
		t.effectDone(ctx, e, "not_written", start, err)
		return t.wait(ctx, failedPause)
	}
	t.effectDone(ctx, e, outcomeDone, start, nil)
	t.pop()
	receipt := w.receipt(changes)
	return t.feed(ctx, input{id: e.EffectKey() + "/" + eventName(receipt), at: t.now(), event: receipt})
}

// refusal is an error that trying again does not mend: the item cannot take what is
// to be written without losing something.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// writeItem reads the item, merges and writes, until nobody else wrote in between.
func (t *turn) writeItem(ctx context.Context, w writing) ([]roundtable.ArtifactChange, error) {
	ref := ItemRef{Team: t.h.Ref.Team, Channel: t.h.Ref.Channel, Slug: t.at.item}
	for range enrichTries {
		item, err := t.e.opt.Items.ReadItem(ctx, ref)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, fmt.Errorf("read item %s: %w", ref.Slug, err)
		}
		if result, ok := item.Applied[w.once]; ok {
			var changes []roundtable.ArtifactChange
			if err := json.Unmarshal(result, &changes); err != nil {
				return nil, &refusal{fmt.Errorf("read what was written to item %s: %w", ref.Slug, err)}
			}
			return changes, nil
		}
		change, changes, err := w.merge(item)
		if err != nil {
			return nil, &refusal{fmt.Errorf("merge into item %s: %w", ref.Slug, err)}
		}
		if err = t.e.opt.Items.WriteItem(ctx, ref, change); err == nil {
			return changes, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, fmt.Errorf("write item %s: %w", ref.Slug, err)
		}
	}
	return nil, fmt.Errorf("write item %s: %w", ref.Slug, ErrConflict)
}
