package engine

import (
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
)

// The cache holds about as many bytes as it may, forgets what was used longest ago,
// and what one reader appends no other sees.
func TestLogCache(t *testing.T) {
	ref := func(id string) Ref { return Ref{Team: "T", Channel: "C", ID: id} }
	entries := func(n int) []roundtable.Entry { return make([]roundtable.Entry, n, n+10) }
	c := newLogCache(10 * entryWeight)
	c.put(ref("a"), entries(4))
	c.put(ref("b"), entries(4))
	if got := len(c.get(ref("a"))); got != 4 {
		t.Errorf("a has %d entries, want 4", got)
	}
	c.put(ref("c"), entries(4))
	for id, want := range map[string]int{"a": 4, "b": 0, "c": 4} {
		if got := len(c.get(ref(id))); got != want {
			t.Errorf("%s has %d entries, want %d", id, got, want)
		}
	}
	mine := append(c.get(ref("a")), roundtable.Entry{Text: "mine"})
	theirs := append(c.get(ref("a")), roundtable.Entry{Text: "theirs"})
	if mine[4].Text != "mine" || theirs[4].Text != "theirs" {
		t.Errorf("readers share what they append: %q and %q", mine[4].Text, theirs[4].Text)
	}
	c.put(ref("a"), entries(12)) // more than all: kept alone
	if len(c.get(ref("a"))) != 12 || c.size != 12*entryWeight {
		t.Errorf("a long log is not kept alone: size %d", c.size)
	}
	c.put(ref("b"), entries(4))
	c.put(ref("c"), []roundtable.Entry{{Text: strings.Repeat("long ", 2*entryWeight)}}) // what counts is the text
	if got := len(c.get(ref("b"))); got != 0 {
		t.Errorf("b has %d entries beside a text that fills the cache", got)
	}
	c.put(ref("c"), append(c.get(ref("c")), roundtable.Entry{Text: "short"}))
	if want := 2*entryWeight + 10*entryWeight + len("short"); c.size != want {
		t.Errorf("after adding to it, size is %d, want %d", c.size, want)
	}
	c.forget(ref("c"))
	if c.size != 0 || c.get(ref("c")) != nil {
		t.Errorf("after forgetting, size is %d", c.size)
	}
}

func TestBackoffGrowsToAMinute(t *testing.T) {
	want := []int{1, 1, 2, 4, 8, 16, 32, 60, 60}
	for n, seconds := range want {
		if got := int(backoff(n).Seconds()); got != seconds {
			t.Errorf("after attempt %d got %d s, want %d", n, got, seconds)
		}
	}
}
