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

// enrich writes what a discussion concluded into its item, once however often it
// is tried (I8). Everything gathered is committed first: what is written must
// follow from a synthesis that cannot be forgotten and drafted differently.
func (t *turn) enrich(ctx context.Context, e roundtable.Enrich) error {
	if _, err := t.flush(ctx, Commit{}); err != nil {
		return err
	}
	start := time.Now()
	wire, cancel := t.bounded(ctx, start.Add(t.e.opt.PostTimeout), errPostTime)
	defer cancel()
	changes, err := t.write(wire, e)
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		t.effectDone(ctx, e, string(Refused), start, err)
		t.log.LogAttrs(ctx, slog.LevelError, "item_refused", slog.String("item", t.d.Item), slog.Any("error", err))
		return t.giveUp(ctx, roundtable.ReasonArtifactRefused)
	case err != nil:
		t.effectDone(ctx, e, "not_written", start, err)
		return t.wait(ctx, failedPause)
	}
	t.effectDone(ctx, e, outcomeDone, start, nil)
	t.pop()
	return t.feed(ctx, roundtable.Input{ID: e.Key + "/enriched", At: t.now(), Event: roundtable.Enriched{Effect: e.Key, Changes: changes}})
}

// refusal is an error that trying again does not mend: the item cannot take the
// synthesis without losing something.
type refusal struct{ err error }

func (r *refusal) Error() string { return r.err.Error() }
func (r *refusal) Unwrap() error { return r.err }

// write reads the item, merges and writes, until nobody else wrote in between.
func (t *turn) write(ctx context.Context, e roundtable.Enrich) ([]roundtable.ArtifactChange, error) {
	ref := ItemRef{Team: t.h.Ref.Team, Channel: t.h.Ref.Channel, Slug: t.d.Item}
	for range enrichTries {
		item, err := t.e.opt.Items.ReadItem(ctx, ref)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, fmt.Errorf("read item %s: %w", ref.Slug, err)
		}
		if result, ok := item.Applied[t.d.ID]; ok {
			var changes []roundtable.ArtifactChange
			if err := json.Unmarshal(result, &changes); err != nil {
				return nil, &refusal{fmt.Errorf("read what was written to item %s: %w", ref.Slug, err)}
			}
			return changes, nil
		}
		w, changes, err := merge(item, e, t.d)
		if err != nil {
			return nil, &refusal{fmt.Errorf("merge into item %s: %w", ref.Slug, err)}
		}
		if err = t.e.opt.Items.WriteItem(ctx, ref, w); err == nil {
			return changes, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, fmt.Errorf("write item %s: %w", ref.Slug, err)
		}
	}
	return nil, fmt.Errorf("write item %s: %w", ref.Slug, ErrConflict)
}
