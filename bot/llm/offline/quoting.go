package offline

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// words is what a person said, every word of it, as a document has it.
func (m minutes) words(turn thread.Turn) string {
	return thread.Legible(turn.Text, m.names, thread.MarkdownLink)
}

// quoted is a turn as a list item: whoever said it, and what, with its lines and
// its code as they are.
func (m minutes) quoted(turn thread.Turn) string {
	text := strings.TrimSpace(m.words(turn))
	var b strings.Builder
	b.WriteString("- **" + nameOf(turn.Person) + "**:")
	switch {
	case strings.Contains(text, "```"):
		b.WriteString("\n\n")
		for _, line := range fencedLines(text) {
			b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
		}
	case strings.Contains(text, "\n"):
		b.WriteString("\n")
		for line := range strings.SplitSeq(text, "\n") {
			if line = strings.TrimLeft(strings.Join(strings.Fields(line), " "), "-•* "); line != "" {
				b.WriteString("  - " + line + "\n")
			}
		}
	default:
		b.WriteString(" " + strings.Join(strings.Fields(text), " ") + "\n")
	}
	if len(turn.Files) > 0 {
		b.WriteString("  - with " + strings.Join(turn.Files, ", ") + "\n")
	}
	return b.String()
}

// fencedLines are a text's lines with every mark of a code block on one of its own,
// and the last block closed.
func fencedLines(text string) []string {
	pieces := strings.Split(text, "```")
	var lines []string
	for i, piece := range pieces {
		if i > 0 {
			lines = append(lines, "```")
		}
		if piece = strings.Trim(piece, "\n"); piece != "" {
			lines = append(lines, strings.Split(piece, "\n")...)
		}
	}
	if len(pieces)%2 == 0 {
		lines = append(lines, "```")
	}
	return slices.Clip(lines)
}

// unmarked takes the signs of Markdown from a name.
var unmarked = strings.NewReplacer("*", "", "_", " ", "`", "", "[", "", "]", "", "<", "", ">", "")

func nameOf(p thread.Person) string {
	return strings.Join(strings.Fields(unmarked.Replace(p.Name)), " ")
}
