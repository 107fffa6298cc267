package document

import (
	"regexp"
	"sort"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/roundtable-chat/app/roundtable/lookahead"
)

// content is a text to insert, made unable to reach beyond itself: no raw
// HTML, no link definitions, no open fence, and headings whose level is chosen
// when the place is known.
type content struct {
	parts []part
}

// part is a heading or a stretch of lines without top-level headings. Lines
// end with \n except the last.
type part struct {
	level int // of a heading, else 0
	text  string
}

const (
	lastLevel = 6
	// disarmPasses bounds the search for markup that escaping other markup
	// has uncovered; what is left afterwards is escaped without asking.
	disarmPasses = 8
)

// prepareBody disarms markdown; the result has no parts if nothing is left.
func prepareBody(markdown string) content {
	body := cleanText(markdown)
	if body == "" {
		return content{}
	}
	body = closeFence(disarm(lookahead.Literal(body)))
	return content{parts: splitHeadings(body)}
}

// cleanText unifies line endings and drops what no document should receive:
// invalid UTF-8, control and invisible formatting characters, outer blank lines.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(s)
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !isBidiControl(r) && r != '\uFEFF' {
			return r
		}
		return -1
	}, s)
	lines := strings.Split(s, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " \t\n")
}

// isBidiControl holds for the characters that reorder what a reader sees.
func isBidiControl(r rune) bool {
	return r >= '\u202A' && r <= '\u202E' || r >= '\u2066' && r <= '\u2069'
}

// disarm escapes raw HTML, which could open a comment over the text that
// follows, and link definitions, which hold for the whole document and would
// turn its brackets into links. Code is left as it is: nothing acts in it.
func disarm(body string) string {
	for range disarmPasses {
		at := armed(body)
		if len(at) == 0 {
			return body
		}
		body = escapeAt(body, at)
	}
	return strings.NewReplacer("<", "&lt;", "[", `\[`).Replace(body)
}

// armed gives the offsets of the characters that make markup dangerous.
func armed(body string) []int {
	source := []byte(body)
	var at []int
	mark := func(from, to int, c byte) {
		for i := from; i < to; i++ {
			if source[i] == c {
				at = append(at, i)
			}
		}
	}
	root := newMarkdown().Parser().Parse(text.NewReader(source))
	// The walker returns no error.
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			// One that runs on over blank lines may have taken in code, which
			// the next pass will see once the first line is text.
			count := n.Lines().Len()
			if n.HTMLBlockType < ast.HTMLBlockType6 {
				count = 1
			}
			for i := range count {
				line := n.Lines().At(i)
				mark(line.Start, line.Stop, '<')
			}
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				piece := n.Segments.At(i)
				mark(piece.Start, piece.Stop, '<')
			}
		case *ast.LinkReferenceDefinition:
			line := n.Lines().At(0)
			if i := strings.IndexByte(body[line.Start:], '['); i >= 0 {
				at = append(at, line.Start+i)
			}
		}
		return ast.WalkContinue, nil
	})
	return at
}

func escapeAt(body string, at []int) string {
	sort.Ints(at)
	var out strings.Builder
	from := 0
	for _, i := range at {
		if i < from {
			continue
		}
		out.WriteString(body[from:i])
		if body[i] == '<' {
			out.WriteString("&lt;")
		} else {
			out.WriteByte('\\')
			out.WriteByte(body[i])
		}
		from = i + 1
	}
	out.WriteString(body[from:])
	return out.String()
}

// closeFence ends a code block left open. A heading put after the body shows
// whether one swallows what follows.
func closeFence(body string) string {
	probe := []byte(body + "\n\n# after")
	last := newMarkdown().Parser().Parse(text.NewReader(probe)).LastChild()
	if fence, open := last.(*ast.FencedCodeBlock); open {
		return body + "\n" + fenceAt(probe[fence.Pos():])
	}
	return body
}

var atxHeading = regexp.MustCompile(`^ {0,3}#{1,6}(\s|$)`)

// splitHeadings cuts the body at its top-level headings.
func splitHeadings(body string) []part {
	source := []byte(body)
	var parts []part
	from := 0
	prose := func(to int) {
		if lines := strings.Trim(body[from:to], "\n"); strings.TrimSpace(lines) != "" {
			parts = append(parts, part{text: lines})
		}
	}
	root := newMarkdown().Parser().Parse(text.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		start := lineStart(source, n.Pos())
		_, end := nextLine(source, start)
		switch n := n.(type) {
		case *ast.Heading:
			prose(start)
			words := make([]string, 0, n.Lines().Len())
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				words = append(words, strings.TrimSpace(string(line.Value(source))))
			}
			if !atxHeading.Match(source[start:end]) {
				end = underlineEnd(source, n)
			}
			// A heading without words says nothing.
			if line := headingLine(words); line != "" {
				parts = append(parts, part{level: n.Level, text: line})
			}
			from = end
		case *ast.ThematicBreak:
			// A line of hyphens could close front matter that was never
			// closed, or underline a paragraph; asterisks can do neither.
			prose(start)
			parts = append(parts, part{text: "***"})
			from = end
		}
	}
	prose(len(body))
	return parts
}

// underlineEnd is the offset after the line that makes n a setext heading.
func underlineEnd(source []byte, n *ast.Heading) int {
	stop := n.Lines().At(n.Lines().Len() - 1).Stop
	if stop == 0 || source[stop-1] != '\n' {
		_, stop = nextLine(source, stop)
	}
	_, end := nextLine(source, stop)
	return end
}

// headingLine makes one line of a heading's lines. A final # would be taken
// for a closing sequence, a final backslash would escape what follows.
func headingLine(lines []string) string {
	s := strings.TrimRight(strings.Join(lines, " "), `\ `)
	if strings.HasSuffix(s, "#") {
		s = s[:len(s)-1] + `\#`
	}
	return s
}

// headings tells whether the content has headings and whether it begins with one.
func (c content) headings() (leads, any bool) {
	for i, p := range c.parts {
		if p.level > 0 {
			return i == 0, true
		}
	}
	return false, false
}

// rebase moves the headings so that the first lies between lowest and highest
// and none is above the first; one that would pass level 6 becomes a line in
// bold, which governs nothing.
func (c content) rebase(lowest, highest int) string {
	first := 0
	for _, p := range c.parts {
		if p.level > 0 {
			first = p.level
			break
		}
	}
	base := min(max(first, lowest), highest)
	var out []string
	for _, p := range c.parts {
		level := max(p.level+base-first, base)
		switch {
		case p.level == 0:
			out = append(out, p.text)
		case level > lastLevel:
			out = append(out, "**"+p.text+"**")
		default:
			out = append(out, strings.Repeat("#", level)+" "+p.text)
		}
	}
	return strings.Join(out, "\n\n")
}
