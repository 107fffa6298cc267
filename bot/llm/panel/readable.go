package panel

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// readable is what a person wrote as a model should read it: mentions as names,
// links as label and address, nothing invisible. A model that never sees an id
// cannot repeat one (I12).
func readable(text string, names map[string]string) string {
	return visible(thread.Legible(text, names, thread.SpelledLink))
}

// visible leaves out what nobody sees: control characters but line ends, marks
// that turn the direction of writing, and Unicode's tags, in which instructions
// can be hidden.
func visible(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\u200D' || r == '\u200C': // joiners belong to emoji and to scripts
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029', '\U000E0000' <= r && r <= '\U000E0FFF':
			return -1
		}
		return r
	}, text))
}

// excerpt is a text of at most about n bytes: its beginning, its end, and how
// much lies between.
func excerpt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head, tail := runeStart(text, n*3/4), runeStart(text, len(text)-n/4)
	return fmt.Sprintf("%s\n[… %d characters left out …]\n%s", text[:head], utf8.RuneCountInString(text[head:tail]), text[tail:])
}

// beginning is at most about n bytes of a text, to the end of a word.
func beginning(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head := text[:runeStart(text, n)]
	if i := strings.LastIndexByte(head, ' '); i > n/2 {
		head = head[:i]
	}
	return head + "…"
}

// runeStart is i, or the nearest place before it where a character begins.
func runeStart(text string, i int) int {
	for i > 0 && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}
