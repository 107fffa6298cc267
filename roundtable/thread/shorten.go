package thread

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// markLimit bounds marked text where it is resolved, in characters: several pages of it
// are no point of a synthesis, and a dozen such messages would be more than can be
// kept. The message itself stays in the transcript, and the shortened text leads to it
// (NFR-003).
const markLimit = 1000

// shorten keeps the begin of a text of more than n characters, up to the end of a
// sentence if one ends in the second half, else of a word.
func shorten(text string, n int) (head string, short bool) {
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
		return text, false
	}
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	head = text[:at]
	for _, end := range []string{". ", "! ", "? ", ".\n", "\n"} {
		if i := strings.LastIndex(head, end); i > len(head)/2 {
			return strings.TrimSpace(head[:i+1]) + " …", true
		}
	}
	if i := strings.LastIndexAny(head, " \t"); i > len(head)/2 {
		head = head[:i]
	}
	return strings.TrimRight(head, " ,;:.") + "…", true
}

// messageScheme begins the address by which the rules name a message of the thread. They
// do not know where Slack keeps it; whoever draws a text or writes it into a document
// does.
const messageScheme = "message:"

// wholeMessage is the label of such a link, and the only one: no other text may lead to
// a place that it does not name.
const wholeMessage = "the whole message"

// MessageOf is the timestamp of the message that a link leads to, if it is one that the
// rules wrote.
func MessageOf(label, address string) (ts string, ok bool) {
	ts, ok = strings.CutPrefix(address, messageScheme)
	return ts, ok && label == wholeMessage
}

var messageLink = regexp.MustCompile(`\[` + wholeMessage + `\]\(` + messageScheme + `(\d{1,12}\.\d{6})\)`)

// LinkMessages gives the links to messages in a Markdown text their addresses, which
// address knows by the timestamp. Where it knows none, the words stay.
func LinkMessages(markdown string, address func(ts string) string) string {
	return messageLink.ReplaceAllStringFunc(markdown, func(found string) string {
		if to := address(messageLink.FindStringSubmatch(found)[1]); to != "" {
			return MarkdownLink(wholeMessage, to)
		}
		return wholeMessage
	})
}

// SayShortened stands after a marked text that was shortened and says where the whole
// is: in the message with this timestamp or, without one, in the transcript.
func SayShortened(ts string) string {
	if ts == "" {
		return " (shortened; the transcript has the whole)"
	}
	return " (shortened; see [" + wholeMessage + "](" + messageScheme + ts + "))"
}

// Remark is what is to be said after the marked text; empty if it is whole.
func (m Marked) Remark() string {
	if m.Whole == "" {
		return ""
	}
	return SayShortened(m.TS)
}

// cutText stands where a person's message had to be cut to be kept.
func cutText(characters int) string {
	return fmt.Sprintf("[%d more characters of this message are in Slack and were not kept. Links, decisions and actions in them do not count.]", characters)
}
