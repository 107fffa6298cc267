package offline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// readLimit is how much of a message is read, in bytes. Whatever a message is
// about stands in its first pages.
const readLimit = 6000

var (
	codeBlock = regexp.MustCompile("(?s)```.*?(?:```|$)")
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	quoteLine = regexp.MustCompile(`(?m)^(?:>|&gt;).*$`)
	bareURL   = regexp.MustCompile(`(?:https?://(?:www\.)?|www\.)([^\s/?#<>]*[^\s/?#<>.,;:!)])\S*`)
	shortcode = regexp.MustCompile(`:[a-z0-9_+'-]{2,}:`)
	markup    = strings.NewReplacer("**", "", "*", "", "~", "", "’", "'", "‘", "'", "“", `"`, "”", `"`)
)

// plain is what a person said, without code, quotations and markup, on one line,
// with names for mentions and the label or the host for a link. A persona repeats
// no more than that.
func plain(text string) string {
	return tidy(codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(bound(text), " "), " "))
}

// bound cuts a message to what is read of it.
func bound(text string) string {
	if len(text) <= readLimit {
		return text
	}
	return strings.ToValidUTF8(text[:readLimit], "")
}

// tidy is plain, but keeps code within a sentence, for what is quoted in a
// synthesis.
func tidy(text string) string {
	text = codeBlock.ReplaceAllString(bound(text), " ")
	text = quoteLine.ReplaceAllString(text, " ")
	text = thread.Legible(text, nil, func(label, _ string) string { return label })
	text = bareURL.ReplaceAllString(text, "$1")
	text = shortcode.ReplaceAllString(text, " ")
	text = markup.Replace(text)
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, text)
	// A line is a sentence unless it says otherwise.
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.Join(strings.Fields(line), " "), "-•_# ")
		if line == "" {
			continue
		}
		if !strings.ContainsAny(line[len(line)-1:], ".?!:,;") {
			line += "."
		}
		lines = append(lines, line)
	}
	return strings.TrimSuffix(strings.Join(lines, " "), ".")
}

// lowerFirst lowers the first letter unless the word has further capitals or is
// the pronoun.
func lowerFirst(s string) string {
	word, _, _ := strings.Cut(s, " ")
	if s == "" || innerCapital(word) || word == "I" {
		return s
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[size:]
}

// clip cuts at a word boundary to at most n characters.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	cut := string(r[:n-1])
	if i := strings.LastIndex(cut, " "); i > n/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:-") + "…"
}
