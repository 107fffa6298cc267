package slacksim

import (
	"encoding/json"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/roundtable-chat/app/bot/slacksim/blockkit"
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
		blocks := blockkit.RichText(out, true, func() string { return "b" })
		if _, err := json.Marshal(blocks); err != nil {
			t.Fatal(err)
		}
		blockkit.RichText(text, true, func() string { return "b" }) // as an app may send it
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
