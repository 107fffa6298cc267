package roundtable

import (
	"strings"
	"unicode/utf8"
)

// oneLine joins the words of a text by single spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip shortens a text to at most n characters, at a word where possible, and
// shows that it did.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)[:n-1]
	cut := string(runes)
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}

// asSentence trims a text and gives it an end.
func asSentence(s string) string {
	s = oneLine(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// list joins names as a person would: "A", "A and B", "A, B and C".
func list(names []string) string { return joined(names, "and") }

// either joins names by "or".
func either(names []string) string { return joined(names, "or") }

func joined(names []string, word string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " " + word + " " + names[n-1]
	}
}
