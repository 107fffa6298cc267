package lookahead

import (
	"bytes"
	"strings"
)

// share is what a stretch of a text may take of the allowance besides its own bytes'
// steps before it counts as intricate by itself.
const share = allowance / 16

// Literal is a text that is not intricate: the text itself or, where it is, the text
// with escapes in the stretches that make it so, which then read as they stand. If no
// stretch does by itself, all have them.
func Literal(source string) string {
	if !Intricate([]byte(source)) {
		return source
	}
	var b strings.Builder
	e := estimator{limit: 1 << 62}
	for rest := []byte(source); len(rest) > 0; {
		// A stretch is given up as soon as it is too much, and so is its depth.
		n := stretchEnd(rest)
		own := estimator{limit: share + perByte*n, depth: e.depth}
		own.take(rest[:n])
		if own.exceeded() {
			spell(&b, rest[:n])
		} else {
			b.Write(rest[:n])
			e.depth = own.depth
		}
		rest = rest[n:]
	}
	if literal := b.String(); !Intricate([]byte(literal)) {
		return literal
	}
	b.Reset()
	spell(&b, []byte(source))
	return b.String()
}

// Modest is a text of which any number can stand in one that is not intricate: the text
// itself or, where it takes more than half of its own bytes' steps, with escapes. What is put
// beside it, such as a link, then keeps its meaning.
func Modest(source string) string {
	if limit := perByte / 2 * len(source); estimate([]byte(source), limit) <= limit {
		return source
	}
	var b strings.Builder
	spell(&b, []byte(source))
	return b.String()
}

// stretchEnd is where the first stretch of a text ends, with the blank lines after it.
func stretchEnd(text []byte) int {
	blank := false
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		empty := len(bytes.TrimLeft(line, " \t\r\n")) == 0
		if at > 0 && !empty && (blank || interrupts(line)) {
			return at
		}
		blank = empty
		at = end
	}
	return len(text)
}

// spell writes a text so that Markdown shows it as it is. What is escaped already stays.
func spell(b *strings.Builder, text []byte) {
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[at:end]
		lead := len(line) - len(bytes.TrimLeft(line, " \t"))
		b.Write(line[:lead])
		spellLine(b, line[lead:])
		at = end
	}
}

func spellLine(b *strings.Builder, line []byte) {
	digits := len(line) - len(bytes.TrimLeft(line, "0123456789"))
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line) && isPunct(line[i+1]):
			b.WriteByte(c)
			i++
			c = line[i]
		case strings.IndexByte("`*_[]<~", c) >= 0, i == 0 && strings.IndexByte(">#+-=|", c) >= 0, i == digits && (c == '.' || c == ')'):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
}

func isPunct(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
