package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Documents is where the documents of items are kept: in Redis, or in a directory.
type Documents interface {
	ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error)
	// HideItem puts an item out of sight, SealItem keeps what is out of sight from being
	// written into, UnsealItem no longer does, RestoreItem brings it back as it was, and
	// RemoveItem removes it, each under the key of a forgetting and any number of times.
	// HideItem gives engine.ErrNotFound where there is none, or another key has it. The
	// others find nothing to do then.
	HideItem(ctx context.Context, ref engine.ItemRef, key string) error
	// SealItem has every write end with engine.ErrConflict until the item is unsealed, removed
	// or restored. back is true where it is in sight, because it was written into before.
	SealItem(ctx context.Context, ref engine.ItemRef, key string) (back bool, err error)
	UnsealItem(ctx context.Context, ref engine.ItemRef, key string) error
	RestoreItem(ctx context.Context, ref engine.ItemRef, key string) error
	RemoveItem(ctx context.Context, ref engine.ItemRef, key string) error
}

// Farewells forget items, wherever their documents are, with the discussions that they
// came from, and single discussions; see engine.Farewells.
type Farewells struct {
	Documents Documents
	Threads   *Redis
}

var _ engine.Farewells = Farewells{}

// Hide implements engine.Farewells. The item goes first: nothing is merged into it any
// more without bringing it back, so what it came from is known.
func (f Farewells) Hide(ctx context.Context, what engine.Farewell) (engine.Hidden, error) {
	if what.Item == "" {
		return engine.Hidden{Discussions: 1}, f.Threads.forget(ctx, what, what.Discussion, "hide")
	}
	ref := itemOf(what)
	if err := f.Documents.HideItem(ctx, ref, what.Key); err != nil {
		return engine.Hidden{}, fmt.Errorf("hide item: %w", err)
	}
	item, err := f.Documents.ReadItem(ctx, ref)
	if err != nil {
		return engine.Hidden{}, fmt.Errorf("hide item: %w", err)
	}
	count := engine.Hidden{Documents: len(item.Files)}
	for _, id := range item.Sources() {
		switch err := f.Threads.forget(ctx, what, id, "hide"); {
		case errors.Is(err, engine.ErrNotFound): // its time is over, or it is forgotten already
		case err != nil:
			return count, fmt.Errorf("hide item: %w", err)
		default:
			count.Discussions++
		}
	}
	return count, nil
}

// Restore implements engine.Farewells. The item comes last: as long as it is out of
// sight, what it came from is known.
func (f Farewells) Restore(ctx context.Context, what engine.Farewell) error {
	if what.Item == "" {
		return f.Threads.forget(ctx, what, what.Discussion, "restore")
	}
	ref := itemOf(what)
	item, err := f.Documents.ReadItem(ctx, ref)
	if err != nil {
		return fmt.Errorf("restore item: %w", err)
	}
	for _, id := range item.Sources() {
		if err := f.Threads.forget(ctx, what, id, "restore"); err != nil {
			return fmt.Errorf("restore item: %w", err)
		}
	}
	if err := f.Documents.RestoreItem(ctx, ref, what.Key); err != nil {
		return fmt.Errorf("restore item: %w", err)
	}
	return nil
}

// Remove implements engine.Farewells. The discussions are suspended first: from then on no
// replica works on any of them, so that all of them can be removed, or none is. Then the item is
// sealed: what is written into it comes before that, and all of it is there again, or waits
// until nothing of it is left, and makes it anew. What is left of an item names the
// discussions, so it goes last.
func (f Farewells) Remove(ctx context.Context, what engine.Farewell) (back bool, err error) {
	if what.Item == "" {
		return false, f.removeThreads(ctx, what, []string{what.Discussion})
	}
	ref := itemOf(what)
	item, err := f.Documents.ReadItem(ctx, ref)
	if err != nil {
		return false, fmt.Errorf("remove item: %w", err)
	}
	if err := f.suspend(ctx, what, item.Sources()); err != nil {
		return false, fmt.Errorf("remove item: %w", err)
	}
	if back, err = f.Documents.SealItem(ctx, ref, what.Key); err != nil {
		return false, fmt.Errorf("remove item: %w", err)
	}
	if back {
		return true, f.Restore(ctx, what)
	}
	if err := f.removeThreads(ctx, what, item.Sources()); err != nil {
		return false, err
	}
	if err := f.Documents.RemoveItem(ctx, ref, what.Key); err != nil {
		return false, fmt.Errorf("remove item: %w", err)
	}
	return false, nil
}

