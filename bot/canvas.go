package bot

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/roundtable"
)

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
		return b.heard.allows(roundtable.Place{Team: b.self.team, Channel: who.channel}, url)
	}
	content := slack.DocumentContent{Type: "markdown", Markdown: canvasText(string(doc.body), links)}
	// In its channel a canvas is a tab that every member may open; on its own nobody
	// but the app could, and free workspaces have no others.
	id, err := b.api.CreateCanvasContext(ctx, blocks.Readable(doc.name+" · "+slug), content, slack.CreateCanvasOptionChannelID(who.channel))
	if err != nil {
		return fmt.Errorf("create a canvas: %w", err)
	}
	b.answer(ctx, who.channel, who.thread, who.user, roundtable.SayCanvas(slug, doc.name, b.self.site+"docs/"+b.self.team+"/"+id))
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
