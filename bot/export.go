package bot

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
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
		return say.ExportWhich("", nil), nil
	}
	slugs, err := b.opts.Items.ListItems(ctx, b.self.team, who.channel)
	if err != nil {
		b.log.Warn("items not listed", "channel", who.channel, "error", webapi.Scrub(err))
		return say.NotRead(), nil
	}
	slug, ok := b.itemNamed(slugs, words)
	if !ok {
		return say.ExportWhich(words, slugs), nil
	}
	item, err := b.opts.Items.ReadItem(ctx, engine.ItemRef{Team: b.self.team, Channel: who.channel, Slug: slug})
	if err != nil {
		b.log.Warn("item not read", "channel", who.channel, "error", webapi.Scrub(err))
		return say.NotRead(), nil
	}
	if item.Hidden { // forgotten since it was listed
		return say.ExportWhich(words, nil), nil
	}
	if err := b.note(ctx, who, slug, thread.Audit{Kind: thread.AuditExported, By: who.user, Detail: thread.DetailItem}); err != nil {
		b.log.Warn("export not recorded", "channel", who.channel, "error", webapi.Scrub(err))
		return say.NotRead(), nil
	}
	if !b.self.may("files:write") {
		return inline(slug, item), nil
	}
	return say.Exporting(slug), func(ctx context.Context) {
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
	b.WriteString(say.ExportInline(slug))
	for _, f := range contents(item) {
		fmt.Fprintf(&b, "\n\n%s\n%s", f.name, f.body)
		if b.Len() > maxInline {
			return say.ExportTooLarge(slug)
		}
	}
	return b.String()
}

// canvasLimit is the longest document that is made a canvas, in characters. Slack
// names no limit; what is longer is read as a file.
const canvasLimit = 100_000

// fitsCanvas reports whether a document can be one: canvases are Markdown.
func fitsCanvas(doc document) bool {
	ext := strings.ToLower(path.Ext(doc.name))
	return (ext == ".md" || ext == ".markdown") && utf8.Valid(doc.body) && utf8.RuneCount(doc.body) <= canvasLimit
}

// showCanvas makes a canvas of a document for everybody in the channel, and says
// where it is.
func (b *Bot) showCanvas(ctx context.Context, slug string, doc document, who asker) error {
	links := func(url string) bool {
		return b.heard.allows(thread.Place{Team: b.self.team, Channel: who.channel}, url)
	}
	content := slack.DocumentContent{Type: "markdown", Markdown: canvasText(string(doc.body), links)}
	// In its channel a canvas is a tab that every member may open; on its own nobody
	// but the app could, and free workspaces have no others.
	id, err := b.api.CreateCanvasContext(ctx, blocks.Readable(doc.name+" · "+slug), content, slack.CreateCanvasOptionChannelID(who.channel))
	if err != nil {
		return fmt.Errorf("create a canvas: %w", err)
	}
	b.answer(ctx, who.channel, who.thread, who.user, say.Canvas(slug, doc.name, b.self.site+"docs/"+b.self.team+"/"+id))
	return nil
}

// canvasText is Markdown in which nothing acts: in a canvas, too, an image whose
// address is a person's id is a mention, and a link leads wherever a model wants
// (I12). An invisible character between the two that make such a thing keeps every
// reader of Markdown from seeing one, whatever it takes for code.
func canvasText(markdown string, allowed func(url string) bool) string {
	text := blocks.BareURL.ReplaceAllStringFunc(blocks.Inert(blocks.Readable(markdown)), func(url string) string {
		if allowed(url) {
			return url
		}
		return strings.ReplaceAll(blocks.Defang(url), "://", ":"+blocks.WordJoiner+"//")
	})
	var out strings.Builder
	var before rune
	for _, r := range text {
		if acts(before, r) {
			out.WriteString(blocks.WordJoiner)
		}
		out.WriteRune(r)
		before = r
	}
	return out.String()
}

// acts reports whether two characters side by side begin an image, a link, a link's
// definition, or markup in angle brackets.
func acts(a, b rune) bool {
	switch a {
	case '!':
		return b == '['
	case ']':
		return b == '(' || b == '[' || b == ':'
	case '<':
		return strings.ContainsRune("@#!/?", b) || unicode.IsLetter(b)
	}
	return false
}
