package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// The cache holds about as many bytes as it may, forgets what was used longest ago,
// and hands each log to one at a time.
func TestLogCache(t *testing.T) {
	ref := func(id string) Ref { return Ref{Team: "T", Channel: "C", ID: id} }
	entries := func(n int) keptLog { return keptLog{entries: make([]thread.Entry, n, n+10)} }
	c := newLogCache(10 * entryWeight)
	c.put(ref("a"), entries(4))
	c.put(ref("b"), entries(4))
	mine := c.take(ref("a"))
	if len(mine.entries) != 4 || c.size != 4*entryWeight {
		t.Errorf("a has %d entries, size is %d, want 4 and that of b", len(mine.entries), c.size)
	}
	if got := c.take(ref("a")).entries; got != nil {
		t.Errorf("a was handed over twice, with %d entries", len(got))
	}
	mine.entries = append(mine.entries, thread.Entry{})
	c.put(ref("a"), mine)
	c.put(ref("c"), entries(4))
	for id, want := range map[string]int{"a": 5, "b": 0, "c": 4} {
		got := c.take(ref(id))
		if len(got.entries) != want {
			t.Errorf("%s has %d entries, want %d", id, len(got.entries), want)
		}
		c.put(ref(id), got)
	}
	c.put(ref("a"), entries(12)) // more than all: kept alone
	if c.size != 12*entryWeight || c.order.Len() != 1 {
		t.Errorf("a long log is not kept alone: size %d", c.size)
	}
	c.put(ref("b"), entries(4))
	c.put(ref("c"), keptLog{entries: []thread.Entry{{Text: strings.Repeat("long ", 2*entryWeight)}}}) // what counts is the text
	if got := len(c.take(ref("b")).entries); got != 0 {
		t.Errorf("b has %d entries beside a text that fills the cache", got)
	}
	mine = c.take(ref("c"))
	mine.entries = append(mine.entries, thread.Entry{Text: "short"})
	c.put(ref("c"), mine)
	if want := 2*entryWeight + 10*entryWeight + len("short"); c.size != want {
		t.Errorf("after adding to it, size is %d, want %d", c.size, want)
	}
	c.put(ref("c"), keptLog{})
	if c.size != 0 || c.take(ref("c")).entries != nil {
		t.Errorf("nothing was remembered, size is %d", c.size)
	}
}

// Where nobody has spoken for a while nothing is kept.
func TestLogCacheForgetsTheIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle, busy := Ref{ID: "idle"}, Ref{ID: "busy"}
		c := newLogCache(1 << 20)
		c.put(idle, keptLog{entries: make([]thread.Entry, 3)})
		<-time.After(logIdle / 2)
		c.put(busy, keptLog{entries: make([]thread.Entry, 3)})
		<-time.After(logIdle / 2)
		c.tidy()
		if got := c.take(idle).entries; got != nil {
			t.Errorf("%d entries of the idle one are kept", len(got))
		}
		if got := c.take(busy).entries; len(got) != 3 {
			t.Errorf("%d entries of the busy one are kept, want 3", len(got))
		}
	})
}
