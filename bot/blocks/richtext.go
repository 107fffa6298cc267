package blocks

import (
	"strings"
	"unicode/utf8"

	"github.com/slack-go/slack"
	"github.com/yuin/goldmark/util"
)

// Styled is one run of text, or nothing if it is empty.
func Styled(s string, style slack.RichTextSectionTextStyle) []slack.RichTextSectionElement {
	if s == "" {
		return nil
	}
	return []slack.RichTextSectionElement{slack.NewRichTextSectionTextElement(s, ref(style))}
}

// ref leaves an unset style out of the message.
func ref(style slack.RichTextSectionTextStyle) *slack.RichTextSectionTextStyle {
	if style == (slack.RichTextSectionTextStyle{}) {
		return nil
	}
	return &style
}

// resolve undoes Markdown's backslash escapes and HTML's character references.
func resolve(s []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(s)))
}

func joinLines(a, b []slack.RichTextSectionElement) []slack.RichTextSectionElement {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	return append(append(a, Styled("\n", slack.RichTextSectionTextStyle{})...), b...)
}

// plainText is what a screen reader says.
func plainText(elements []slack.RichTextSectionElement) string {
	var b strings.Builder
	for _, e := range elements {
		b.WriteString(elementText(e))
	}
	return b.String()
}

func elementText(e slack.RichTextSectionElement) string {
	switch e := e.(type) {
	case *slack.RichTextSectionTextElement:
		return e.Text
	case *slack.RichTextSectionLinkElement:
		if e.Text != "" {
			return e.Text
		}
		return e.URL
	}
	return ""
}

func textLength(elements []slack.RichTextSectionElement) int {
	n := 0
	for _, e := range elements {
		n += utf8.RuneCountInString(elementText(e))
	}
	return n
}

// split divides elements after at most n characters, at a space where one is
// near. A link is never divided.
func split(elements []slack.RichTextSectionElement, n int) (head, tail []slack.RichTextSectionElement) {
	for i, e := range elements {
		length := utf8.RuneCountInString(elementText(e))
		if length <= n {
			n -= length
			continue
		}
		head = append(head, elements[:i]...)
		t, ok := e.(*slack.RichTextSectionTextElement)
		if !ok || n == 0 {
			return head, elements[i:]
		}
		a, b := splitText(t.Text, n)
		if a != "" {
			head = append(head, slack.NewRichTextSectionTextElement(a, t.Style))
		}
		tail = append(tail, slack.NewRichTextSectionTextElement(b, t.Style))
		return head, append(tail, elements[i+1:]...)
	}
	return elements, nil
}

// nearby is how far before its limit a split looks for a space.
const nearby = 120

// splitText divides s after at most n characters.
func splitText(s string, n int) (head, tail string) {
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	if space := strings.LastIndexAny(s[:at], " \n"); space > 0 && at-space <= nearby {
		at = space + 1
	}
	return s[:at], s[at:]
}
