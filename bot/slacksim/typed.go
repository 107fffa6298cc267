package slacksim

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/roundtable-chat/app/bot/slacksim/blockkit"
)

// codeSpan is text in which nothing is a mention.
var codeSpan = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")

// typedURL is a link as typed; Slack wraps it in angle brackets.
var typedURL = regexp.MustCompile(`https?://[^\s<>|]+[^\s<>|.,;:!?)\]'"]`)

// typed is what Slack makes of text that a person typed: &, < and > are escaped;
// names after @ and # become mentions and URLs links, outside code.
func (w *Workspace) typed(text string) string {
	return outsideCode(blockkit.Escape(text), func(s string) string {
		return w.linkNames(typedURL.ReplaceAllString(s, "<$0>"))
	})
}

func outsideCode(text string, change func(string) string) string {
	var b strings.Builder
	done := 0
	for _, span := range codeSpan.FindAllStringIndex(text, -1) {
		b.WriteString(change(text[done:span[0]]))
		b.WriteString(text[span[0]:span[1]])
		done = span[1]
	}
	b.WriteString(change(text[done:]))
	return b.String()
}

// handle is a name that can follow a mark, and what it becomes.
type handle struct{ name, becomes string }

// handles are all names one can mention, longest first.
func (w *Workspace) handles() []handle {
	var list []handle
	for _, p := range w.people {
		list = append(list, handle{"@" + p.RealName, "<@" + p.ID + ">"}, handle{"@" + p.Name, "<@" + p.ID + ">"})
	}
	for _, c := range w.channels {
		if c.Name != "" {
			list = append(list, handle{"#" + c.Name, "<#" + c.ID + "|" + c.Name + ">"})
		}
	}
	for _, g := range w.groups {
		list = append(list, handle{"@" + g.Handle, "<!subteam^" + g.ID + "|@" + g.Handle + ">"})
	}
	for _, all := range []string{"here", "channel", "everyone"} {
		list = append(list, handle{"@" + all, "<!" + all + ">"})
	}
	sort.SliceStable(list, func(i, j int) bool { return len(list[i].name) > len(list[j].name) })
	return list
}

// linkNames replaces @Name and #channel by mentions. The mark must not follow a
// letter, so that a mail address stays one.
func (w *Workspace) linkNames(text string) string {
	if !strings.ContainsAny(text, "@#") {
		return text
	}
	handles := w.handles()
	var b strings.Builder
	for i := 0; i < len(text); {
		if text[i] == '<' { // an existing mention or link
			if end := strings.IndexByte(text[i:], '>'); end > 0 {
				b.WriteString(text[i : i+end+1])
				i += end + 1
				continue
			}
		}
		if h := handleAt(text, i, handles); h != nil {
			b.WriteString(h.becomes)
			i += len(h.name)
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

func handleAt(text string, i int, handles []handle) *handle {
	if text[i] != '@' && text[i] != '#' {
		return nil
	}
	if before, _ := utf8.DecodeLastRuneInString(text[:i]); i > 0 && isNameRune(before) {
		return nil
	}
	for k := range handles {
		h := &handles[k]
		end := i + len(h.name)
		if end > len(text) || !strings.EqualFold(text[i:end], h.name) {
			continue
		}
		if after, _ := utf8.DecodeRuneInString(text[end:]); end == len(text) || !isNameRune(after) {
			return h
		}
	}
	return nil
}

func isNameRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// commandText is the text of a slash command: escaped, mentions with their names.
func (w *Workspace) commandText(text string) string {
	out := w.typed(text)
	for _, p := range w.people {
		out = strings.ReplaceAll(out, "<@"+p.ID+">", "<@"+p.ID+"|"+p.Name+">")
	}
	return strings.TrimSpace(out)
}
