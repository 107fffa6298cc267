package invariant

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// acts: whatever somebody did that was committed stands in the audit record, once, and
// nothing else does, and no word of what anybody wrote (FR-111, I11).
func (c *checker) acts() {
	if !c.Recorded || c.Discussion.State == "" {
		return
	}
	got := make(map[thread.AuditKind]int)
	for _, a := range c.Acts {
		got[a.Kind]++
		for _, said := range c.Canaries {
			if strings.Contains(fmt.Sprintf("%+v", a), said) {
				c.broken("I11", "a line of the audit record holds what somebody wrote: %+v", a)
			}
		}
		if a.Item != thread.ItemMark(c.Discussion.Item) || a.At.IsZero() {
			c.broken("FR-111", "a line of the audit record is not whole: %+v", a)
		}
	}
	want := c.committedActs()
	for _, kind := range slices.Sorted(maps.Keys(want)) {
		if got[kind] != want[kind] {
			c.broken("FR-111", "the audit record says %d times %q, and %d times was it committed", got[kind], kind, want[kind])
		}
	}
	c.decisions(got[thread.AuditDecided] - got[thread.AuditUndecided])
}

// committedActs counts what was done by what remains of it in the state.
func (c *checker) committedActs() map[thread.AuditKind]int {
	d := c.Discussion
	n := map[thread.AuditKind]int{
		thread.AuditOpened: 1, thread.AuditClosed: 0, thread.AuditExtended: d.Extended / roundtable.Extension,
		thread.AuditChose: len(d.Decided), thread.AuditConverted: 0,
	}
	if d.Exit != nil {
		n[thread.AuditClosed] = 1
	}
	if d.Converted != nil {
		n[thread.AuditConverted] = 1
	}
	return n
}

// decisions: what is recorded as decided and not taken back stands in the log, and what
// stands there is recorded. An edit that decides in other words is an act of its own; how
// many there were the log does not tell, which holds the newest only.
func (c *checker) decisions(recorded int) {
	standing, again := len(thread.Decisions(c.Entries)), 0
	for _, s := range c.Sent {
		if e, ok := s.Input.Event.(roundtable.Edited); ok && thread.Decides(e.Text) {
			again++
		}
	}
	if recorded < standing || recorded > standing+again {
		c.broken("FR-111", "the audit record has %d decisions that were not taken back, and the log has %d", recorded, standing)
	}
}
