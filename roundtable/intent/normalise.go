package intent

import (
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// opaque stands in the remaining text for something that a person showed and
// that decides nothing: code, or words in quotation marks.
const opaque = '\uFFFC'

// plain is what remains of a message once its code and quotes are out.
type plain struct {
	text string
	// code is what stood in code marks if there was exactly one such piece.
	code   string
	pieces int
}

// strip takes code spans, code blocks, quoted lines and quoted words out of a
// Slack message (FR-003). It reads the text once.
func strip(text string, cast []persona.Seat) plain {
	var p plain
	text = shownFences(text, &p)
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		mark := strings.TrimLeft(strings.ReplaceAll(prefix(line, 16), "&gt;", ">"), " \t")
		if strings.HasPrefix(mark, ">>>") {
			break // Slack quotes everything that follows
		}
		if strings.HasPrefix(mark, ">") {
			continue
		}
		if pasted(line, cast) {
			b.WriteRune(opaque)
		} else {
			hideSpans(line, &b, &p)
		}
		b.WriteByte('\n')
	}
	p.text = b.String()
	return p
}

// shownFences replaces every closed code block with the opaque mark. An unclosed
// fence is ordinary text, as in Slack.
func shownFences(text string, p *plain) string {
	const fence = "```"
	var b strings.Builder
	for {
		before, rest, opened := strings.Cut(text, fence)
		if !opened {
			break
		}
		code, after, closed := strings.Cut(rest, fence)
		if !closed {
			break
		}
		b.WriteString(before)
		b.WriteRune(opaque)
		p.show(code)
		text = after
	}
	b.WriteString(text)
	return b.String()
}

// hideSpans writes a line without its code spans and without what stands
// between quotation marks.
func hideSpans(line string, b *strings.Builder, p *plain) {
	var out strings.Builder
	for {
		before, rest, opened := strings.Cut(line, "`")
		code, after, closed := strings.Cut(rest, "`")
		if !opened || !closed {
			break
		}
		out.WriteString(before)
		out.WriteRune(opaque)
		p.show(code)
		line = after
	}
	out.WriteString(line)
	hideQuoted(out.String(), b)
}

// hideQuoted writes a line without the words between quotation marks, unless
// the line is nothing but a word or two in them: whoever types "done" with the
// marks of the introduction means it.
func hideQuoted(line string, b *strings.Builder) {
	const marks = "\"“”„«»"
	inner := strings.Trim(line, marks+" \t")
	whole := len(inner) < len(strings.Trim(line, " \t"))
	if !strings.ContainsAny(inner, marks) && (!whole || strings.Count(inner, " ") <= 1) {
		b.WriteString(inner)
		return
	}
	for {
		open := strings.IndexAny(line, marks)
		if open < 0 {
			break
		}
		rest := line[open:]
		_, size := firstRune(rest)
		end := strings.IndexAny(rest[size:], marks)
		if end < 0 {
			break
		}
		b.WriteString(line[:open])
		b.WriteRune(opaque)
		rest = rest[size+end:]
		_, size = firstRune(rest)
		line = rest[size:]
	}
	b.WriteString(line)
}

// pasted tells whether a line is one of a persona's own, carrying its identity
// ("Maya Chen (Business Analyst): …", AC-002-04): a reply quoted without a sign.
func pasted(line string, cast []persona.Seat) bool {
	line = strings.TrimLeft(line, " \t*_")
	for _, seat := range cast {
		identity := seat.Identity()
		if len(line) > len(identity) && strings.EqualFold(line[:len(identity)], identity) {
			return strings.HasPrefix(strings.TrimLeft(line[len(identity):], " *_"), ":")
		}
	}
	return false
}

func (p *plain) show(code string) {
	p.pieces++
	p.code = code
}

func prefix(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
