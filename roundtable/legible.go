package roundtable

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
	return "[" + strings.NewReplacer("[", `\[`, "]", `\]`).Replace(label) + "](" + address + ")"
}

// SpelledLink is the form of running text.
func SpelledLink(label, address string) string { return label + " (" + address + ")" }

// Legible is what a person wrote as it reads outside Slack: mentions as names, the
// address of every link, and the three characters that Slack escapes as themselves.
// Nobody's id is in it: who has neither a label nor a name in names, which is keyed
// by user id, is somebody.
func Legible(text string, names map[string]string, link LinkForm) string {
	text = wireLink.ReplaceAllStringFunc(text, func(found string) string {
		m := wireLink.FindStringSubmatch(found)
		if address := strings.TrimPrefix(m[1], "mailto:"); m[2] == "" || m[2] == m[1] || m[2] == address {
			return address
		}
		return link(m[2], m[1])
	})
	text = wireMention.ReplaceAllStringFunc(text, func(found string) string {
		m := wireMention.FindStringSubmatch(found)
		return mentioned(m[1], m[2], m[3], names)
	})
	return wireSigns.Replace(text)
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
