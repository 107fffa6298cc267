package say

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// catchUpLimit bounds a summary of what was said, in characters: less than what one
// private message shows.
const catchUpLimit = 3_500

// CatchUp tells a person what was said since their last turn; of very much the
// newest, and how much more there is. What personas said leads only where people pointed:
// in the transcript, and in what they gave with it, as a topic is.
func CatchUp(t thread.Transcript, cast []persona.Seat, person string, given ...string) string {
	from := 0
	for i, turn := range t.Turns {
		if turn.Person.ID == person {
			from = i + 1
		}
	}
	names, links := t.Names(), thread.LinksIn(t, given...)
	var lines []string
	room, earlier := catchUpLimit, 0
	for _, turn := range slices.Backward(t.Turns[from:]) {
		text := thread.Legible(turn.Text, names, thread.SpelledLink)
		if turn.Persona != "" {
			text = links.Tame(text)
		}
		text = firstSentence(text)
		if text == "" {
			continue
		}
		line := "• " + speaker(turn, cast) + ": " + text
		if room -= utf8.RuneCountInString(line) + 1; room < 0 {
			earlier++
			continue
		}
		lines = append(lines, line)
	}
	if earlier > 0 {
		lines = append(lines, fmt.Sprintf("… %d more before that, in the thread", earlier))
	}
	slices.Reverse(lines)
	switch {
	case len(lines) == 0 && from > 0:
		return "Nothing was said since you last spoke."
	case len(lines) == 0:
		return "Nothing was said yet."
	case from > 0:
		return "Since you last spoke:\n" + strings.Join(lines, "\n")
	}
	return "So far:\n" + strings.Join(lines, "\n")
}

func speaker(t thread.Turn, cast []persona.Seat) string {
	for _, s := range cast {
		if s.Key == t.Persona {
			return s.First()
		}
	}
	if name := t.Person.NameAmong(cast); name != "" {
		return name
	}
	return string(t.Persona)
}

// firstSentence returns at most 200 characters, up to the end of the first
// sentence.
func firstSentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, end := range []string{". ", "? ", "! "} {
		if i := strings.Index(text, end); i > 0 {
			text = text[:i+1]
		}
	}
	if r := []rune(text); len(r) > 200 {
		text = string(r[:199]) + "…"
	}
	return text
}