// suspend keeps replicas from coming to work on any of an item's discussions. A replica that
// works on one already may have to write into the item before it lets go: for it everything is
// put back as it was, an item that an earlier removal sealed included, and the error is
// engine.ErrBusy.
func (f Farewells) suspend(ctx context.Context, what engine.Farewell, ids []string) error {
	for i, id := range ids {
		err := f.Threads.forget(ctx, what, id, "suspend")
		if errors.Is(err, engine.ErrBusy) {
			for _, id := range ids[:i] {
				err = errors.Join(err, f.Threads.forget(ctx, what, id, "resume"))
			}
			return errors.Join(err, f.Documents.UnsealItem(ctx, itemOf(what), what.Key))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f Farewells) removeThreads(ctx context.Context, what engine.Farewell, ids []string) error {
	for _, id := range ids {
		if err := f.Threads.forget(ctx, what, id, "remove"); err != nil {
			return err
		}
	}
	return f.Threads.forgetLetters(ctx, what, ids)
}

func itemOf(f engine.Farewell) engine.ItemRef {
	return engine.ItemRef{Team: f.Team, Channel: f.Channel, Slug: f.Item}
}

// HideItem puts an item out of sight; see Documents.
func (r *Redis) HideItem(ctx context.Context, ref engine.ItemRef, key string) error {
	answer, err := r.forgetItem(ctx, ref, key, "hide")
	if err == nil && answer == "missing" {
		err = engine.ErrNotFound
	}
	return err
}

// RestoreItem brings an item back; see Documents.
func (r *Redis) RestoreItem(ctx context.Context, ref engine.ItemRef, key string) error {
	_, err := r.forgetItem(ctx, ref, key, "restore")
	return err
}

// SealItem keeps an item from being written into; see Documents.
func (r *Redis) SealItem(ctx context.Context, ref engine.ItemRef, key string) (back bool, err error) {
	answer, err := r.forgetItem(ctx, ref, key, "seal")
	return answer == "back", err
}

// UnsealItem lets an item be written into again; see Documents.
func (r *Redis) UnsealItem(ctx context.Context, ref engine.ItemRef, key string) error {
	_, err := r.forgetItem(ctx, ref, key, "unseal")
	return err
}

// RemoveItem removes an item; see Documents.
func (r *Redis) RemoveItem(ctx context.Context, ref engine.ItemRef, key string) error {
	_, err := r.forgetItem(ctx, ref, key, "remove")
	return err
}

func (r *Redis) forgetItem(ctx context.Context, ref engine.ItemRef, key, how string) (answer any, err error) {
	if err := checkItem(ref); err != nil {
		return nil, fmt.Errorf("%s item: %w", how, err)
	}
	answer, _, err = r.do(ctx, call{
		script: forgetItemScript, keys: []string{r.keys.item(ref), r.keys.items(ref.Team, ref.Channel)},
		args: []any{ref.Slug, how, key, r.operation()}, durable: true,
	})
	if err != nil {
		return nil, fmt.Errorf("%s item: %w", how, err)
	}
	return answer, nil
}

// forget hides, suspends, resumes, restores or removes one discussion. Hiding gives engine.ErrNotFound when
// there is none, or another forgetting has it.
func (r *Redis) forget(ctx context.Context, what engine.Farewell, id, how string) error {
	ref := engine.Ref{Team: what.Team, Channel: what.Channel, ID: id}
	thread := r.keys.thread(ref)
	alias := thread
	root, err := r.client.HGet(ctx, thread, "th").Result()
	switch {
	case err != nil && !errors.Is(err, redis.Nil):
		return fmt.Errorf("%s discussion %s: %w", how, ref.ID, err)
	case root != "":
		alias = r.keys.alias(ref.Team, ref.Channel, root)
	}
	shard := r.keys.shard(ref.Team, ref.Channel)
	answer, _, err := r.do(ctx, call{
		script: forgetScript,
		keys:   []string{thread, r.keys.mailbox(ref), r.keys.log(ref), r.keys.seen(ref), r.keys.due(shard), r.keys.act(shard), r.keys.channel(ref.Team, ref.Channel), alias},
		args:   []any{member(ref), how, what.Key, r.operation()}, durable: true,
	})
	switch {
	case err != nil:
		return fmt.Errorf("%s discussion %s: %w", how, ref.ID, err)
	case answer == "busy":
		return fmt.Errorf("%s discussion %s: %w", how, ref.ID, engine.ErrBusy)
	case answer == "missing":
		return fmt.Errorf("%s discussion %s: %w", how, ref.ID, engine.ErrNotFound)
	}
	return nil
}

// lettersAtOnce is how many parked letters are looked at in one request: each may hold
// as much as a mail may.
const lettersAtOnce = 100

// forgetLetters takes what was parked of these discussions off the list.
func (r *Redis) forgetLetters(ctx context.Context, of engine.Farewell, ids []string) error {
	shard := r.keys.shard(of.Team, of.Channel)
	stream := r.keys.letters(shard)
	for from := "-"; ; {
		page, err := r.client.XRangeN(ctx, stream, from, "+", lettersAtOnce).Result()
		if err != nil {
			return fmt.Errorf("read dead letters: %w", err)
		}
		var gone []string
		for _, m := range page {
			letter, err := readLetter(shard, m)
			if err == nil && letter.Ref.Team == of.Team && letter.Ref.Channel == of.Channel && slices.Contains(ids, letter.Ref.ID) {
				gone = append(gone, m.ID)
			}
		}
		if len(gone) > 0 {
			if err := r.client.XDel(ctx, stream, gone...).Err(); err != nil {
				return fmt.Errorf("remove dead letters: %w", err)
			}
		}
		if len(page) < lettersAtOnce {
			return nil
		}
		from = "(" + page[len(page)-1].ID
	}
}
