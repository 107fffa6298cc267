package invariant

import (
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// posts: every key stands once, is known, and its receipt is right (I3); it stands in the
// thread of its discussion (I12).
func (c *checker) posts() {
	standing := make(map[string][]string)
	for _, m := range c.Slack {
		standing[m.Key] = append(standing[m.Key], m.TS)
	}
	for key, ts := range standing {
		if len(ts) > 1 {
			c.broken("I3", "%s stands %d times", key, len(ts))
		}
	}
	known, receipts := make(map[string]bool), make(map[string]string)
	for _, e := range c.Entries {
		switch {
		case e.Key == "":
		case e.Kind == thread.EntryPosted:
			if other, twice := receipts[e.Key]; twice {
				c.broken("I3", "%s has two receipts, %s and %s", e.Key, other, e.TS)
			}
			receipts[e.Key] = e.TS
			if len(standing[e.Key]) == 1 && standing[e.Key][0] != e.TS {
				c.broken("I3", "%s stands at %s, its receipt says %s", e.Key, standing[e.Key][0], e.TS)
			}
		default:
			known[e.Key] = true
			if len(standing[e.Key]) == 0 && !c.givenUp(e.Key) {
				c.broken("I3", "%s is in the log and not in Slack", e.Key)
			}
		}
	}
	for _, m := range c.Slack {
		switch {
		case m.Message.Kind == thread.KindContribution && !known[m.Key]:
			c.broken("I3", "%s is in Slack and not in the log", m.Key)
		case !c.Receipted || m.TS == c.Discussion.Place.Root:
		case receipts[m.Key] != m.TS:
			c.broken("I3", "%s stands at %s, and the log knows nothing of it", m.Key, m.TS)
		case m.Thread != c.Discussion.Place.Thread:
			c.broken("I12", "%s stands outside its thread", m.Key)
		}
	}
	if c.Doubled > 0 {
		c.broken("I3", "%d posts were doubled, and healed", c.Doubled)
	}
}

// givenUp reports whether there is a reason for which a post stands nowhere: Slack
// refused it, or takes nothing where it belongs, as the state says.
func (c *checker) givenUp(key string) bool {
	r, refused := c.Refused[key]
	return refused && (r.Reason == thread.ReasonMessageRefused || c.Discussion.Withheld != nil || c.Discussion.Stalled != nil)
}

// refusals: in place of what Slack refused to show stands a notice that says so, by the
// key that follows from the refusal (I3); unless that was refused in turn. What the
// channel refused has its reason in the state, which standstill wants.
func (c *checker) refusals() {
	stands := make(map[string]bool)
	for _, m := range c.Slack {
		stands[m.Key] = true
	}
	for key, r := range c.Refused {
		silent := r.Reason != thread.ReasonMessageRefused || r.Kind == thread.KindNotice || r.Kind == thread.KindRoot
		if silent || stands[key] || !strings.HasPrefix(key, c.Discussion.ID+"/") {
			continue
		}
		notice := key + "/failed/0"
		if _, refused := c.Refused[notice]; !stands[notice] && !refused {
			c.broken("I3", "%s was refused, and the thread does not say so", key)
		}
	}
}

// order: posts stand in the order of the log (I4).
func (c *checker) order() {
	at := make(map[string]string)
	for _, m := range c.Slack {
		at[m.Key] = m.TS
	}
	last, lastKey := "", ""
	for _, e := range c.Entries {
		if e.Key == "" || e.Kind == thread.EntryPosted || at[e.Key] == "" {
			continue
		}
		if at[e.Key] < last {
			c.broken("I4", "%s stands before %s", e.Key, lastKey)
		}
		last, lastKey = at[e.Key], e.Key
	}
}

// holders: one alone acts at a time, and that is who holds the discussion (I7).
func (c *checker) holders() {
	if c.Overlaps > 0 {
		c.broken("I7", "%d times two posts were under way in one thread", c.Overlaps)
	}
	if c.Intrusions > 0 {
		c.broken("I7", "%d times somebody acted on what another had taken over", c.Intrusions)
	}
}
