package offline

import (
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
)

// Slack's own signs in what people write.
var (
	wirePerson = regexp.MustCompile(`<@([A-Z0-9]+)(?:\|([^>]*))?>`)
	wireRoom   = regexp.MustCompile(`<(?:#|!subteam\^|!)([^|>]*)(?:\|([^>]*))?>`)
	wireLink   = regexp.MustCompile(`<((?:https?|mailto):[^|>\s]*)(?:\|([^>]*))?>`)
	wireSigns  = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// verbatim is what a person wrote, every word of it, as a document has it: names
// for mentions, and links as Markdown.
func verbatim(text string, names map[string]string) string {
	text = wirePerson.ReplaceAllStringFunc(text, func(found string) string {
		m := wirePerson.FindStringSubmatch(found)
		for _, name := range []string{names[m[1]], m[2], m[1]} {
			if name != "" {
				return "@" + name
			}
		}
		return found
	})
	text = wireRoom.ReplaceAllStringFunc(text, func(found string) string {
		m := wireRoom.FindStringSubmatch(found)
		if m[2] != "" {
			return strings.TrimPrefix(m[2], "#")
		}
		return m[1]
	})
	text = wireLink.ReplaceAllStringFunc(text, func(found string) string {
		m := wireLink.FindStringSubmatch(found)
		if m[2] == "" || m[2] == m[1] {
			return m[1]
		}
		return "[" + m[2] + "](" + m[1] + ")"
	})
	return wireSigns.Replace(text)
}

// quoted is a turn as a list item: whoever said it, and what, with its lines and
// its code as they are.
func (m minutes) quoted(turn roundtable.Turn) string {
	text := strings.TrimSpace(verbatim(turn.Text, m.names))
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

func nameOf(p roundtable.Person) string {
	return strings.Join(strings.Fields(unmarked.Replace(p.Name)), " ")
}
