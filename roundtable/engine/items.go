package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
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
	// Openers are the ids of those who opened the discussions and analyses that it came
	// from, as far as they were noted, sorted.
	Openers []string
	// Hidden is set while it is forgotten and can still be taken back: nobody is shown it.
	// Whatever is written into it brings it back.
	Hidden bool
}

// Sources are the ids of the discussions and analyses that were merged into an item: the
// key of a discussion's result is its id, an analysis' keys begin with its.
func (i Item) Sources() []string {
	ids := make(map[string]bool)
	for key := range i.Applied {
		if id, _, _ := strings.Cut(key, "/"); id != "" {
			ids[id] = true
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// Items keeps artifacts and meta.json.
type Items interface {
	ReadItem(ctx context.Context, ref ItemRef) (Item, error)
	// WriteItem replaces the named files and, unless nil, meta.json, if the item
	// still has the version that was read, else ErrConflict. key and result are
	// remembered in Applied: an effect is merged once however often it is
	// repeated. What the item has no room for is ErrTooLarge, and changes nothing.
	WriteItem(ctx context.Context, ref ItemRef, w ItemWrite) error
	// ListItems returns the slugs of a channel's items, sorted.
	ListItems(ctx context.Context, team, channel string) ([]string, error)
}

// What an item may hold, in every store alike, so that what one takes the other takes,
// too, and what was written can be read.
const (
	// MaxArtifacts is how many artifacts there may be beside meta.json.
	MaxArtifacts = 1000
	// MaxArtifactBytes bounds an artifact, and meta.json.
	MaxArtifactBytes = 1 << 20
	// MaxItemBytes bounds all of them together.
	MaxItemBytes = 32 << 20
)

// ItemWrite is one atomic change of an item.
type ItemWrite struct {
	Version int64 // as read
	Files   map[string][]byte
	Meta    []byte
	Key     string
	Result  []byte
	// Opener is the id of who opened the discussion or the analysis that it comes from;
	// empty if that is nobody.
	Opener string
}

// Check refuses with ErrTooLarge what no item can take, whatever it holds. Stores call
// it before anything else.
func (w ItemWrite) Check() error {
	if len(w.Files) > MaxArtifacts {
		return fmt.Errorf("%d artifacts are more than %d: %w", len(w.Files), MaxArtifacts, ErrTooLarge)
	}
	total := len(w.Meta)
	if total > MaxArtifactBytes {
		return fmt.Errorf("meta.json has %d bytes, more than %d: %w", total, MaxArtifactBytes, ErrTooLarge)
	}
	for name, file := range w.Files {
		if len(file) > MaxArtifactBytes {
			return Discreet(fmt.Errorf("artifact %s has %d bytes, more than %d: %w", name, len(file), MaxArtifactBytes, ErrTooLarge), name)
		}
		total += len(file)
	}
	if total > MaxItemBytes {
		return fmt.Errorf("%d bytes of artifacts are more than %d: %w", total, MaxItemBytes, ErrTooLarge)
	}
	return nil
}

// ErrConflict means that an item changed since it was read.
var ErrConflict = errors.New("the item was changed meanwhile")

// ErrBarred means that an item cannot be changed until somebody mends what is
// outside the program: a directory that is read-only, a full disk, something in the
// way of a file. Nothing of the change was made, or what was made is completed by the
// next attempt. Trying on by itself would only hide it (I10).
var ErrBarred = errors.New("the item cannot be changed as things are")

// Document is an artifact of an item as an inquirer reads it: text, cut off with a sign
// where it is long.
type Document struct{ File, Text string }

// documentLimit bounds what an inquirer is told of one document, in bytes.
const documentLimit = 32 << 10

// documents are the artifacts of an item, by name. What cannot be read is done without:
// the thread is known.
func (e *Engine) documents(ctx context.Context, ref ItemRef, log *slog.Logger) []Document {
	item, err := e.opt.Items.ReadItem(ctx, ref)
	if err != nil {
		if !errors.Is(err, ErrNotFound) {
			log.LogAttrs(ctx, slog.LevelWarn, "documents_not_read", slog.Any("error", err))
		}
		return nil
	}
	var list []Document
	for file, content := range item.Files {
		text := strings.TrimSpace(string(content[:min(len(content), documentLimit)]))
		if !utf8.Valid(content) || text == "" {
			continue
		}
		if len(content) > documentLimit {
			text = strings.ToValidUTF8(text, "") + " […]"
		}
		list = append(list, Document{file, text})
	}
	slices.SortFunc(list, func(a, b Document) int { return cmp.Compare(a.File, b.File) })
	return list
}

// writtenLimit bounds what a panel is told of a step's documents, in bytes.
const writtenLimit = 8 << 10

// written is what stands in the documents of the step that a discussion elaborates
// for an analysis: it is framed from what was really written (AC-004-03), as that
// stands now, and the state need not carry it. What cannot be read is done without:
// the step's summary is known.
func (e *Engine) written(ctx context.Context, ref ItemRef, d *roundtable.Discussion, log *slog.Logger) string {
	if d.Origin == nil {
		return ""
	}
	item, err := e.opt.Items.ReadItem(ctx, ref)
	if err != nil {
		if !errors.Is(err, ErrNotFound) {
			log.LogAttrs(ctx, slog.LevelWarn, "documents_not_read", slog.Any("error", err))
		}
		return ""
	}
	return stepText(item, d.Step)
}

// stepText joins what a step has left in its outputs. A list or a table is told
// whole: what of it is the step's is not marked.
func stepText(item Item, step roundtable.StepRef) string {
	var texts []string
	for _, output := range step.Outputs {
		content, ok := item.Files[output]
		if !ok {
			continue
		}
		text := strings.TrimSpace(string(content))
		if path.Ext(output) == ".md" {
			text = document.Written(content, step.ID)
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	text := strings.Join(texts, "\n\n")
	if len(text) > writtenLimit {
		text = strings.ToValidUTF8(text[:writtenLimit], "") + "…"
	}
	return text
}
