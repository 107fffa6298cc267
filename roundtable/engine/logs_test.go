package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// The cache holds about as many bytes as it may, forgets what was used longest ago,
// and hands each log to one at a time.
func TestLogCache(t *testing.T) {
	ref := func(id string) Ref { return Ref{Team: "T", Channel: "C", ID: id} }
	entries := func(n int) []roundtable.Entry { return make([]roundtable.Entry, n, n+10) }
	c := newLogCache(10 * entryWeight)
	c.put(ref("a"), entries(4))
	c.put(ref("b"), entries(4))
	mine := c.take(ref("a"))
	if len(mine) != 4 || c.size != 4*entryWeight {
		t.Errorf("a has %d entries, size is %d, want 4 and that of b", len(mine), c.size)
	}
	if got := c.take(ref("a")); got != nil {
		t.Errorf("a was handed over twice, with %d entries", len(got))
	}
	c.put(ref("a"), append(mine, roundtable.Entry{}))
	c.put(ref("c"), entries(4))
	for id, want := range map[string]int{"a": 5, "b": 0, "c": 4} {
		got := c.take(ref(id))
		if len(got) != want {
			t.Errorf("%s has %d entries, want %d", id, len(got), want)
		}
		c.put(ref(id), got)
	}
	c.put(ref("a"), entries(12)) // more than all: kept alone
	if c.size != 12*entryWeight || c.order.Len() != 1 {
		t.Errorf("a long log is not kept alone: size %d", c.size)
	}
	c.put(ref("b"), entries(4))
	c.put(ref("c"), []roundtable.Entry{{Text: strings.Repeat("long ", 2*entryWeight)}}) // what counts is the text
	if got := len(c.take(ref("b"))); got != 0 {
		t.Errorf("b has %d entries beside a text that fills the cache", got)
	}
	c.put(ref("c"), append(c.take(ref("c")), roundtable.Entry{Text: "short"}))
	if want := 2*entryWeight + 10*entryWeight + len("short"); c.size != want {
		t.Errorf("after adding to it, size is %d, want %d", c.size, want)
	}
	c.put(ref("c"), nil)
	if c.size != 0 || c.take(ref("c")) != nil {
		t.Errorf("nothing was remembered, size is %d", c.size)
	}
}

// Where nobody has spoken for a while nothing is kept.
func TestLogCacheForgetsTheIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle, busy := Ref{ID: "idle"}, Ref{ID: "busy"}
		c := newLogCache(1 << 20)
		c.put(idle, make([]roundtable.Entry, 3))
		<-time.After(logIdle / 2)
		c.put(busy, make([]roundtable.Entry, 3))
		<-time.After(logIdle / 2)
		c.tidy()
		if got := c.take(idle); got != nil {
			t.Errorf("%d entries of the idle one are kept", len(got))
		}
		if got := c.take(busy); len(got) != 3 {
			t.Errorf("%d entries of the busy one are kept, want 3", len(got))
		}
	})
}

func TestBackoffGrowsToAMinute(t *testing.T) {
	want := []int{1, 1, 2, 4, 8, 16, 32, 60, 60}
	for n, seconds := range want {
		if got := int(backoff(n).Seconds()); got != seconds {
			t.Errorf("after attempt %d got %d s, want %d", n, got, seconds)
		}
	}
}
