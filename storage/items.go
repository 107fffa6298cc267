package storage

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// ReadItem returns an item; one that does not exist has version 0.
func (r *Redis) ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error) {
	item := engine.Item{Files: make(map[string][]byte), Applied: make(map[string][]byte)}
	if err := checkItem(ref); err != nil {
		return item, fmt.Errorf("read item: %w", err)
	}
	fields, err := r.client.HGetAll(ctx, r.keys.item(ref)).Result()
	if err != nil {
		return item, ref.Discreet(fmt.Errorf("read item %s: %w", ref.Slug, err))
	}
	for name, value := range fields {
		kind, rest, _ := strings.Cut(name, ":")
		switch kind {
		case "v":
			if item.Version, err = strconv.ParseInt(value, 10, 64); err != nil {
				return item, ref.Discreet(fmt.Errorf("read item %s: its version is not a number", ref.Slug))
			}
		case "meta":
			item.Meta = []byte(value)
		case "f":
			item.Files[rest] = []byte(value)
		case "k":
			item.Applied[rest] = []byte(value)
		case "o":
			item.Openers = append(item.Openers, rest)
		case "gone":
			item.Hidden = fields["gv"] == "" || fields["gv"] == fields["v"]
		}
	}
	slices.Sort(item.Openers)
	return item, nil
}

// WriteItem changes an item that still has the version that was read, else it
// returns engine.ErrConflict. A key that was merged before is success whatever the
// version, and changes nothing: ReadItem's Applied holds the result of the first
// time. What the item has no room for is ErrTooLarge.
func (r *Redis) WriteItem(ctx context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	if err := checkItem(ref); err != nil {
		return fmt.Errorf("write item: %w", err)
	}
	if err := checkWrite(w); err != nil {
		return ref.Discreet(fmt.Errorf("write item %s: %w", ref.Slug, err))
	}
	args := []any{ref.Slug, w.Version, w.Key, w.Result, w.Meta != nil, w.Meta, engine.MaxArtifacts, engine.MaxItemBytes, w.Opener}
	for _, name := range slices.Sorted(maps.Keys(w.Files)) {
		args = append(args, name, w.Files[name])
	}
	answer, _, err := r.do(ctx, call{
		writeItemScript, []string{r.keys.item(ref), r.keys.items(ref.Team, ref.Channel)}, append(args, r.operation()), true,
	})
	switch {
	case err != nil:
		return ref.Discreet(fmt.Errorf("write item %s: %w", ref.Slug, err))
	case answer == "conflict":
		return ref.Discreet(fmt.Errorf("write item %s: %w", ref.Slug, engine.ErrConflict))
	case answer == "full":
		return ref.Discreet(fmt.Errorf("write item %s: more than %d artifacts, or than %d bytes of them: %w", ref.Slug, engine.MaxArtifacts, engine.MaxItemBytes, ErrTooLarge))
	}
	return nil
}

// ListItems returns the slugs of a channel's items, sorted.
func (r *Redis) ListItems(ctx context.Context, team, channel string) ([]string, error) {
	if err := checkChannel(team, channel); err != nil {
		return nil, fmt.Errorf("list items: %w", err)
	}
	slugs, err := r.client.SMembers(ctx, r.keys.items(team, channel)).Result()
	if err != nil {
		return nil, fmt.Errorf("list items of %s: %w", channel, err)
	}
	slices.Sort(slugs)
	return slugs, nil
}

func checkItem(ref engine.ItemRef) error {
	if ref.Slug == "" {
		return fmt.Errorf("an item needs a slug")
	}
	return checkChannel(ref.Team, ref.Channel)
}

func checkWrite(w engine.ItemWrite) error {
	if err := w.Check(); err != nil {
		return err
	}
	return checkSize("result", w.Result)
}
