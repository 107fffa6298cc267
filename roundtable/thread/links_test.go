package thread

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// To tame a text again changes nothing, and its words stay.
func FuzzTame(f *testing.F) {
	f.Add("[x](https://evil.example) <a href=//x> www.evil.example <https://x.example|y>")
	f.Add("[x](https://evil.examplԟe)//a>")
	f.Add("[x.de](HTTPS://é%2e:1/%zz)")
	f.Fuzz(func(t *testing.T, text string) {
		known := Links{"https://x.example": true}
		once := known.Tame(text)
		if diff := cmp.Diff(once, known.Tame(once)); diff != "" {
			t.Errorf("tamed twice, it differs:\n%s", diff)
		}
		letters := func(s string) string {
			s = regexp.MustCompile(`%[0-9A-Fa-f]{2}`).ReplaceAllStringFunc(s, func(e string) string { return decoded(e) })
			return strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N}]`).ReplaceAllString(s, ""), "dot", "")
		}
		if letters(text) != letters(once) {
			t.Errorf("words were lost: %q, was %q", once, text)
		}
		for _, m := range address.FindAllString(once, -1) {
			if !known[unescaped(m)] {
				t.Errorf("%q still leads to %q", once, m)
			}
		}
	})
}
