package document

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	mdhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// outline is a Markdown document as its top-level blocks. Only those can hold
// section headings: a heading in a fence, an HTML block, front matter, a quote
// or a list item structures nothing but its container.
type outline struct {
	source []byte // the whole document
	start  int    // where the body begins: after a BOM and front matter
	blocks []block
}

// block is one top-level block.
type block struct {
	start   int    // offset of the first byte of its first line
	level   int    // 1 to 6 for a heading, else 0
	text    string // a heading's plain text
	marker  string // an elaboration marker's line, else ""
	ours    bool   // a heading that an earlier merge inserted
	closer  string // what would end the block if it were left open, else ""
	display string // the block as HTML
}

const byteOrderMark = "\uFEFF"

// parseOutline reads a document. The error is a renderer's, which for a
// buffer in memory means a node of unknown kind.
func parseOutline(source []byte) (*outline, error) {
	o := &outline{source: source}
	if bytes.HasPrefix(source, []byte(byteOrderMark)) {
		o.start = len(byteOrderMark)
	}
	o.start += frontMatterLength(source[o.start:])
	body := source[o.start:]
	if len(body) > 0 && body[len(body)-1] != '\n' {
		// A last line without its ending means the same as with it, but
		// renders with small differences.
		body = append(slices.Clip(body), lineEnding(source)...)
	}
	md := newMarkdown()
	root := md.Parser().Parse(text.NewReader(body))
	var rendered bytes.Buffer
	// The renderer makes a buffer of its own for every call but for a writer
	// of this type.
	w := bufio.NewWriter(&rendered)
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		rendered.Reset()
		if err := md.Renderer().Render(w, body, n); err != nil {
			return nil, fmt.Errorf("render a %s at byte %d: %w", n.Kind(), n.Pos(), err)
		}
		b := readBlock(n, body, rendered.String())
		b.start += o.start
		o.blocks = append(o.blocks, b)
	}
	o.markOwn()
	return o, nil
}

// newMarkdown gives plain CommonMark. Raw HTML is rendered, because a change
// inside it is a change too.
func newMarkdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithRendererOptions(mdhtml.WithUnsafe()))
}

func readBlock(n ast.Node, body []byte, display string) block {
	b := block{start: lineStart(body, n.Pos()), display: n.Kind().String() + "\n" + display}
	switch n := n.(type) {
	case *ast.Heading:
		b.level, b.text = n.Level, plainText(display)
	case *ast.FencedCodeBlock:
		b.closer = fenceAt(body[n.Pos():])
	case *ast.HTMLBlock:
		first := n.Lines().At(0)
		line := strings.TrimSpace(string(first.Value(body)))
		b.closer = htmlCloser(n.HTMLBlockType, line)
		if n.HTMLBlockType == ast.HTMLBlockType2 && isMarker(line) {
			b.marker = line
		}
	}
	return b
}

// markOwn finds the headings that earlier merges inserted: the one directly
// under a marker and those below it. They are results, not sections of the
// document, and must not attract the next result.
func (o *outline) markOwn() {
	under := 0
	for i := range o.blocks {
		b := &o.blocks[i]
		switch {
		case b.level == 0:
		case i > 0 && o.blocks[i-1].marker != "":
			b.ours, under = true, b.level
		case under > 0 && b.level > under:
			b.ours = true
		default:
			under = 0
		}
	}
}

// section is a heading and what it governs.
type section struct {
	heading block
	end     int // offset where the next heading of the same or a higher level begins
	// shallowest is the level of the section's highest sub-heading, 0 for none.
	shallowest int
}

// section gives the section of the heading at index i of blocks.
func (o *outline) section(i int) section {
	s := section{heading: o.blocks[i], end: len(o.source)}
	for _, b := range o.blocks[i+1:] {
		if b.level == 0 {
			continue
		}
		if b.level <= s.heading.level {
			s.end = b.start
			break
		}
		if s.shallowest == 0 || b.level < s.shallowest {
			s.shallowest = b.level
		}
	}
	return s
}

// newSectionLevel is the level at which a further section belongs: below a
// sole document title, else beside the highest headings.
func (o *outline) newSectionLevel() int {
	titles, highest := 0, 0
	for _, b := range o.blocks {
		if b.level == 1 {
			titles++
		}
		if b.level > 0 && (highest == 0 || b.level < highest) {
			highest = b.level
		}
	}
	switch {
	case titles > 1:
		return 1
	case titles == 1 || highest == 0:
		return 2
	default:
		return highest
	}
}

var frontMatterKey = regexp.MustCompile(`^[\pL\pN_"'][^:]*:(\s|$)`)

// frontMatterLength is the length of the YAML front matter at the start of
// doc, without the line ending after it, 0 for none. A document may as well begin with a thematic break, so the
// first line inside must look like a key.
func frontMatterLength(doc []byte) int {
	at, line := 0, []byte(nil)
	if line, at = nextLine(doc, 0); string(bytes.TrimRight(line, " \t\r\n")) != "---" {
		return 0
	}
	keyed := false
	for at < len(doc) {
		line, at = nextLine(doc, at)
		trimmed := bytes.TrimRight(line, " \t\r\n")
		if s := string(trimmed); s == "---" || s == "..." {
			if keyed {
				return at - len(line) + len(bytes.TrimRight(line, "\r\n"))
			}
			return 0
		}
		if keyed || len(trimmed) == 0 || trimmed[0] == '#' {
			continue
		}
		if !frontMatterKey.Match(trimmed) {
			return 0
		}
		keyed = true
	}
	return 0
}

// nextLine gives the line at offset at, with its ending, and the offset after.
func nextLine(doc []byte, at int) ([]byte, int) {
	if i := bytes.IndexByte(doc[at:], '\n'); i >= 0 {
		return doc[at : at+i+1], at + i + 1
	}
	return doc[at:], len(doc)
}

func lineStart(doc []byte, at int) int {
	return bytes.LastIndexByte(doc[:max(at, 0)], '\n') + 1
}

// fenceAt is the run of fence characters at the start of line.
func fenceAt(line []byte) string {
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return string(line[:n])
}

var rawTag = regexp.MustCompile(`(?i)^<(script|pre|style|textarea)`)

// htmlCloser is the text that ends an HTML block of the kinds that run on over
// blank lines (CommonMark §4.6, kinds 1 to 5).
func htmlCloser(kind ast.HTMLBlockType, firstLine string) string {
	switch kind {
	case ast.HTMLBlockType1:
		return "</" + rawTag.FindStringSubmatch(firstLine)[1] + ">"
	case ast.HTMLBlockType2:
		return "-->"
	case ast.HTMLBlockType3:
		return "?>"
	case ast.HTMLBlockType4:
		return ">"
	case ast.HTMLBlockType5:
		return "]]>"
	case ast.HTMLBlockType6, ast.HTMLBlockType7:
		return ""
	default:
		return ""
	}
}

var htmlTag = regexp.MustCompile(`(?s)<!--.*?-->|<[^>]*>`)

// plainText is a heading as a person reads it: what its HTML shows.
func plainText(rendered string) string {
	return strings.Join(strings.Fields(html.UnescapeString(htmlTag.ReplaceAllString(rendered, ""))), " ")
}
