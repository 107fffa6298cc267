package blocks

import (
	"bytes"
	"encoding/json"
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/golden"
	"github.com/roundtable-chat/app/roundtable/injection"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var place = thread.Place{Team: "T1", Channel: "C1", Thread: "1700000000.000100", Root: "1700000000.000100"}

func testRenderer() Renderer {
	return Renderer{
		Site: "https://acme.slack.com/", Names: true,
		Name: func(user string) string { return map[string]string{"U1": "Priya Nair"}[user] },
		Links: func(_ thread.Place, url string) bool {
			return HostOf(url) == "docs.example.com"
		},
	}
}

func TestGoldenMessages(t *testing.T) {
	for name, m := range map[string]thread.Message{
		"root": {
			Kind: thread.KindRoot, Text: "ELABORATION MODE\n\nBringing Alex Rivera (Solutions Architect) into the discussion.\n\nTopic: Caching & <search>\n\nTurn limit: 10 exchanges. Type \"done\" to end discussion early.",
			Status: "Turn 3 of 10 · Waiting for the room", Buttons: []thread.Button{{Kind: roundtable.ButtonContinue, Label: "Let them continue"}, {Kind: roundtable.ButtonWrapUp, Label: "Wrap up", Style: "primary"}},
		},
		"contribution": {
			Kind: thread.KindContribution, Speaker: "a", Identity: "Maya Chen (Business Analyst)",
			Text:   "Two things **matter**, _Alex_:\n\n1. `TTL < 60s`, see [the docs](https://docs.example.com/ttl)\n2. what <@U1> said:\n   - freshness\n   - cost\n\n> quoted & more\n\n```go\nif a < b {\n}\n```\n\n<!channel> and [click](https://evil.example/?q=secret)",
			Engine: "offline",
		},
		"procedure_with_mention": {Kind: thread.KindProcedure, Identity: "Maya Chen (Business Analyst)", Mention: "U0PRIYA01", Text: "any thoughts on this, or should we wrap up?", Buttons: []thread.Button{{Kind: roundtable.ButtonWrapUp, Label: "Wrap up"}, {Kind: roundtable.ButtonKeepOn, Label: "Go on"}}},
		"choice": {Kind: thread.KindChoice, Text: "Which one?\n\n- **A** because\n- **B** because", Buttons: []thread.Button{
			{Kind: roundtable.ButtonChoose, Label: "A", Value: "c1/0"}, {Kind: roundtable.ButtonChoose, Label: strings.Repeat("B", 100), Value: "c1/1"}, {Kind: roundtable.ButtonChoose, Label: "too large", Value: strings.Repeat("x", 2000)},
		}},
		"synthesis": {
			Kind: thread.KindSynthesis,
			Text: "### Elaboration Insights (Step 00-00: Caching)\n\n**Participants**: Maya Chen (BA), Priya\n**Turns**: 7 | **Exit**: user-initiated\n\n#### Key Insights\n\n- [Maya] Freshness matters: users said so\n- [All] Cost\n\n#### Decisions Made\n\n- None\n\n#### Open Questions\n\n- [Priya] Who pays?\n",
			Synthesis: &thread.Synthesis{
				Insights:  []thread.Point{{Text: "Freshness matters", Why: "users said so", By: []string{"Maya"}, TS: []string{"1700000001.000100", "1700000002.000100"}}, {Text: "Cost", By: []string{"All"}}},
				Questions: []thread.Point{{Text: "Who pays?", By: []string{"Priya"}, TS: []string{"1700000003.000100", "evil|x"}}},
			},
		},
		"notice": {Kind: thread.KindNotice, Text: "Updated `elaboration-notes.md`, section \"Caching\": added 3 insights."},
		"notice_with_thread": {Kind: thread.KindNotice, Text: "The elaboration of “Caching” has ended: Freshness matters.", Threads: []thread.ThreadLink{
			{Label: "The elaboration <!here>", Thread: "1700000009.000100"}, {Label: "nowhere", Thread: "https://evil.example"}, {Thread: "1700000009.000100"},
		}},
		"root_with_thread": {Kind: thread.KindRoot, Text: "ELABORATION MODE\n\nTopic: Caching", Status: "Waiting for the room", Threads: []thread.ThreadLink{{Label: "The analysis of Offline mode", Thread: "1700000009.000100"}}},
		"invitation":       {Kind: thread.KindNotice, Invited: []string{"U0SAM0001", "<!channel>", "U0LENA001"}, Text: "Priya would like you at this roundtable. <@U3>"},
		"menu":             {Kind: thread.KindMenu, Text: "Done.", Buttons: []thread.Button{{Kind: roundtable.ButtonAgain, Label: "[E] Elaboration Mode", Style: "primary"}, {Kind: roundtable.ButtonShare, Label: "Share", Style: "glitter"}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := testRenderer().Draw(place, "DTEST", m)
			golden.Check(t, filepath.Join("testdata", "render", name+".json"), string(asSent(t, d)), *update)
			checkDrawing(t, d, m.Notified()...)
		})
	}
}

// asSent is a drawing as JSON that a person can read.
func asSent(t testing.TB, d Drawing) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(map[string]any{"text": d.Text, "blocks": d.Blocks}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestNameInFrontWithoutTheScope shows AC-002-04.
// TestGivenAddressIsALink shows that an address that a person posted stays one link,
// whichever form it comes in.
func TestGivenAddressIsALink(t *testing.T) {
	t.Parallel()
	const address = "https://docs.example.com/x?a=1&b=2"
	for _, text := range []string{"see <https://docs.example.com/x?a=1&amp;b=2>", "see " + address, "see <" + address + ">"} {
		r := testRenderer()
		r.Links = func(_ thread.Place, url string) bool { return url == address }
		d := r.Draw(place, "D1", thread.Message{Kind: thread.KindContribution, Text: text})
		blocks, err := json.Marshal(d.Blocks)
		if err != nil {
			t.Fatal(err)
		}
		if want := `"url":"https://docs.example.com/x?a=1\u0026b=2"`; !strings.Contains(string(blocks), want) || d.Text != "see https://docs.example.com/x?a=1&amp;b=2" {
			t.Errorf("%q: drawn as %s and %q, want %s", text, blocks, d.Text, want)
		}
	}
}

// TestSynthesisBringsItsLinks shows that a synthesis is drawn alike by a replica that
// heard what it rests on and by one that did not.
func TestSynthesisBringsItsLinks(t *testing.T) {
	t.Parallel()
	r := testRenderer()
	r.Links = func(thread.Place, string) bool { return false }
	d := r.Draw(place, "D1", thread.Message{
		Kind: thread.KindSynthesis, Text: "- [Sam] see https://a.example/x, not https://evil.example/y",
		Synthesis: &thread.Synthesis{Links: []string{"https://a.example/x", "javascript:alert(1)"}},
	})
	blocks, err := json.Marshal(d.Blocks)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(blocks), `"url":"https://a.example/x"`) || strings.Contains(string(blocks), `"url":"https://evil`) {
		t.Errorf("drawn as %s", blocks)
	}
}

func TestNameInFrontWithoutTheScope(t *testing.T) {
	r := testRenderer()
	r.Names = false
	for _, c := range []struct{ name, text string }{{"words (AC-002-04)", "Hello"}, {"a list first (AC-002-04)", "- one\n- two"}, {"code first (AC-002-04)", "```\nx\n```"}} {
		t.Run(c.name, func(t *testing.T) {
			d := r.Draw(place, "D", thread.Message{Kind: thread.KindContribution, Identity: "Maya Chen (Business Analyst)", Text: c.text})
			if !strings.HasPrefix(d.Text, "Maya Chen (Business Analyst): ") {
				t.Errorf("got %q", d.Text)
			}
		})
	}
}

func TestLongMessagesAreCutAndSayso(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"one paragraph", strings.Repeat("word ", 10_000)},
		{"no space", strings.Repeat("é", 30_000)},
		{"many paragraphs", strings.Repeat("A paragraph of words.\n\n", 2_000)},
		{"code", "```\n" + strings.Repeat("line of code\n", 3_000) + "```"},
		{"many headings", strings.Repeat("# H\n\n---\n\n", 500)},
		{"a list", strings.Repeat("- item\n", 5_000)},
		{"entities", strings.Repeat("&", 9_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range []thread.MessageKind{thread.KindContribution, thread.KindSynthesis} {
				d := testRenderer().Draw(place, "D", thread.Message{Kind: kind, Text: c.text, Buttons: []thread.Button{{Kind: roundtable.ButtonContinue, Label: "on"}}})
				checkDrawing(t, d)
			}
			d := testRenderer().Draw(place, "D", thread.Message{Kind: thread.KindSynthesis, Text: c.text})
			if utf8.RuneCountInString(c.text) > 13_000 && c.name != "many headings" && !strings.Contains(string(asSent(t, d)), "characters more in the transcript") {
				t.Error("it does not say that it was cut")
			}
		})
	}
}

