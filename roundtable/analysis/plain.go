package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// plainParts writes down what was said since a turn, once for every artifact: what
// remains when no panel can draft. Lists and rows cannot be made of talk, so their
// artifacts take it as they take any section (document.Enrich); a folder's
// documents have no name without a thought.
func plainParts(targets []Target, talk []saying, title string) []Part {
	if len(talk) == 0 {
		return nil
	}
	var parts []Part
	for _, target := range targets {
		if !isFolder(target.File) && !slices.ContainsFunc(parts, func(p Part) bool { return p.File == target.File }) {
			parts = append(parts, target.section(title, ""))
		}
	}
	text := "As it was said:\n\n" + written(talk, largestPart/max(1, len(parts)))
	for i := range parts {
		parts[i].Content = text
	}
	return parts
}

// saying is what somebody said, for a document.
type saying struct{ who, text string }

// sayings are the turns from one on. People's words stand as they are; a persona's
// lead only where people pointed.
func sayings(t thread.Transcript, from int, cast []persona.Seat, given thread.Links) []saying {
	var talk []saying
	names := t.Names()
	for _, turn := range t.Turns {
		if turn.Number < from || turn.Struck {
			continue
		}
		s := saying{turn.Person.NameAmong(cast), oneLine(thread.Legible(turn.Text, names, thread.MarkdownLink))}
		if turn.Persona != "" {
			s.text = given.Tame(s.text)
		}
		for _, c := range cast {
			if c.Key == turn.Persona {
				s.who = c.First()
			}
		}
		talk = append(talk, s)
	}
	return talk
}

// written is a talk as a list, in not much more than so many bytes: where it would
// be longer, each saying has an equal share, and the document says so.
func written(talk []saying, limit int) string {
	size, share := 0, limit/len(talk)
	for _, s := range talk {
		size += len(s.text)
	}
	var b strings.Builder
	for _, s := range talk {
		if size > limit && len(s.text) > share {
			s.text = strings.ToValidUTF8(s.text[:share], "") + " …"
		}
		fmt.Fprintf(&b, "- **%s**: %s\n", s.who, s.text)
	}
	if size > limit {
		b.WriteString("\nThis is more than fits here: what ends in … stands in the thread as a whole.\n")
	}
	return b.String()
}

// answersOf are what people said since a turn.
func answersOf(t thread.Transcript, from int) []string {
	var said []string
	for _, turn := range t.Turns {
		if turn.Number >= from && turn.Persona == "" && !turn.Struck {
			said = append(said, turn.Text)
		}
	}
	return said
}
