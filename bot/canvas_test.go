package bot

import (
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/blocks"
)

func TestCanvasText(t *testing.T) {
	const j = blocks.WordJoiner
	allowed := func(url string) bool { return strings.HasPrefix(url, "https://docs.example.com/") }
	for _, c := range []struct{ name, in, want string }{
		{"words stay", "# Spec\r\n\n- [ ] **task** `a[0]`\n", "# Spec\n\n- [ ] **task** `a[0]`\n"},
		{"a person", "![](@U0PRIYA01)", "!" + j + "[]" + j + "(@U0PRIYA01)"},
		{"a person behind a bracket", "<![](@U0PRIYA01)", "<" + j + "!" + j + "[]" + j + "(@U0PRIYA01)"},
		{"Slack's own markup", "<@U0PRIYA01> <!channel> <#C1|x>", "<" + j + "@U0PRIYA01> <" + j + "!channel> <" + j + "#C1|x>"},
		{"everybody", "@channel", "@" + j + "channel"},
		{"a link that hides where it leads", "[bank](https://evil.example/x)", "[bank]" + j + "(https:" + j + "//evil[.]example/x)"},
		{"a definition", "[bank][1]\n\n[1]: https://evil.example", "[bank]" + j + "[1]\n\n[1]" + j + ": https:" + j + "//evil[.]example"},
		{"an address that is trusted", "see https://docs.example.com/a", "see https://docs.example.com/a"},
		{"an address in an address", "http://http://0.00", "http[:]//http:" + j + "//0.00"},
		{"HTML", "<img src=x> a < b", "<" + j + "img src=x> a < b"},
		{"in code as well", "```\n![](@U0PRIYA01)\n```", "```\n!" + j + "[]" + j + "(@U0PRIYA01)\n```"},
		{"hidden order", "a\u202Eb", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := canvasText(c.in, allowed); got != c.want {
				t.Errorf("I12: got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzCanvasText shows I12: nothing that acts is left, and all words are.
func FuzzCanvasText(f *testing.F) {
	f.Add("![](@U0PRIYA01) [x](https://evil.example) <!here> ]][[!![")
	f.Add("[1]:http://a.b\n<http://a.b>")
	f.Fuzz(func(t *testing.T, in string) {
		got := canvasText(in, func(string) bool { return false })
		for _, bad := range []string{"![", "](", "][", "]:", "<@", "<!", "<#", "</", "<h"} {
			if strings.Contains(got, bad) {
				t.Errorf("I12: %q became %q, which has %q", in, got, bad)
			}
		}
		if blocks.BareURL.MatchString(got) {
			t.Errorf("I12: %q became %q with a live address", in, got)
		}
	})
}