// hostile are texts that try to notify, to mislead or to break out (I12).
var hostile = []string{
	"<!channel> <!here> <!everyone> <!channel|x> <!subteam^S0123|@team> <@U999> <@U999|boss> <#C1|general>",
	"&lt;!channel&gt; &amp;lt;!here&amp;gt; &#60;!everyone&#62; &#x3C;@U999&#x3E;",
	"<<!channel>!channel> <<@U1>@U2> <!\u200bchannel> <\u2060@U999> ＜!channel＞ <!chan\u00adnel>",
	"@channel @here @everyone ＠here @\u200bhere",
	"`<!channel>` ```\n<!channel>\n``` [x](<!channel>) ![y](<@U999>) **<!here>**",
	"[harmless](https://evil.example/?q=a) <https://evil.example|docs.example.com> https://evil.example/x <https://docs.example.com@evil.example/>",
	"[a](javascript:alert(1)) [b](slack://open) [c](data:text/html,x) <mailto:a@b.c|d>",
	"[https://bank.com](https://docs.example.com/x) <https://docs.example.com|bank[.]com> bank.[com](https://docs.example.com) [**bank**.com][1]\n\n[1]: https://docs.example.com",
	"[https://docs.example.com](https://evil.example) [![i](https://evil.example/i.png)](https://evil.example)",
	"<a href=\"https://evil.example\">x</a> <img src=x> <!-- <!channel> --> <![CDATA[<!here>]]> <?php <!channel> ?>",
	"<!date^1392734382^{date_short}^https://evil.example|x>",
	"> > > > > > > > > deep\n- a\n  - b\n    - c\n      - d\n        - e\n          - f\n            - g\n              - h\n                - i\n                  - j",
	"| a | b |\n|---|---|\n| <!channel> | <@U999> |", "\u202e<lennahc!> \x00\x07 \r\n\r x", "# <!channel>\n### <@U999>\n---", "*_~`<!here>`~_*",
	"<!chan" + strings.Repeat(" ", 3000) + "nel>", strings.Repeat("x", 2995) + "<!channel>", strings.Repeat("&", 3990) + "<!channel>",
}

