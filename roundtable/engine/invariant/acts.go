package invariant

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
)

// acts: whatever somebody did that was committed stands in the audit record, once, and
// nothing else does, and no word of what anybody wrote (FR-111, I11).
func (c *checker) acts() {
	if !c.Recorded || c.Discussion.State == "" {
		return
	}
	got := make(map[roundtable.AuditKind]int)
	for _, a := range c.Acts {
		got[a.Kind]++
		for _, said := range c.Canaries {
			if strings.Contains(fmt.Sprintf("%+v", a), said) {
				c.broken("I11", "a line of the audit record holds what somebody wrote: %+v", a)
			}
		}
		if a.Item != roundtable.ItemMark(c.Discussion.Item) || a.At.IsZero() {
			c.broken("FR-111", "a line of the audit record is not whole: %+v", a)
		}
	}
	want := c.committedActs()
	for _, kind := range slices.Sorted(maps.Keys(want)) {
		if got[kind] != want[kind] {
			c.broken("FR-111", "the audit record says %d times %q, and %d times was it committed", got[kind], kind, want[kind])
		}
	}
	c.decisions(got[roundtable.AuditDecided] - got[roundtable.AuditUndecided])
}

// committedActs counts what was done by what remains of it in the state.
func (c *checker) committedActs() map[roundtable.AuditKind]int {
	d := c.Discussion
	n := map[roundtable.AuditKind]int{
		roundtable.AuditOpened: 1, roundtable.AuditClosed: 0, roundtable.AuditExtended: d.Extended / roundtable.Extension,
		roundtable.AuditChose: len(d.Decided), roundtable.AuditConverted: 0,
	}
	if d.Exit != nil {
		n[roundtable.AuditClosed] = 1
	}
	if d.Converted != nil {
		n[roundtable.AuditConverted] = 1
	}
	return n
}

// decisions: what is recorded as decided and not taken back stands in the log. The log
// holds the newest form of a message and of a mark only, so each edit into a decision may
// have been recorded before the one that stands. What somebody did before it was known who
// they are is recorded in one line, and what they take back of it in one each.
func (c *checker) decisions(recorded int) {
	standing, known, takenBack, edited := 0, 0, 0, false
	var own []roundtable.Entry // without what later entries say of whom they are
	for _, e := range c.Entries {
		switch e.Kind {
		case roundtable.EntryKnown:
			known++
			continue
		case roundtable.EntryEdit:
			edited = true
			takenBack++
		case roundtable.EntryStrike, roundtable.EntryUnmark:
			takenBack++
		case roundtable.EntryTurn, roundtable.EntryLine, roundtable.EntryLate, roundtable.EntryPosted, roundtable.EntryMark:
		}
		own = append(own, e)
	}
	looked := make(map[string]bool)
	for _, e := range own {
		ts := e.TS
		if e.Mark != nil {
			ts = e.Mark.TS
		}
		if !looked[ts] {
			looked[ts] = true
			standing += len(roundtable.DecidedAt(own, roundtable.Entry{Kind: roundtable.EntryStrike, TS: ts}))
		}
	}
	least, most := standing+known, standing+known
	if known > 0 {
		least -= takenBack
	}
	if recorded < least || recorded > most && !edited {
		c.broken("FR-111", "the audit record has %d decisions that were not taken back, and the log has %d", recorded, most)
	}
}
