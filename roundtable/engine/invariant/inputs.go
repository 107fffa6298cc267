package invariant

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// inputs: every acknowledged input was taken in once, or parked with a reason, and what came
// of it stands in the log (I1, I2).
func (c *checker) inputs() {
	times, reads := Told(c.Entries)
	for _, s := range c.Sent {
		parked := slices.ContainsFunc(c.Parked, func(l engine.DeadLetter) bool { return l.Mail.ID == s.Input.ID && l.Reason != "" })
		c.consumed(s.Input.ID, parked)
		if e, ok := s.Input.Event.(roundtable.Reacted); ok && s.Marks && !c.marked(e.TS, e.By) {
			c.broken("I1", "the mark of %s on message %s is nowhere", e.By.ID, e.TS)
		}
		said, ok := s.Input.Event.(roundtable.Said)
		if !ok {
			continue
		}
		switch n := times[said.TS]; {
		case n == 0 && !parked && !s.Unlogged:
			c.broken("I1", "message %s was acknowledged and is nowhere", said.TS)
		case n > 1:
			c.broken("I2", "message %s was taken in %d times", said.TS, n)
		case n == 1 && s.Reads != "" && s.Reads != reads[said.TS]:
			c.broken("I1", "the edit of message %s is nowhere", said.TS)
		}
		c.outcome(s, said.TS)
	}
	for _, name := range c.Unacknowledged {
		c.broken("I1", "%s was never acknowledged", name)
	}
}

// Told is how often people's messages stand in a log, and how they read, by timestamp. An
// edit may stand before the message.
func Told(entries []thread.Entry) (times map[string]int, reads map[string]string) {
	times, reads = make(map[string]int), make(map[string]string)
	edits := make(map[string]string)
	for _, e := range entries {
		if e.Person == nil || e.TS == "" || e.Told {
			continue
		}
		switch e.Kind {
		case thread.EntryTurn, thread.EntryLine, thread.EntryLate:
			times[e.TS]++
			reads[e.TS] = e.Text
		case thread.EntryEdit:
			edits[e.TS] = e.Text
		case thread.EntryStrike, thread.EntryPosted, thread.EntryMark, thread.EntryUnmark, thread.EntryKnown:
		}
	}
	for ts, text := range edits {
		reads[ts] = text
	}
	return times, reads
}

// consumed: an input is taken in once (I2), or parked (I1).
func (c *checker) consumed(id string, parked bool) {
	if c.Consumed == nil || id == "" {
		return
	}
	n := 0
	for _, other := range c.Consumed {
		if other == id {
			n++
		}
	}
	switch {
	case n == 0 && !parked:
		c.broken("I1", "input %s was acknowledged and never taken in", id)
	case n > 1, n == 1 && parked:
		c.broken("I2", "input %s was taken in %d times", id, n)
	}
}

// outcome: a message that was taken back is struck, and one that decides is a decision of
// the synthesis (I1).
func (c *checker) outcome(s Sent, ts string) {
	about := func(e thread.Entry) bool { return e.TS == ts && e.Person != nil }
	strikes := func(e thread.Entry) bool { return e.TS == ts && e.Kind == thread.EntryStrike }
	if s.Struck && slices.ContainsFunc(c.Entries, about) && !slices.ContainsFunc(c.Entries, strikes) {
		c.broken("I1", "message %s was deleted and still stands", ts)
	}
	decides := func(p thread.Point) bool { return slices.Contains(p.TS, ts) }
	if o := c.Discussion.Outcome; s.Decides && o != nil && !slices.ContainsFunc(o.Decisions, decides) {
		c.broken("I1", "the decision %s is not in the synthesis", ts)
	}
}

func (c *checker) marked(ts string, by thread.Person) bool {
	return slices.ContainsFunc(c.Entries, func(e thread.Entry) bool {
		return e.Kind == thread.EntryMark && e.Mark.TS == ts && e.Mark.By.ID == by.ID
	})
}

// parking: nothing is put aside with which nothing was wrong (I1).
func (c *checker) parking() {
	for _, l := range c.Harmless {
		c.broken("I1", "%s in %s: input %s was put aside as %q, and nothing was wrong with it", l.Ref.ID, l.Ref.Channel, l.Mail.ID, l.Reason)
	}
}

// marks: whatever people mark is found by its timestamp, so that no mark is lost (I1).
func (c *checker) marks() {
	for _, ts := range c.Unfound {
		c.broken("I1", "message %s is the discussion's and is not found", ts)
	}
}