func TestNothingNotifies_I12(t *testing.T) {
	for _, text := range hostile {
		for _, kind := range kinds {
			d := testRenderer().Draw(place, "D", messageOf(kind, text))
			checkDrawing(t, d)
		}
	}
}

var kinds = []thread.MessageKind{
	thread.KindRoot, thread.KindContribution, thread.KindProcedure, thread.KindNotice, thread.KindChoice, thread.KindSynthesis, thread.KindMenu,
}

func messageOf(kind thread.MessageKind, text string) thread.Message {
	return thread.Message{
		Kind: kind, Text: text, Identity: text, Status: text, Engine: text, Mention: "<!channel>", Invited: []string{"<!here>"},
		Buttons:   []thread.Button{{Kind: roundtable.ButtonChoose, Label: text, Value: text}, {Kind: roundtable.ButtonChoose, Label: text, Value: text, Style: text}},
		Synthesis: &thread.Synthesis{Insights: []thread.Point{{Text: text, Why: text, By: []string{text}, TS: []string{text}}}},
	}
}

func FuzzDraw(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, 0)
		f.Add(text, 5)
	}
	for _, h := range injection.Attempts(f) {
		f.Add(h.Text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, kind int) {
		if kind < 0 {
			kind = 0
		}
		m := messageOf(kinds[kind%len(kinds)], text)
		d := testRenderer().Draw(place, "D", m)
		checkDrawing(t, d)
		if again := testRenderer().Draw(place, "D", m); !bytes.Equal(asSent(t, d), asSent(t, again)) {
			t.Error("drawn twice, it differs")
		}
	})
}

