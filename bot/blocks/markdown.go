package blocks

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slack-go/slack"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/roundtable-chat/app/roundtable/lookahead"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// A reader turns Markdown into rich text and lays it out on a sheet. Rich text
// is chosen over mrkdwn and over Slack's own Markdown because nothing in its
// text is ever parsed again: a mention or a link exists only as an element of
// that type, and this file makes none but links that links allows (I12).
type reader struct {
	source []byte
	// links says whether a URL may be clickable.
	links func(url string) bool
	// headers draws headings as header blocks and rules as dividers; else they
	// are bold lines and spaces.
	headers bool
	// points are those that the lists of a synthesis hold, in order; sources
	// are the links that follow each.
	points  []thread.Point
	sources func(thread.Point) []slack.RichTextSectionElement
	// messages gives the address of a message of the thread, or "".
	messages func(ts string) string
	sheet    *sheet
}

// markdownParser reads CommonMark and strikethrough. It keeps no state.
var markdownParser = goldmark.New(goldmark.WithExtensions(extension.Strikethrough)).Parser()

// read draws a text, of which a message shows no more than maxSource: what lies beyond
// is counted as cut and never parsed. What is too intricate to be parsed in a request's
// time is drawn as it stands.
func (r *reader) read(source string) {
	source, left := cutSource(source)
	r.source = []byte(lookahead.Literal(source))
	r.blocks(markdownParser.Parse(text.NewReader(r.source)), 0)
	r.sheet.cut += left
}

// maxSource bounds the Markdown of one message, in characters: twice what it shows,
// because marks and addresses show nothing.
const maxSource = 2 * maxSheet

// cutSource cuts a text to what is parsed of it, at the end of a line or a word if one
// is near, and counts the characters left.
func cutSource(source string) (head string, left int) {
	if len(source) <= maxSource || utf8.RuneCountInString(source) <= maxSource {
		return source, 0
	}
	head, rest := splitText(source, maxSource)
	return head, utf8.RuneCountInString(rest)
}

func (r *reader) blocks(parent ast.Node, depth int) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		r.block(n, depth)
	}
}

// maxDepth bounds nesting; what lies deeper is shown as plain text.
const maxDepth = 8

func (r *reader) block(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Heading:
		r.heading(n)
	case *ast.ThematicBreak:
		if r.headers {
			r.sheet.divider()
		}
	case *ast.List:
		r.list(n, depth, 0)
	case *ast.Blockquote:
		r.sheet.quote(r.flat(n, depth))
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		r.code(n)
	default:
		r.sheet.paragraph(r.inlines(n, slack.RichTextSectionTextStyle{}))
	}
}

func (r *reader) code(n ast.Node) {
	body := r.lines(n)
	if h, ok := n.(*ast.HTMLBlock); ok {
		if h.HasClosure() {
			body += string(h.ClosureLine.Value(r.source))
		}
		r.sheet.paragraph(r.words(strings.TrimRight(body, "\n"), slack.RichTextSectionTextStyle{}))
		return
	}
	r.sheet.code(Unescape(strings.TrimRight(body, "\n")))
}

func (r *reader) heading(n *ast.Heading) {
	bold := slack.RichTextSectionTextStyle{Bold: true}
	words := r.inlines(n, bold)
	if r.headers && n.Level <= 3 {
		r.sheet.header(plainText(words))
		return
	}
	if r.headers {
		r.sheet.divider()
	}
	r.sheet.paragraph(words)
}

// list lays a list out; nested lists follow their item one step further in, as
// Slack's lists cannot hold each other.
func (r *reader) list(l *ast.List, depth, indent int) {
	style, number := slack.RTEListBullet, 0
	if l.IsOrdered() {
		style, number = slack.RTEListOrdered, max(l.Start-1, 0)
	}
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		var own []slack.RichTextSectionElement
		for c := item.FirstChild(); c != nil; c = c.NextSibling() {
			if nested, ok := c.(*ast.List); ok && depth < maxDepth {
				r.sheet.item(style, indent, number, own)
				own, number = nil, number+1
				r.list(nested, depth+1, indent+1)
				continue
			}
			own = joinLines(own, r.flatBlock(c, depth+1))
		}
		if len(own) > 0 {
			r.sheet.item(style, indent, number, append(own, r.cite(own)...))
			number++
		}
	}
}

