package thread

import (
	"strings"
	"unicode/utf8"
)

// OneLine joins the words of a text by single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Clip shortens a text to at most n characters, at a word where possible, and
// shows that it did.
func Clip(s string, n int) string {
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

// AsSentence trims a text and gives it an end.
func AsSentence(s string) string {
	s = OneLine(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".?!") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// Listed joins names as a person would: "A", "A and B", "A, B and C".
func Listed(names []string) string { return joined(names, "and") }

// Either joins names by "or".
func Either(names []string) string { return joined(names, "or") }

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
