package slacksim

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func workspaceFor(t testing.TB) *Workspace {
	t.Helper()
	w, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestTyped(t *testing.T) {
	w := workspaceFor(t)
	tests := []struct{ name, in, want string }{
		{"escaped", "a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"},
		{"real name", "ask @Priya Nair, please", "ask <@U0PRIYA01>, please"},
		{"handle, any case", "@SAM and @lena", "<@U0SAM0001> and <@U0LENA001>"},
		{"app", "@Roundtable what now?", "<@U0ROUND01> what now?"},
		{"persona stays text", "@maya what now?", "@maya what now?"},
		{"longer word stays text", "@samuel", "@samuel"},
		{"mail address stays text", "me@sam.example", "me@sam.example"},
		{"channel", "see #product", "see <#C0PRODUCT|product>"},
		{"unknown channel", "see #nothing", "see #nothing"},
		{"broadcast", "@here hello", "<!here> hello"},
		{"not in code", "`@sam` ```@sam``` @sam", "`@sam` ```@sam``` <@U0SAM0001>"},
		{"link", "see https://example.org/a?b=c&d.", "see <https://example.org/a?b=c&amp;d>."},
		{"hand-made mention is inert", "<@U0SAM0001>", "&lt;@U0SAM0001&gt;"},
		{"hand-made broadcast is inert", "<!channel>", "&lt;!channel&gt;"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := w.typed(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRichText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "2", `[{"type":"rich_text_section","elements":[{"type":"text","text":"2"}]}]`},
		{"mention", "<@U1> 1", `[{"type":"rich_text_section","elements":[{"type":"user","user_id":"U1"},{"type":"text","text":" 1"}]}]`},
		{"unescaped", "a &lt;b&gt; &amp;amp;", `[{"type":"rich_text_section","elements":[{"type":"text","text":"a <b> &amp;"}]}]`},
		{"nested styles", "*a _b_*", `[{"type":"rich_text_section","elements":[{"type":"text","text":"a ","style":{"bold":true}},{"type":"text","text":"b","style":{"bold":true,"italic":true}}]}]`},
		{"snake case", "a snake_case_name", `[{"type":"rich_text_section","elements":[{"type":"text","text":"a snake_case_name"}]}]`},
		{"code", "`*x*` :eyes:", `[{"type":"rich_text_section","elements":[{"type":"text","text":"*x*","style":{"code":true}},{"type":"text","text":" "},{"type":"emoji","name":"eyes"}]}]`},
		{"link", "<https://example.org|here>", `[{"type":"rich_text_section","elements":[{"type":"link","url":"https://example.org","text":"here"}]}]`},
		{"quote and list", "&gt; q\n• a\n• b", `[{"type":"rich_text_quote","elements":[{"type":"text","text":"q"}]},{"type":"rich_text_list","style":"bullet","indent":0,"border":0,"elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a"}]},{"type":"rich_text_section","elements":[{"type":"text","text":"b"}]}]}]`},
		{"preformatted", "see ```x\ny```", `[{"type":"rich_text_section","elements":[{"type":"text","text":"see "}]},{"type":"rich_text_preformatted","border":0,"elements":[{"type":"text","text":"x\ny"}]}]`},
		{"broadcast and group", "<!here> <!subteam^S1|@team>", `[{"type":"rich_text_section","elements":[{"type":"broadcast","range":"here"},{"type":"text","text":" "},{"type":"usergroup","usergroup_id":"S1"}]}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var want, got any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(richParts(tt.in))
			if err != nil || json.Unmarshal(raw, &got) != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever is typed, no character of it turns into markup of its own, and all
// text can be stored.
func FuzzTyped(f *testing.F) {
	w := workspaceFor(f)
	for _, seed := range []string{"<@U0SAM0001> & `x`", "*_~`a`~_*", "```", "&gt;x", "@Priya Nair#product", "<!date^1^{time}|x>", "https://a.b/<c>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return // no page sends it
		}
		out := w.typed(text)
		blocks := richText(out, true, func() string { return "b" })
		if _, err := json.Marshal(blocks); err != nil {
			t.Fatal(err)
		}
		richText(text, true, func() string { return "b" }) // as an app may send it
	})
}

// Blocks of any shape are judged without a panic.
// FuzzCheckBlocks: whatever an app sends is judged, and what passes still passes when
// everything is filled in that Slack fills in, and has an id wherever people could act.
func FuzzCheckBlocks(f *testing.F) {
	f.Add(`[{"type":"section","text":{"type":"mrkdwn","text":"x"},"accessory":{"type":"button"}}]`)
	f.Add(`[{"type":"actions","elements":[1,null,{"type":"static_select","options":[{}]}]},null,3]`)
	f.Add(`[{"type":"section","text":{"type":"plain_text","text":"x"}},{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"y"}}]}]`)
	f.Fuzz(func(t *testing.T, raw string) {
		var blocks []any
		if json.Unmarshal([]byte(raw), &blocks) != nil {
			return
		}
		problems, n := checkBlocks(blocks, surfaceMessage), 0
		completeBlocks(blocks, func() string { n++; return fmt.Sprintf("filled-%d", n) })
		if len(problems) > 0 {
			return
		}
		if again := checkBlocks(blocks, surfaceMessage); len(again) > 0 {
			t.Errorf("%s passed, and does not when it is filled in: %v", raw, again)
		}
		for _, b := range blocks {
			id, _ := b.(object)["block_id"].(string)
			if id == "" {
				t.Errorf("%s: a block has no id", raw)
			}
			elements, _ := b.(object)["elements"].([]any)
			for _, e := range elements {
				if action, ok := e.(object)["action_id"].(string); ok && element(blocks, id, action) == nil {
					t.Errorf("%s: nobody could press %q", raw, action)
				}
			}
		}
	})
}

func FuzzParseTS(f *testing.F) {
	f.Add("1795225600.000123")
	f.Add("1")
	f.Fuzz(func(t *testing.T, ts string) {
		micro, ok := parseTS(ts)
		if again, back := parseTS(formatTS(micro)); ok && (!back || again != micro) {
			t.Errorf("%q: %d then %d", ts, micro, again)
		}
	})
}

func TestTimestampsGrow(t *testing.T) {
	var ids idSource
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	last := ids.ts(now)
	for range 100 {
		next := ids.ts(now)
		if next <= last {
			t.Fatalf("%s after %s", next, last)
		}
		last = next
	}
}

func TestDNDWindow(t *testing.T) {
	d := DND{Enabled: true, From: "22:00", To: "08:00"}
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }
	tests := []struct {
		name            string
		now, start, end time.Time
	}{
		{"before midnight", at(21, 23), at(21, 22), at(22, 8)},
		{"after midnight", at(21, 3), at(20, 22), at(21, 8)},
		{"by day", at(21, 12), at(21, 22), at(22, 8)},
		{"at its end", at(21, 8), at(21, 22), at(22, 8)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start, end := d.window(tt.now)
			if !start.Equal(tt.start) || !end.Equal(tt.end) {
				t.Errorf("got %s to %s, want %s to %s", start, end, tt.start, tt.end)
			}
		})
	}
}
