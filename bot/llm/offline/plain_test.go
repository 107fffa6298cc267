package offline

import "testing"

// TestTidy shows that what is kept of a sentence says what the sentence said
// (NFR-003).
func TestTidy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"latency &lt; 10 ms &amp; owner is <@U1|Sam Okafor>":        "latency < 10 ms & owner is @Sam Okafor",
		"<@U1> owns it, see <https://www.a.example/x?a=1&amp;b=2>.": "@somebody owns it, see a.example",
		"as <https://a.example/x|the note> says, in <#C1|docs>":     "as the note says, in #docs",
		"> earlier\n&gt; and before\nI *agree* :+1: with “that”":    `I agree with "that"`,
		"```\nx := 1\n``` runs":                                     "runs",
		"no\ttabs,\u200b no hidden marks":                           "no tabs, no hidden marks",
	} {
		if got := tidy(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
