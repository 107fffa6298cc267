package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"unicode/utf8"
)

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
