package main

import (
	"context"
	"log/slog"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// turnLimit reads an item's own turn limit from its meta.json (AC-007-03). An
// item that cannot be read has none: a discussion is not refused for that.
func turnLimit(items engine.Items, log *slog.Logger) func(context.Context, engine.ItemRef) int {
	return func(ctx context.Context, ref engine.ItemRef) int {
		item, err := items.ReadItem(ctx, ref)
		if err != nil {
			log.WarnContext(ctx, "turn limit not read", "item", engine.Private(ref.Slug), "error", err)
			return 0
		}
		if item.Meta == nil {
			return 0
		}
		meta, err := document.ParseMeta(item.Meta)
		if err != nil {
			log.WarnContext(ctx, "meta.json not read", "item", engine.Private(ref.Slug), "error", err)
			return 0
		}
		n, _ := meta.MaxTurns()
		return n
	}
}
