package thread_test

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
)

func TestLegible(t *testing.T) {
	t.Parallel()
	names := map[string]string{"U0SAM0001": "Sam Okafor"}
	for name, test := range map[string]struct{ text, document, spelled string }{
		"plain":             {text: "keep both", document: "keep both"},
		"escaped":           {text: "`if a&lt;b &amp;&amp; c&gt;d`", document: "`if a<b && c>d`"},
		"escaped entity":    {text: "write &amp;lt; there", document: "write &lt; there"},
		"somebody known":    {text: "<@U0SAM0001> owns it", document: "@Sam Okafor owns it"},
		"somebody labelled": {text: "<@U0LENA001|Lena> owns it", document: "@Lena owns it"},
		"a stranger":        {text: "<@U0LENA001> owns it", document: "@somebody owns it"},
		"channel":           {text: "see <#C0DOCS001|docs> and <#C0X|>", document: "see #docs and #C0X"},
		"group":             {text: "<!subteam^S012|@web> asks", document: "@web asks"},
		"crowd":             {text: "<!here> and <!channel|channel>", document: "@here and @channel"},
		"date":              {text: "by <!date^1392734382^{date}|18 February>", document: "by 18 February"},
		"address":           {text: "see <https://a.example/x?a=1&amp;b=2>.", document: "see https://a.example/x?a=1&b=2."},
		"label as address":  {text: "<https://a.example|https://a.example>", document: "https://a.example"},
		"mail":              {text: "ask <mailto:lena@a.example|lena@a.example>", document: "ask lena@a.example"},
		"label": {
			text: "<https://a.example/x?a=1&amp;b=2|the [note]>", document: `[the \[note\]](https://a.example/x?a=1&b=2)`,
			spelled: "the [note] (https://a.example/x?a=1&b=2)",
		},
		"brackets in an address": {text: "<https://a.example/x_(y)|note>", document: "[note](<https://a.example/x_(y)>)", spelled: "note (https://a.example/x_(y))"},
		"no entity":              {text: "a < b, <, <@", document: "a < b, <, <@"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := thread.Legible(test.text, names, thread.MarkdownLink); got != test.document {
				t.Errorf("in a document %q, want %q", got, test.document)
			}
			if test.spelled == "" {
				test.spelled = test.document
			}
			if got := thread.Legible(test.text, names, thread.SpelledLink); got != test.spelled {
				t.Errorf("spelled out %q, want %q", got, test.spelled)
			}
		})
	}
}
