package enginetest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// Evidence is what is left of a discussion once everything has come to rest. A
// part that is not known is left empty and not judged.
type Evidence struct {
	Discussion roundtable.Discussion
	Entries    []roundtable.Entry
	// Slack are the posts that stand in the channel, in Slack's order.
	Slack []Message
	// Sent are the inputs that were acknowledged.
	Sent []Sent
	// Consumed are the ids of the inputs that were committed as taken in, as often
	// as they were.
	Consumed []string
	// Parked are the dead letters; Refused the posts that Slack refused, by key.
	Parked  []engine.DeadLetter
	Refused map[string]Refusal
	// States are all states that were committed; Writes all changes of items.
	States []roundtable.Discussion
	Writes []ItemChange
	// Rendered is what Slack was given for a post, by timestamp. Channel are the
	// times of all posts to the channel, whose pace is Pace.
	Rendered map[string]string
	Channel  []time.Time
	Pace     Pace
	// Acts are the lines of the audit record about the discussion; Recorded is set where
	// they are known.
	Acts     []engine.Act
	Recorded bool
	// Logs is everything logged, in which none of Canaries may stand.
	Logs     string
	Canaries []string
	// Skew is how far the store's clock, by which timers fire, was ahead of Slack's.
	Skew time.Duration
	// Unfound are the timestamps of messages in the log by which the store does not find
	// the discussion although it is open.
	Unfound []string
	// Overlaps is how often two posts were under way in one thread; Intrusions how often
	// a replica committed or posted what another had taken over.
	Overlaps, Intrusions int
}

// Sent is an input that was acknowledged to Slack.
type Sent struct {
	Input roundtable.Input
	// Unlogged is set for messages that leave no entry: words about the
	// procedure, and what comes after the end.
	Unlogged bool
}

// Violation is a broken invariant (ARCHITECTURE.md, “The invariants”).
type Violation struct {
	Invariant string
	Detail    string
}

func (v Violation) String() string { return v.Invariant + ": " + v.Detail }

// checker gathers violations.
type checker struct {
	Evidence
	found []Violation
}

func (c *checker) broken(invariant, format string, args ...any) {
	c.found = append(c.found, Violation{invariant, fmt.Sprintf(format, args...)})
}

// Check judges the evidence. It returns nothing if all invariants hold.
func Check(e Evidence) []Violation {
	c := &checker{Evidence: e}
	c.inputs()
	c.marks()
	c.posts()
	c.refusals()
	c.order()
	c.turns()
	c.states()
	c.documents()
	c.acts()
	c.timers()
	c.standstill()
	c.secrets()
	c.mentions()
	c.pace()
	c.holders()
	c.rights()
	return c.found
}

// inputs: every acknowledged message is in the log once, or parked with a reason
// (I1, I2).
func (c *checker) inputs() {
	logged := make(map[string]int)
	for _, e := range c.Entries {
		if e.Person == nil || e.TS == "" || e.Told {
			continue
		}
		switch e.Kind {
		case roundtable.EntryTurn, roundtable.EntryLine, roundtable.EntryLate:
			logged[e.TS]++
		case roundtable.EntryEdit, roundtable.EntryStrike, roundtable.EntryPosted, roundtable.EntryMark, roundtable.EntryUnmark, roundtable.EntryKnown:
		}
	}
	for _, s := range c.Sent {
		parked := slices.ContainsFunc(c.Parked, func(l engine.DeadLetter) bool { return l.Mail.ID == s.Input.ID && l.Reason != "" })
		c.consumed(s.Input.ID, parked)
		said, ok := s.Input.Event.(roundtable.Said)
		if !ok {
			continue
		}
		switch n := logged[said.TS]; {
		case n == 0 && !parked && !s.Unlogged:
			c.broken("I1", "message %s was acknowledged and is nowhere", said.TS)
		case n > 1:
			c.broken("I2", "message %s was taken in %d times", said.TS, n)
		}
	}
}

