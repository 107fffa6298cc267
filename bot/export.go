package bot

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// maxInline is how much of an item is shown where no file can be sent.
const maxInline = 3500

// export answers a wish for an item's documents, and sends them in a direct
// message afterwards. Items belong to a channel, and only who is in it may have
// them (I12).
func (b *Bot) export(ctx context.Context, words string, who asker) (string, task) {
	if refusal := b.mayRead(ctx, who); refusal != "" {
		return refusal, nil
	}
	if b.opts.Items == nil {
		return roundtable.SayExportWhich("", nil), nil
	}
	slugs, err := b.opts.Items.ListItems(ctx, b.self.team, who.channel)
	if err != nil {
		b.log.Warn("items not listed", "channel", who.channel, "error", webapi.Scrub(err))
		return roundtable.SayNotRead(), nil
	}
	slug, ok := b.itemNamed(slugs, words)
	if !ok {
		return roundtable.SayExportWhich(words, slugs), nil
	}
	item, err := b.opts.Items.ReadItem(ctx, engine.ItemRef{Team: b.self.team, Channel: who.channel, Slug: slug})
	if err != nil {
		b.log.Warn("item not read", "channel", who.channel, "error", webapi.Scrub(err))
		return roundtable.SayNotRead(), nil
	}
	if item.Hidden { // forgotten since it was listed
		return roundtable.SayExportWhich(words, nil), nil
	}
	if err := b.note(ctx, who, slug, roundtable.Audit{Kind: roundtable.AuditExported, By: who.user, Detail: roundtable.DetailItem}); err != nil {
		b.log.Warn("export not recorded", "channel", who.channel, "error", webapi.Scrub(err))
		return roundtable.SayNotRead(), nil
	}
	if !b.self.may("files:write") {
		return inline(slug, item), nil
	}
	return roundtable.SayExporting(slug), func(ctx context.Context) {
		if err := b.sendItem(ctx, slug, item, who.user); err != nil {
			b.log.Warn("export not sent", "channel", who.channel, "error", webapi.Scrub(err))
			b.answer(ctx, who.channel, "", who.user, inline(slug, item))
		}
	}
}

// sendItem uploads an item as a zip file into the direct message with a person.
func (b *Bot) sendItem(ctx context.Context, slug string, item engine.Item, user string) error {
	archive, err := pack(slug, item)
	if err != nil {
		return err
	}
	dm, _, _, err := b.api.OpenConversationContext(ctx, &slack.OpenConversationParameters{Users: []string{user}, ReturnIM: true})
	if err != nil {
		return fmt.Errorf("open a direct message: %w", err)
	}
	return b.upload(ctx, dm.ID, "", slug+".zip", "", archive)
}

// packed is the time of every file in an archive, so that the same item always
// gives the same bytes.
var packed = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// pack zips an item. Names that could lead out of the folder where it is
// unpacked are refused; archive/zip would write them.
func pack(slug string, item engine.Item) (_ []byte, err error) {
	defer func() { err = engine.Discreet(err, slug) }()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range contents(item) {
		if !safeName(f.name) {
			return nil, fmt.Errorf("pack %s: an artifact has an unsafe name", slug)
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: slug + "/" + f.name, Method: zip.Deflate, Modified: packed})
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", slug, err)
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, fmt.Errorf("pack %s: %w", slug, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("pack %s: %w", slug, err)
	}
	return out.Bytes(), nil
}

type document struct {
	name string
	body []byte
}

// contents are an item's files in the order of their names, meta.json last.
func contents(item engine.Item) []document {
	var all []document
	for name, body := range item.Files {
		all = append(all, document{name, body})
	}
	slices.SortFunc(all, func(a, b document) int { return strings.Compare(a.name, b.name) })
	if item.Meta != nil {
		all = append(all, document{"meta.json", item.Meta})
	}
	return all
}

// safeName accepts plain file names, also one folder deep.
func safeName(name string) bool {
	if name == "" || strings.ContainsAny(name, "\\:\x00") || strings.HasPrefix(name, "/") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || part != blocks.Readable(part) {
			return false
		}
	}
	return true
}

// inline shows an item's documents where no file may be sent.
func inline(slug string, item engine.Item) string {
	var b strings.Builder
	b.WriteString(roundtable.SayExportInline(slug))
	for _, f := range contents(item) {
		fmt.Fprintf(&b, "\n\n%s\n%s", f.name, f.body)
		if b.Len() > maxInline {
			return roundtable.SayExportTooLarge(slug)
		}
	}
	return b.String()
}
