package thread_test

import (
	"bytes"
	"html"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestNoReaderFindsADisguise reads what Unmasked left as a document's reader does, and finds
// no link that shows one host and leads to another: whatever stands in the address, in the
// words, and between the lines (NFR-103).
func TestNoReaderFindsADisguise(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"an angle in the address":           "[bank.com](https://evil.example/x<)",
		"brackets in the address":           "[bank.com](https://evil.example/((a)b(c)))",
		"a carriage return before it":       "[bank.com](\rhttps://evil.example/x)",
		"a carriage return in its words":    "[see\rbank.com](\rhttps://evil.example/x)",
		"emphasis with underscores":         "[_bank.com_](https://evil.example/x)",
		"emphasis of a part":                "[_bank_.com](https://evil.example/x)",
		"HTML in the words":                 "[ba<b>n</b>k.com](https://evil.example/x)",
		"what is no HTML in the words":      "[<bank.com>](https://evil.example/x)",
		"a bracket behind its words":        "[bank.com&#46;](https://evil.example/x)(t)",
		"an address behind its words":       "[bank.com](https://evil.example/x)https://evil.example/x",
		"a comment in the words":            "[ba<!-- -->nk.com](https://evil.example/x)",
		"a definition after a return":       "[bank.com]\n\n[bank.com]:\rhttps://evil.example/x",
		"a definition before a return":      "[bank.com]\n\n[bank.com]: https://evil.example/x\r",
		"a definition with both":            "[bank.com]\r\n\r\n[bank.com]:\r\nhttps://evil.example/x\r\n",
		"a definition in a quotation":       "[bank.com]\n\n> [bank.com]:\n> https://evil.example/x",
		"a definition with spaces in it":    "[bank.com]\n\n[bank.com]: <https://evil.example/x y>",
		"a definition with a title beneath": "[bank.com]\n\n[bank.com]: https://evil.example/x\n'title'",
	} {
		out := []byte(thread.Unmasked(source))
		if again := thread.Unmasked(string(out)); again != string(out) {
			t.Errorf("%s: %q becomes %q", name, out, again)
		}
		for words, address := range links(out) {
			if strings.Contains(words, "bank.com") && strings.Contains(address, "evil.example") {
				t.Errorf("%s: %q leaves a link to %q that reads %q", name, out, address, words)
			}
		}
	}
	if got := thread.Legible("see <https://evil.example/x|bank.com>.1", nil, thread.MarkdownLink); strings.Contains(got, "](") {
		t.Errorf("what stands behind a link disguises it: %q", got)
	}
	for _, honest := range []string{"[a](b c) and [see 1.2](not a link here)", "[Note]: see below", "[my_app.example.com](https://my_app.example.com/x)"} {
		if got := thread.Unmasked(honest); got != honest {
			t.Errorf("%q became %q", honest, got)
		}
	}
}

// links are the words and the addresses of the links that a reader of Markdown finds.
func links(source []byte) map[string]string {
	all := map[string]string{}
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	_ = ast.Walk(doc, func(n ast.Node, in bool) (ast.WalkStatus, error) {
		l, ok := n.(*ast.Link)
		if !in || !ok {
			return ast.WalkContinue, nil
		}
		var words bytes.Buffer
		_ = ast.Walk(l, func(c ast.Node, in bool) (ast.WalkStatus, error) {
			if t, ok := c.(*ast.Text); ok && in {
				words.Write(t.Segment.Value(source))
			}
			return ast.WalkContinue, nil
		})
		all[html.UnescapeString(words.String())] = html.UnescapeString(string(l.Destination))
		return ast.WalkContinue, nil
	})
	return all
}
