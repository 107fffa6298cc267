package engine

import (
	"context"
	"errors"
)

// ItemRef names an item. Items belong to a channel, so that no channel can read
// what another discussed (I12).
type ItemRef struct{ Team, Channel, Slug string }

// Item is an item's artifacts and its meta.json.
type Item struct {
	// Version changes with every write; zero when the item does not exist.
	Version int64
	// Files maps artifact names to their bytes; Meta is meta.json, nil if none.
	Files map[string][]byte
	Meta  []byte
	// Applied are the keys of the effects that were merged into it.
	Applied map[string][]byte
}

// Items keeps artifacts and meta.json.
type Items interface {
	ReadItem(ctx context.Context, ref ItemRef) (Item, error)
	// WriteItem replaces the named files and, unless nil, meta.json, if the item
	// still has the version that was read, else ErrConflict. key and result are
	// remembered in Applied: an effect is merged once however often it is
	// repeated.
	WriteItem(ctx context.Context, ref ItemRef, w ItemWrite) error
	// ListItems returns the slugs of a channel's items, sorted.
	ListItems(ctx context.Context, team, channel string) ([]string, error)
}

// ItemWrite is one atomic change of an item.
type ItemWrite struct {
	Version int64 // as read
	Files   map[string][]byte
	Meta    []byte
	Key     string
	Result  []byte
}

// ErrConflict means that an item changed since it was read.
var ErrConflict = errors.New("the item was changed meanwhile")

// ErrBarred means that an item cannot be changed until somebody mends what is
// outside the program: a directory that is read-only, a full disk, something in the
// way of a file. Nothing of the change was made, or what was made is completed by the
// next attempt. Trying on by itself would only hide it (I10).
var ErrBarred = errors.New("the item cannot be changed as things are")
