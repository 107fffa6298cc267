package blocks

import (
	"strings"
	"testing"

	"github.com/slack-go/slack"
)

// TestSplitLosesNothing divides a run at every length: both parts together are
// the whole, and no link is divided.
func TestSplitLosesNothing(t *testing.T) {
	whole := []slack.RichTextSectionElement{
		slack.NewRichTextSectionTextElement("éa few words ", nil),
		slack.NewRichTextSectionLinkElement("https://docs.example.com", "the docs", nil),
		slack.NewRichTextSectionTextElement(strings.Repeat("x", 200)+" end", &slack.RichTextSectionTextStyle{Bold: true}),
	}
	for n := range textLength(whole) + 2 {
		head, tail := split(whole, n)
		if got, want := plainText(head)+plainText(tail), plainText(whole); got != want {
			t.Errorf("after %d: got %q, want %q", n, got, want)
		}
		if got := textLength(head); got > n {
			t.Errorf("after %d: the head has %d", n, got)
		}
		links := 0
		for _, e := range append(append([]slack.RichTextSectionElement{}, head...), tail...) {
			if _, ok := e.(*slack.RichTextSectionLinkElement); ok {
				links++
			}
		}
		if links != 1 {
			t.Errorf("after %d: got %d links, want 1", n, links)
		}
	}
}
