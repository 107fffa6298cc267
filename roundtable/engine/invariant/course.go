package invariant

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// turns: the counter equals the turns in the log and stays within the limit (I5).
func (c *checker) turns() {
	n := 0
	for _, e := range c.Entries {
		if e.Kind != thread.EntryTurn {
			continue
		}
		if e.Turn != n && e.Turn != n+1 {
			c.broken("I5", "turn %d follows turn %d", e.Turn, n)
		}
		n = e.Turn
	}
	if n != c.Discussion.Turns {
		c.broken("I5", "%d turns are counted, %d are in the log", c.Discussion.Turns, n)
	}
	for _, d := range append([]roundtable.Discussion{c.Discussion}, c.States...) {
		if d.State != "" && d.Turns > d.Settings.MaxTurns {
			c.broken("I5", "%d turns exceed the limit of %d", d.Turns, d.Settings.MaxTurns)
		}
	}
}

// states: only forward along the table (I6).
func (c *checker) states() {
	all := roundtable.States()
	last := 0
	for _, d := range c.States {
		i := slices.Index(all, d.State)
		if i < last {
			c.broken("I6", "%s follows %s", d.State, all[last])
		}
		last = max(i, last)
	}
}

// timers: what a wake-up caused was not caused early (I9). That it was caused
// once is part of I3, for its keys follow from what was due.
func (c *checker) timers() {
	for _, m := range c.Slack {
		_, rest, ok := strings.Cut(m.Key, "/w:")
		if !ok {
			continue
		}
		when, _, _ := strings.Cut(rest, "/")
		due, err := time.Parse(time.RFC3339Nano, when)
		if err != nil {
			c.broken("I9", "%s names no time", m.Key)
			continue
		}
		if seconds(m.TS).Add(c.Skew).Before(due.Truncate(time.Microsecond)) {
			c.broken("I9", "%s stands at %s, before it was due", m.Key, m.TS)
		}
	}
}

func seconds(ts string) time.Time {
	whole, part, _ := strings.Cut(ts, ".")
	s, err1 := strconv.ParseInt(whole, 10, 64)
	us, err2 := strconv.ParseInt(part, 10, 64)
	if err1 != nil || err2 != nil {
		return time.Time{}
	}
	return time.Unix(s, us*1000)
}

// standstill: whatever stopped waits for people, says why, or is closed; and nothing stops,
// or ends without its synthesis, for no reason (I10).
func (c *checker) standstill() {
	if c.Restless != "" {
		c.broken("I10", "%s", c.Restless)
	}
	d := c.Discussion
	switch {
	case d.ID == "": // the evidence is of no discussion alone
	case d.State == "":
		c.broken("I10", "the discussion was never opened")
		if n := len(c.Slack); n > 0 {
			c.broken("I1", "the discussion has %d posts in Slack, and the store does not know it", n)
		}
	case d.Stalled != nil && c.Unhindered:
		c.broken("I10", "the discussion stopped (%s), and nothing had failed", d.Stalled.Reason)
	case d.Stalled != nil:
	case d.State == roundtable.StateClosed:
		if c.Unhindered && d.Turns > 0 && d.Converted == nil && (d.Outcome == nil || d.Enriching == "") {
			c.broken("I10", "the discussion was closed without a synthesis")
		}
	case d.Ask != nil:
		c.broken("I10", "the panel was never asked for %s", d.Ask.Key)
	case d.Waiting != nil:
		c.broken("I10", "turns %v were never answered", d.Waiting.Turns)
	case d.State != roundtable.StateDiscussionLoop:
		c.broken("I10", "the discussion stopped in %s", d.State)
	}
}
