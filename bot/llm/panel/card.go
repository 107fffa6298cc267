package panel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// cardLimit is the greatest length of a card, in words. Richer descriptions make
// personas more alike, not less; what keeps them apart is what one does and the
// others never do, and lines to hear it by.
const cardLimit = 120

// avoidLimit is how many words of a card may name words to avoid. They come early,
// because a contribution that uses one has to be written again.
const avoidLimit = 36

// card describes a persona to a model: what it looks at, does and never does, and
// how it sounds. What does not fit is left out, from the end, line by line.
func card(p persona.Persona) string {
	c := &cardWriter{}
	c.add(fmt.Sprintf("## %s: %s", p.Key, strings.TrimRight(p.Name+", "+p.Role, ", ")))
	c.add(labelled("Looks at", p.Lens))
	c.add(labelled("Manner", firstSentence(p.Style)))
	for _, never := range firstOf(p.Never, 3) {
		c.add(labelled("Never", plainNever(never)))
	}
	c.add(labelled("Never says", enumerated(p.Vocabulary.Forbidden, avoidLimit)))
	lines := shortest(p.Examples.Good, 2)
	for _, line := range lines {
		c.add(labelled("Sounds like", line))
	}
	for _, line := range p.Examples.Good {
		if strings.HasSuffix(line, "?") && !slices.Contains(lines, line) {
			c.add(labelled("Asks", line))
			break
		}
	}
	for _, does := range firstOf(p.Behaviours, 2) {
		c.add(labelled("Does", does))
	}
	return strings.Join(c.lines, "\n")
}

type cardWriter struct {
	lines []string
	words int
}

// add takes a line if it is not empty and fits.
func (c *cardWriter) add(text string) {
	if n := len(strings.Fields(text)); n > 0 && c.words+n <= cardLimit {
		c.words += n
		c.lines = append(c.lines, text)
	}
}

func labelled(label, text string) string {
	if text = thread.OneLine(text); text == "" {
		return ""
	}
	return label + ": " + text
}

// reminder is a persona's voice in about fifteen words. Repeated at the end of
// every question, it works against drift as the discussion grows longer.
func reminder(p persona.Persona) string {
	var parts []string
	if p.Lens != "" {
		parts = append(parts, "looks at "+thread.OneLine(p.Lens))
	}
	if len(p.Never) > 0 {
		parts = append(parts, "never "+plainNever(p.Never[0]))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s.", p.Key, strings.TrimRight(strings.Join(parts, "; "), "."))
}

// plainNever turns "Does not use jargon (…); that is for …" into "use jargon", as
// it reads after "never".
func plainNever(text string) string {
	text = thread.OneLine(text)
	for _, prefix := range []string{"Does not ", "Never ", "Do not "} {
		text = strings.TrimPrefix(text, prefix)
	}
	if i := strings.IndexAny(text, ";("); i > 0 {
		text = text[:i]
	}
	return strings.TrimRight(text, " .")
}

// enumerated lists as many entries as fit into so many words.
func enumerated(entries []string, words int) string {
	var list []string
	for _, e := range entries {
		if words -= len(strings.Fields(e)); words < 0 {
			break
		}
		list = append(list, e)
	}
	return strings.Join(list, ", ")
}

// shortest are the n shortest lines, in their order.
func shortest(lines []string, n int) []string {
	ranked := slices.Clone(lines)
	slices.SortStableFunc(ranked, func(a, b string) int { return len(a) - len(b) })
	ranked = firstOf(ranked, n)
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !slices.Contains(ranked, l) })
}

func firstSentence(text string) string {
	text = thread.OneLine(text)
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}

func firstOf[T any](list []T, n int) []T { return list[:min(n, len(list))] }