// entity is what Slack's mrkdwn parser would resolve.
var entity = regexp.MustCompile(`<[^>]*>?`)

// checkDrawing reads a message as Slack does: its text as mrkdwn, its blocks as
// typed elements, and holds both to I12 and to Slack's limits.
func checkDrawing(t testing.TB, d Drawing, notified ...string) {
	t.Helper()
	for _, found := range entity.FindAllString(d.Text, -1) {
		if user := strings.TrimSuffix(strings.TrimPrefix(found, "<@"), ">"); !slices.Contains(notified, user) {
			t.Errorf("I12: %q stands in the text", found)
		}
	}
	if n := utf8.RuneCountInString(d.Text); n > 4000 {
		t.Errorf("text: %d characters", n)
	}
	if regexp.MustCompile(`(?i)@(here|channel|everyone)\b`).MatchString(d.Text) {
		t.Errorf("I12: a broadcast by name stands in the text: %q", d.Text)
	}
	if n := len(d.Blocks); n > 50 {
		t.Errorf("blocks: %d", n)
	}
	raw, err := json.Marshal(d.Blocks)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []any
	if err := json.Unmarshal(raw, &blocks); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, b := range blocks {
		walk(t, b, notified, ids)
	}
}

// allowed are the types that a message of ours may consist of.
var allowed = map[string]bool{
	"rich_text": true, "rich_text_section": true, "rich_text_list": true, "rich_text_quote": true, "rich_text_preformatted": true,
	"text": true, "link": true, "user": true, "header": true, "divider": true, "context": true, "actions": true, "button": true, "plain_text": true,
}

func walk(t testing.TB, v any, notified []string, ids map[string]bool) {
	t.Helper()
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			walk(t, e, notified, ids)
		}
	case map[string]any:
		kind, _ := v["type"].(string)
		if kind != "" && !allowed[kind] {
			t.Errorf("I12: an element of type %q", kind)
		}
		checkElement(t, kind, v, notified, ids)
		for _, e := range v {
			walk(t, e, notified, ids)
		}
	}
}

func checkElement(t testing.TB, kind string, v map[string]any, notified []string, ids map[string]bool) {
	t.Helper()
	elements, _ := v["elements"].([]any)
	text, _ := v["text"].(string)
	switch kind {
	case "user":
		if user, _ := v["user_id"].(string); !slices.Contains(notified, user) {
			t.Errorf("I12: %v is mentioned", v["user_id"])
		}
	case "link":
		url, _ := v["url"].(string)
		if HostOf(url) != "docs.example.com" && HostOf(url) != "acme.slack.com" {
			t.Errorf("I12: a link to %q", url)
		}
		if thread.Disguises(text, url) && text != thread.Spelled(url) {
			t.Errorf("NFR-103: a link to %q that reads %q", url, text)
		}
	case "rich_text_section", "rich_text_list", "rich_text_quote", "rich_text_preformatted", "rich_text":
		if len(elements) == 0 {
			t.Errorf("an empty %s", kind)
		}
	case "text":
		if text == "" {
			t.Error("an empty text element")
		}
	case "plain_text":
		if n := utf8.RuneCountInString(text); n == 0 || n > 3000 {
			t.Errorf("plain text of %d characters", n)
		}
	case "actions":
		if len(elements) == 0 || len(elements) > 25 {
			t.Errorf("%d buttons in a block", len(elements))
		}
	case "button":
		id, _ := v["action_id"].(string)
		value, _ := v["value"].(string)
		label, _ := v["text"].(map[string]any)
		if ids[id] || len(id) > 255 || len(value) > 2000 || utf8.RuneCountInString(label["text"].(string)) > 75 {
			t.Errorf("a button that Slack refuses: %s", id)
		}
		ids[id] = true
	}
}