// marks: whatever people mark is found by its timestamp, so that no mark is lost (I1).
func (c *checker) marks() {
	for _, ts := range c.Unfound {
		c.broken("I1", "message %s is the discussion's and is not found", ts)
	}
}

// consumed: an input is taken in once (I2), or parked (I1).
func (c *checker) consumed(id string, parked bool) {
	if c.Consumed == nil {
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

// turns: the counter equals the turns in the log and stays within the limit (I5).
func (c *checker) turns() {
	n := 0
	for _, e := range c.Entries {
		if e.Kind != roundtable.EntryTurn {
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

// documents: nothing is ever lost from one, no record goes (I8).
func (c *checker) documents() {
	for _, w := range c.Writes {
		for name, old := range w.Before.Files {
			if !subsequence(old, w.After.Files[name]) {
				c.broken("I8", "%s lost bytes", name)
			}
		}
		before, after := records(w.Before.Meta), records(w.After.Meta)
		if len(after) < len(before) {
			c.broken("I8", "meta.json went from %d to %d records", len(before), len(after))
		}
	}
	if n := len(c.Writes); n > 0 {
		for name, text := range c.Writes[n-1].After.Files {
			seen := make(map[string]bool)
			for _, m := range markers(text) {
				if seen[m] {
					c.broken("I8", "%s took %q twice", name, m)
				}
				seen[m] = true
			}
		}
	}
}

func records(meta []byte) []document.Record {
	if meta == nil {
		return nil
	}
	m, err := document.ParseMeta(meta)
	if err != nil {
		return nil
	}
	return m.Elaborations()
}

// markers are the traces of what was merged into a document, each with the first
// lines below it: a step and its elaboration may be written in the same second.
func markers(text []byte) []string {
	var found []string
	open, lines := -1, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "<!-- Elaboration:"):
			found = append(found, line)
			open, lines = len(found)-1, 3
		case lines > 0 && line != "":
			found[open] += " " + line
			lines--
		}
	}
	return found
}

func subsequence(old, next []byte) bool {
	i := 0
	for _, b := range next {
		if i < len(old) && old[i] == b {
			i++
		}
	}
	return i == len(old)
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

// standstill: whatever stopped waits for people, says why, or is closed (I10).
func (c *checker) standstill() {
	d := c.Discussion
	switch {
	case d.State == "":
		c.broken("I10", "the discussion was never opened")
	case d.Stalled != nil || d.State == roundtable.StateClosed:
	case d.Ask != nil:
		c.broken("I10", "the panel was never asked for %s", d.Ask.Key)
	case d.Waiting != nil:
		c.broken("I10", "turns %v were never answered", d.Waiting.Turns)
	case d.State != roundtable.StateDiscussionLoop:
		c.broken("I10", "the discussion stopped in %s", d.State)
	}
}

// rights: nobody ended the discussion, chose or decided in it but a full member who has the
// right, as Slack said sooner or later (FR-108).
func (c *checker) rights() {
	d := c.Discussion
	may := func(r roundtable.Right, p roundtable.Person) bool {
		return r.Judge(p, d.Opener.ID) == roundtable.VerdictGranted
	}
	if x := d.Exit; x != nil && x.By != nil && !may(d.Settings.Close, *x.By) {
		c.broken("FR-108", "%s ended the discussion without the right", x.By.ID)
	}
	for _, x := range d.Decided {
		if !may(d.Settings.Choose, x.By) {
			c.broken("FR-108", "%s chose without the right", x.By.ID)
		}
	}
	vouched := make(map[string]bool)
	for _, e := range c.Entries {
		if e.Kind == roundtable.EntryKnown && e.Person != nil {
			vouched[e.Person.ID] = true
		}
	}
	for _, m := range roundtable.ReadTranscript(c.Entries).Marks {
		by := m.By
		if by.Is() == roundtable.StandingUnknown && vouched[by.ID] {
			by = by.As(roundtable.StandingMember)
		}
		if m.Kind == roundtable.MarkDecision && !may(d.Settings.Choose, by) {
			c.broken("FR-108", "%s decided without the right", m.By.ID)
		}
	}
}
