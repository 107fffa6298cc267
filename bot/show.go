package bot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// wish is which document somebody wants to see, and whether as a canvas.
type wish struct {
	document string // empty: which there are
	canvas   bool
}

// show answers a wish to see an item's documents: it names them, or puts one into the
// channel, or the thread, where everybody may read it who may read the item (I12).
func (b *Bot) show(ctx context.Context, r request, who asker) (string, task) {
	if refusal := b.mayRead(ctx, who); refusal != "" {
		return refusal, nil
	}
	if b.opts.Items == nil {
		return say.ShowWhich(nil), nil
	}
	slugs, err := b.opts.Items.ListItems(ctx, b.self.team, who.channel)
	if err != nil {
		b.log.Warn("items not listed", "channel", who.channel, "error", webapi.Scrub(err))
		return say.NotRead(), nil
	}
	if !slices.Contains(slugs, r.arg) {
		return say.ShowWhich(slugs), nil
	}
	return b.showOf(ctx, r.arg, wish{r.document, r.canvas}, who)
}

// showOf shows a document of an item that the channel has, or names them all.
func (b *Bot) showOf(ctx context.Context, slug string, w wish, who asker) (string, task) {
	item, err := b.opts.Items.ReadItem(ctx, engine.ItemRef{Team: b.self.team, Channel: who.channel, Slug: slug})
	if err != nil {
		b.log.Warn("item not read", "channel", who.channel, "error", webapi.Scrub(err))
		return say.NotRead(), nil
	}
	if item.Hidden {
		return say.ShowWhich(nil), nil
	}
	all := contents(item)
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.name
	}
	if w.document == "" {
		return say.Documents(slug, names), nil
	}
	i := meant(names, w.document)
	if i < 0 || !safeName(names[i]) {
		return say.NoDocument(slug, w.document, names), nil
	}
	doc := all[i]
	switch {
	case len(doc.body) == 0:
		return say.DocumentEmpty(slug, doc.name), nil
	case w.canvas && fitsCanvas(doc) && b.self.may("canvases:write"):
		return say.MakingCanvas(slug, doc.name), func(ctx context.Context) {
			if err := b.showCanvas(ctx, slug, doc, who); err != nil {
				b.log.Warn("canvas not made", "channel", who.channel, "error", webapi.Scrub(err))
				b.answer(ctx, who.channel, who.thread, who.user, say.NoCanvas(slug, doc.name))
				b.showFile(ctx, slug, doc, who)
			}
		}
	case !b.self.may("files:write"):
		text := say.DocumentInline(slug, doc.name) + "\n\n" + string(doc.body)
		if len(text) > maxInline {
			return say.ExportTooLarge(slug), nil
		}
		return text, nil
	}
	said := say.Showing(slug, doc.name)
	if w.canvas {
		said = say.NoCanvas(slug, doc.name)
	}
	return said, func(ctx context.Context) { b.showFile(ctx, slug, doc, who) }
}

// showFile puts a document where it was asked for.
func (b *Bot) showFile(ctx context.Context, slug string, doc document, who asker) {
	comment := b.workplace.draw.Private(thread.Place{Team: b.self.team, Channel: who.channel, Thread: who.thread}, say.Document(slug, doc.name, b.people.Person(ctx, who.user).Name))
	if err := b.upload(ctx, who.channel, who.thread, path.Base(doc.name), comment, doc.body); err != nil {
		b.log.Warn("document not shown", "channel", who.channel, "error", webapi.Scrub(err))
		b.answer(ctx, who.channel, who.thread, who.user, say.NotShown(slug, doc.name))
	}
}

// meant is the index of the document that a person means: by its name in any case,
// or without its folder if no other has that name; -1 for none.
func meant(names []string, wanted string) int {
	for _, same := range []func(name string) bool{
		func(name string) bool { return name == wanted },
		func(name string) bool { return strings.EqualFold(name, wanted) },
		func(name string) bool { return strings.EqualFold(path.Base(name), wanted) },
	} {
		if i := slices.IndexFunc(names, same); i >= 0 {
			if slices.ContainsFunc(names[i+1:], same) {
				return -1
			}
			return i
		}
	}
	return -1
}

// upload puts a file into a channel or a thread as the app (files.getUploadURLExternal,
// files.completeUploadExternal). comment is Slack's markup.
func (b *Bot) upload(ctx context.Context, channel, thread, name, comment string, content []byte) error {
	_, err := b.api.UploadFileContext(ctx, slack.UploadFileParameters{
		Reader: bytes.NewReader(content), FileSize: len(content), Filename: name, Title: name, Channel: channel,
		ThreadTimestamp: thread, InitialComment: comment,
	})
	if err != nil {
		return fmt.Errorf("upload a file: %w", err)
	}
	return nil
}

// wishInThread reads a mention of us in a thread of ours that asks for a document:
// "@Roundtable show requirements-spec.md", or which there are: "@Roundtable show
// documents". Anything else there is said to all.
func (b *Bot) wishInThread(h happening) (w wish, ok bool) {
	said, isSaid := h.Input.Event.(roundtable.Said)
	if !isSaid || !strings.HasPrefix(strings.TrimSpace(said.Text), "<@"+b.self.user) {
		return w, false
	}
	words, canvas := asCanvas(strings.Fields(plainTopic(stripMention(said.Text, b.self.user), b.people.Known)))
	if len(words) == 0 || len(words) > 2 || !strings.EqualFold(words[0], string(verbShow)) {
		return w, false
	}
	if len(words) == 1 || strings.EqualFold(words[1], "documents") {
		return w, true
	}
	w = wish{documentName(words[1]), canvas}
	return w, w.document != ""
}

// asCanvas takes "as canvas" off the end of what was asked.
func asCanvas(words []string) (rest []string, canvas bool) {
	for _, tail := range []string{"as canvas", "as a canvas"} {
		if n := len(words) - len(strings.Fields(tail)); n > 0 && strings.EqualFold(strings.Join(words[n:], " "), tail) {
			return words[:n], true
		}
	}
	return words, false
}

// showInThread answers such a wish with the item that the thread is about.
func (b *Bot) showInThread(ctx context.Context, ref engine.Ref, w wish, who asker) (string, task) {
	if refusal := b.mayRead(ctx, who); refusal != "" {
		return refusal, nil
	}
	v, err := b.opts.Reader.View(ctx, ref)
	if err != nil && v.Err == nil && !errors.Is(err, engine.ErrNotFound) {
		b.log.Warn("discussion not read", "discussion", ref.ID, "error", webapi.Scrub(err))
		return say.NotRead(), nil
	}
	if v.Item == "" || b.opts.Items == nil {
		return say.ShowWhich(nil), nil
	}
	return b.showOf(ctx, v.Item, w, who)
}