// cite returns the sources of the point that a list's entry states.
func (r *reader) cite(entry []slack.RichTextSectionElement) []slack.RichTextSectionElement {
	if len(r.points) == 0 || !strings.HasPrefix(plainText(entry), "["+strings.Join(r.points[0].By, "/")+"]") {
		return nil
	}
	p := r.points[0]
	r.points = r.points[1:]
	return r.sources(p)
}

// flat reads blocks as running text with line breaks between them.
func (r *reader) flat(parent ast.Node, depth int) []slack.RichTextSectionElement {
	var all []slack.RichTextSectionElement
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		all = joinLines(all, r.flatBlock(n, depth+1))
	}
	return all
}

func (r *reader) flatBlock(n ast.Node, depth int) []slack.RichTextSectionElement {
	switch n.(type) {
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		return Styled(Unescape(strings.TrimRight(r.lines(n), "\n")), slack.RichTextSectionTextStyle{Code: true})
	case *ast.List, *ast.ListItem, *ast.Blockquote:
		if depth > maxDepth {
			return nil
		}
		return r.flat(n, depth)
	}
	return r.inlines(n, slack.RichTextSectionTextStyle{})
}

func (r *reader) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(r.source))
	}
	return b.String()
}

// inlines are the words of a block. Its links are judged beside what stands around them.
func (r *reader) inlines(parent ast.Node, style slack.RichTextSectionTextStyle) []slack.RichTextSectionElement {
	return Unmasked(r.spans(parent, style))
}

func (r *reader) spans(parent ast.Node, style slack.RichTextSectionTextStyle) []slack.RichTextSectionElement {
	var all []slack.RichTextSectionElement
	r.gather(&all, parent, style)
	return all
}

// gather appends what stands in a node to all, at once for every depth of emphasis.
func (r *reader) gather(all *[]slack.RichTextSectionElement, parent ast.Node, style slack.RichTextSectionTextStyle) {
	var run strings.Builder
	flush := func() {
		*all = append(*all, r.words(run.String(), style)...)
		run.Reset()
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*ast.Text); ok {
			run.WriteString(r.literal(t))
			continue
		}
		if s, ok := n.(*ast.String); ok {
			run.WriteString(string(s.Value))
			continue
		}
		flush()
		if inner, ok := restyled(n, style); ok {
			r.gather(all, n, inner)
			continue
		}
		*all = append(*all, r.inline(n, style)...)
	}
	flush()
}

// restyled is the style within a node that changes nothing else.
func restyled(n ast.Node, style slack.RichTextSectionTextStyle) (slack.RichTextSectionTextStyle, bool) {
	switch n := n.(type) {
	case *ast.Emphasis:
		if n.Level >= 2 {
			style.Bold = true
		} else {
			style.Italic = true
		}
		return style, true
	case *extast.Strikethrough:
		style.Strike = true
		return style, true
	}
	return style, false
}

// literal is the text of a node with escapes and entities resolved and its line
// break.
func (r *reader) literal(t *ast.Text) string {
	s := string(resolve(t.Segment.Value(r.source)))
	if t.HardLineBreak() || t.SoftLineBreak() {
		s += "\n"
	}
	return s
}

func (r *reader) inline(n ast.Node, style slack.RichTextSectionTextStyle) []slack.RichTextSectionElement {
	switch n := n.(type) {
	case *ast.CodeSpan:
		var b strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				b.Write(t.Segment.Value(r.source))
			}
		}
		style.Code = true
		return Styled(Unescape(strings.ReplaceAll(b.String(), "\n", " ")), style)
	case *ast.AutoLink:
		return r.link(Unescape(string(n.URL(r.source))), "", style)
	case *ast.Link:
		if e := r.message(n, style); e != nil {
			return e
		}
		return r.link(string(resolve(n.Destination)), plainText(r.spans(n, style)), style)
	case *ast.Image:
		return r.link(string(resolve(n.Destination)), plainText(r.spans(n, style)), style)
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			b.Write(s.Value(r.source))
		}
		return r.words(b.String(), style)
	}
	return r.spans(n, style)
}

