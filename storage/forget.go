package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// ErrBusy means that a discussion cannot be forgotten now: a replica is at work on
// it, or something waits for one.
var ErrBusy = errors.New("a discussion is being worked on")

// ForgetItem removes an item for good: its documents, its meta.json, and the
// discussions whose results it holds, with their transcripts and parked mail
// (SPEC §8). It returns how many discussions went. Whether they have ended is the
// caller's to know; ErrBusy when one has something to do yet: then some may be gone,
// and it can be called again. An item that does not exist is engine.ErrNotFound.
func (r *Redis) ForgetItem(ctx context.Context, ref engine.ItemRef) (int, error) {
	item, err := r.ReadItem(ctx, ref)
	if err != nil {
		return 0, fmt.Errorf("forget item %s: %w", ref.Slug, err)
	}
	if item.Version == 0 {
		return 0, fmt.Errorf("forget item %s: %w", ref.Slug, engine.ErrNotFound)
	}
	merged, err := r.ForgetContributors(ctx, ref, item)
	if err != nil {
		return 0, err
	}
	// The name goes first: without it nobody finds the item, and a repetition
	// still does.
	if err := r.client.SRem(ctx, r.keys.items(ref.Team, ref.Channel), ref.Slug).Err(); err != nil {
		return 0, fmt.Errorf("forget item %s: %w", ref.Slug, err)
	}
	if err := r.client.Del(ctx, r.keys.item(ref)).Err(); err != nil {
		return 0, fmt.Errorf("forget item %s: %w", ref.Slug, err)
	}
	return merged, nil
}

// ForgetContributors removes the discussions and analyses that were merged into an
// item, wherever the item itself is kept, and returns how many there were.
func (r *Redis) ForgetContributors(ctx context.Context, ref engine.ItemRef, item engine.Item) (int, error) {
	merged := contributors(item)
	for _, id := range merged {
		if err := r.forget(ctx, engine.Ref{Team: ref.Team, Channel: ref.Channel, ID: id}); err != nil {
			return 0, fmt.Errorf("forget item %s: %w", ref.Slug, err)
		}
	}
	if err := r.forgetLetters(ctx, ref, merged); err != nil {
		return 0, fmt.Errorf("forget item %s: %w", ref.Slug, err)
	}
	return len(merged), nil
}

// ForgetDiscussion removes one discussion, or analysis, with its transcript and parked
// mail; what it wrote into an item stays. ErrBusy when it has something to do yet. One
// that is gone already is no error.
func (r *Redis) ForgetDiscussion(ctx context.Context, ref engine.Ref) error {
	err := r.forget(ctx, ref)
	if err == nil {
		err = r.forgetLetters(ctx, engine.ItemRef{Team: ref.Team, Channel: ref.Channel}, []string{ref.ID})
	}
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}

// contributors are the ids of the discussions and analyses that were merged into an
// item: the key of a discussion's result is its id, an analysis' keys begin with its.
func contributors(item engine.Item) []string {
	ids := make(map[string]bool)
	for key := range item.Applied {
		if id, _, _ := strings.Cut(key, "/"); id != "" {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// forget removes one discussion; one that is gone already is no error.
func (r *Redis) forget(ctx context.Context, ref engine.Ref) error {
	thread := r.keys.thread(ref)
	alias := thread
	root, err := r.client.HGet(ctx, thread, "th").Result()
	switch {
	case err != nil && !errors.Is(err, redis.Nil):
		return fmt.Errorf("discussion %s: %w", ref.ID, err)
	case root != "":
		alias = r.keys.alias(ref.Team, ref.Channel, root)
	}
	shard := r.keys.shard(ref.Team, ref.Channel)
	answer, _, err := r.do(ctx, call{
		script: forgetScript,
		keys:   []string{thread, r.keys.mailbox(ref), r.keys.log(ref), r.keys.seen(ref), r.keys.due(shard), r.keys.act(shard), alias},
		args:   []any{member(ref), r.operation()}, durable: true,
	})
	switch {
	case err != nil:
		return fmt.Errorf("discussion %s: %w", ref.ID, err)
	case answer == "busy":
		return fmt.Errorf("discussion %s: %w", ref.ID, ErrBusy)
	}
	return nil
}

// lettersAtOnce is how many parked letters are looked at in one request: each may hold
// as much as a mail may.
const lettersAtOnce = 100

// forgetLetters takes what was parked of these discussions off the list.
func (r *Redis) forgetLetters(ctx context.Context, of engine.ItemRef, ids []string) error {
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
