package thread

import (
	"regexp"
	"strings"
)

// Slack's own signs in what people write ("Formatting text for app surfaces").
var (
	wireLink    = regexp.MustCompile(`<((?:[a-z][a-z0-9+.-]*://|mailto:|tel:)[^|<>\s]*)(?:\|([^<>]*))?>`)
	wireMention = regexp.MustCompile(`<([@#!])([^|<>\n]*)(?:\|([^<>\n]*))?>`)
	wireSigns   = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// A LinkForm writes a link that has a label.
type LinkForm func(label, address string) string

// MarkdownLink is the form of documents.
func MarkdownLink(label, address string) string {
	if strings.ContainsAny(address, "()") {
		address = "<" + address + ">"
	}
	return "[" + strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(label) + "](" + address + ")"
}

// SpelledLink is the form of running text.
func SpelledLink(label, address string) string { return label + " (" + address + ")" }

// Legible is what a person wrote as it reads outside Slack: mentions as names, the
// address of every link, and the three characters that Slack escapes as themselves. A link
// whose label disguises where it leads is spelled out in every form, and one in Markdown
// that somebody typed is, too.
// Nobody's id is in it: who has neither a label nor a name in names, which is keyed
// by user id, is somebody.
func Legible(text string, names map[string]string, link LinkForm) string {
	text = legibleLinks(text, link)
	text = wireMention.ReplaceAllStringFunc(text, func(found string) string {
		m := wireMention.FindStringSubmatch(found)
		return mentioned(m[1], m[2], m[3], names)
	})
	return Unmasked(wireSigns.Replace(text))
}

// legibleLinks writes Slack's own links.
func legibleLinks(text string, link LinkForm) string {
	var b strings.Builder
	rest := 0
	for _, at := range wireLink.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(text[rest:at[0]])
		rest = at[1]
		address, label := text[at[2]:at[3]], ""
		if at[4] >= 0 {
			label = text[at[4]:at[5]]
		}
		switch box := strings.TrimPrefix(address, "mailto:"); {
		case label == "", label == address, label == box:
			b.WriteString(box)
		case Disguises(label, wireSigns.Replace(address)), Disguises(lastWord(text[:at[0]])+label+firstWord(text[at[1]:]), wireSigns.Replace(address)):
			b.WriteString(SpelledLink(Disarmed(label), Spelled(address)))
		default:
			b.WriteString(link(label, address))
		}
	}
	return b.String() + text[rest:]
}

// mentioned is a mention in words: of a person (@), a channel (#), or whatever else
// Slack has a sign for (!): a group, a crowd, a date with its words as the label.
func mentioned(sign, target, label string, names map[string]string) string {
	label = strings.TrimLeft(label, "@#")
	switch {
	case sign == "@" && names[target] != "":
		return "@" + names[target]
	case sign == "@" && label != "":
		return "@" + label
	case sign == "@":
		return "@somebody"
	case sign == "#" && label != "":
		return "#" + label
	case sign == "#":
		return "#" + target
	case strings.HasPrefix(target, "date^"):
		return label
	case label != "":
		return "@" + label
	}
	return "@" + strings.TrimPrefix(target, "subteam^")
}