// message is a link of the rules to a message of this thread, or its words where the
// address is not known; nil for any other link.
func (r *reader) message(n *ast.Link, style slack.RichTextSectionTextStyle) []slack.RichTextSectionElement {
	label := plainText(r.spans(n, style))
	ts, ok := thread.MessageOf(label, string(n.Destination))
	switch {
	case !ok:
		return nil
	case r.messages == nil || r.messages(ts) == "":
		return Styled(label, style)
	}
	return []slack.RichTextSectionElement{slack.NewRichTextSectionLinkElement(r.messages(ts), label, ref(style))}
}

// words is running text; URLs in it become links or are defanged.
func (r *reader) words(s string, style slack.RichTextSectionTextStyle) []slack.RichTextSectionElement {
	var all []slack.RichTextSectionElement
	for {
		at := BareURL.FindStringIndex(s)
		if at == nil {
			return append(all, Styled(s, style)...)
		}
		all = append(all, Styled(s[:at[0]], style)...)
		all = append(all, r.link(s[at[0]:at[1]], "", style)...)
		s = s[at[1]:]
	}
}

// link is clickable only where links allows it; else its words and its address are text.
func (r *reader) link(url, label string, style slack.RichTextSectionTextStyle) []slack.RichTextSectionElement {
	label = strings.TrimSpace(label)
	if r.links(url) {
		return []slack.RichTextSectionElement{slack.NewRichTextSectionLinkElement(url, label, ref(style))}
	}
	if label == "" || label == url {
		return Styled(Defang(url), style)
	}
	return Styled(defangWords(label)+" ("+Defang(url)+")", style)
}

func defangWords(s string) string { return BareURL.ReplaceAllStringFunc(s, Defang) }

// Unmasked shows the address of every link whose words, together with what stands beside
// them without a space, look like another one's (NFR-103).
func Unmasked(elements []slack.RichTextSectionElement) []slack.RichTextSectionElement {
	var all []slack.RichTextSectionElement
	for i, e := range elements {
		l, ok := e.(*slack.RichTextSectionLinkElement)
		if !ok || l.Text == "" || !thread.Disguises(l.Text, l.URL) && !thread.Disguises(besides(elements, i, -1)+l.Text+besides(elements, i, 1), l.URL) {
			all = append(all, e)
			continue
		}
		all = append(all, shown(l.Text, l.URL, l.Style)...)
	}
	return all
}

// shown are a link's words, disarmed, and its address, which alone can be followed.
func shown(label, url string, style *slack.RichTextSectionTextStyle) []slack.RichTextSectionElement {
	spelled := ""
	if s := thread.Spelled(url); s != url {
		spelled = s
	}
	return []slack.RichTextSectionElement{
		slack.NewRichTextSectionTextElement(thread.Disarmed(label)+" (", style),
		slack.NewRichTextSectionLinkElement(url, spelled, style), slack.NewRichTextSectionTextElement(")", style),
	}
}

// besideLimit is how much of what stands beside a link is read, in bytes.
const besideLimit = 100

// besides is what stands before a link (-1) or after it (1) without a space.
func besides(elements []slack.RichTextSectionElement, i, way int) (word string) {
	for i += way; i >= 0 && i < len(elements) && len(word) < besideLimit; i += way {
		text := elementText(elements[i])
		at := strings.IndexFunc(text, unicode.IsSpace)
		if way < 0 {
			at = strings.LastIndexFunc(text, unicode.IsSpace)
		}
		switch {
		case way < 0:
			word = text[max(at+1, len(text)-besideLimit):] + word
		case at >= 0:
			word += text[:min(at, besideLimit)]
		default:
			word += text[:min(len(text), besideLimit)]
		}
		if at >= 0 {
			break
		}
	}
	return strings.ToValidUTF8(word, "")
}
