package engine

import (
	"context"
	"errors"
	"log/slog"
	"path"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
)

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
