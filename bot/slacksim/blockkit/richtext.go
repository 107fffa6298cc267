package blockkit

import (
	"regexp"
	"strconv"
	"strings"
)

// RichText turns escaped mrkdwn into the rich_text block Slack makes of it. With
// markup off the text is one plain element.
func RichText(text string, markup bool, blockID func() string) []any {
	var parts []any
	if markup {
		parts = richParts(text)
	} else {
		parts = []any{richSection([]any{object{"type": "text", "text": unescape(text)}})}
	}
	return []any{object{"type": "rich_text", "block_id": blockID(), "elements": parts}}
}

func richSection(elements []any) object {
	return object{"type": "rich_text_section", "elements": elements}
}

var (
	bulletLine = regexp.MustCompile(`^(?:[•*-])\s+(.+)$`)
	numberLine = regexp.MustCompile(`^\d+[.)]\s+(.+)$`)
)

// richParts splits text into sections, quotes, lists and preformatted parts.
func richParts(text string) []any {
	var out []any
	for i, part := range strings.Split(text, "```") {
		if i%2 == 1 && strings.Count(text, "```") > i {
			out = append(out, object{"type": "rich_text_preformatted", "border": 0,
				"elements": []any{object{"type": "text", "text": unescape(strings.Trim(part, "\n"))}}})
			continue
		}
		if i%2 == 1 {
			part = "```" + part // never closed
		}
		if i > 0 {
			part = strings.TrimPrefix(part, "\n")
		}
		if part != "" {
			out = append(out, richLines(strings.Split(part, "\n"))...)
		}
	}
	return out
}

// kindOfLine says which part a line belongs to, and its content.
func kindOfLine(line string) (kind, content string) {
	if rest, ok := strings.CutPrefix(line, "&gt;"); ok {
		return "quote", strings.TrimPrefix(rest, " ")
	}
	if m := bulletLine.FindStringSubmatch(line); m != nil {
		return "bullet", m[1]
	}
	if m := numberLine.FindStringSubmatch(line); m != nil {
		return "ordered", m[1]
	}
	return "", line
}

// richLines groups lines of one kind into parts.
func richLines(lines []string) []any {
	var out []any
	for start := 0; start < len(lines); {
		kind, _ := kindOfLine(lines[start])
		var group []string
		end := start
		for end < len(lines) {
			k, content := kindOfLine(lines[end])
			if k != kind {
				break
			}
			group = append(group, content)
			end++
		}
		switch kind {
		case "quote":
			out = append(out, object{"type": "rich_text_quote", "elements": richInline(strings.Join(group, "\n"))})
		case "bullet", "ordered":
			var items []any
			for _, item := range group {
				items = append(items, richSection(richInline(item)))
			}
			out = append(out, object{"type": "rich_text_list", "style": kind, "indent": 0, "border": 0, "elements": items})
		default:
			section := strings.Join(group, "\n")
			if end < len(lines) {
				section += "\n"
			}
			out = append(out, richSection(richInline(section)))
		}
		start = end
	}
	return out
}

// inlineToken finds the next thing in a line that is not plain text: a code span,
// something in angle brackets, an emoji, or a styled run.
var inlineToken = regexp.MustCompile("`([^`\n]+)`" +
	`|<([^<>\n]+)>` +
	`|:([a-z0-9_+'-]+):` +
	`|\*(\S|\S[^*\n]*\S)\*|_(\S|\S[^_\n]*\S)_|~(\S|\S[^~\n]*\S)~`)

var styleNames = map[int]string{4: "bold", 5: "italic", 6: "strike"}

func richInline(text string) []any { return richStyled(text, nil) }

// richStyled parses a run of text that already carries styles.
func richStyled(text string, style object) []any {
	var out []any
	plain := func(s string) {
		if s != "" {
			out = append(out, styled(object{"type": "text", "text": unescape(s)}, style))
		}
	}
	done := 0
	for done < len(text) {
		m := nextToken(text, done)
		if m == nil {
			break
		}
		plain(text[done:m[0]])
		group := 1
		for m[2*group] < 0 {
			group++
		}
		inner := text[m[2*group]:m[2*group+1]]
		switch group {
		case 1:
			out = append(out, styled(object{"type": "text", "text": unescape(inner)}, withStyle(style, "code")))
		case 2:
			out = append(out, styled(bracketed(inner), style))
		case 3:
			out = append(out, styled(object{"type": "emoji", "name": inner}, style))
		default:
			out = append(out, richStyled(inner, withStyle(style, styleNames[group]))...)
		}
		done = m[1]
	}
	plain(text[done:])
	return out
}

// nextToken finds a token at or after from; a style mark counts only at the edges
// of words, so that snake_case and 2*3*4 stay text.
func nextToken(text string, from int) []int {
	for from < len(text) {
		m := inlineToken.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return nil
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += from
			}
		}
		isStyle := m[8] >= 0 || m[10] >= 0 || m[12] >= 0
		if !isStyle || (m[0] == 0 || !isWordByte(text[m[0]-1])) && (m[1] == len(text) || !isWordByte(text[m[1]])) {
			return m
		}
		from = m[0] + 1
	}
	return nil
}

func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

func styled(element, style object) object {
	if len(style) > 0 {
		element["style"] = style
	}
	return element
}

func withStyle(style object, name string) object {
	out := object{name: true}
	for k, v := range style {
		out[k] = v
	}
	return out
}

// bracketed is what stands in angle brackets: a mention, a date or a link.
func bracketed(inner string) object {
	target, label, labelled := strings.Cut(inner, "|")
	switch {
	case strings.HasPrefix(target, "@"):
		return object{"type": "user", "user_id": target[1:]}
	case strings.HasPrefix(target, "#"):
		return object{"type": "channel", "channel_id": target[1:]}
	case strings.HasPrefix(target, "!subteam^"):
		return object{"type": "usergroup", "usergroup_id": strings.TrimPrefix(target, "!subteam^")}
	case target == "!here" || target == "!channel" || target == "!everyone":
		return object{"type": "broadcast", "range": target[1:]}
	case strings.HasPrefix(target, "!date^"):
		return dateElement(target, label)
	}
	link := object{"type": "link", "url": unescape(target)}
	if labelled {
		link["text"] = unescape(label)
	}
	return link
}

// dateElement is <!date^seconds^format^link|fallback>.
func dateElement(target, fallback string) object {
	parts := strings.Split(target, "^")
	if len(parts) < 3 {
		return object{"type": "text", "text": unescape(fallback)}
	}
	whole, _, _ := strings.Cut(parts[1], ".")
	seconds, err := strconv.ParseUint(whole, 10, 40)
	if err != nil {
		return object{"type": "text", "text": unescape(fallback)}
	}
	date := object{"type": "date", "timestamp": int64(seconds), "format": unescape(parts[2]), "fallback": unescape(fallback)}
	if len(parts) > 3 {
		date["url"] = unescape(parts[3])
	}
	return date
}

var (
	escaper   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	unescaper = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

func Escape(s string) string   { return escaper.Replace(s) }
func unescape(s string) string { return unescaper.Replace(s) }
