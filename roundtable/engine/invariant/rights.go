package invariant

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// rights: nobody opened, ended or decided but a full member who has the right, as Slack said
// sooner or later, and nobody else was heard (FR-108).
func (c *checker) rights() {
	d := c.Discussion
	entitled := func(p thread.Person) bool { return c.Entitled == nil || c.Entitled(p) }
	may := func(r thread.Right, p thread.Person) bool {
		return entitled(p) && r.Judge(p, d.Opener.ID) == thread.VerdictGranted
	}
	if d.State != "" && !entitled(d.Opener) {
		c.broken("FR-108", "%s opened the discussion without the right", d.Opener.ID)
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
		if e.Kind == thread.EntryKnown && e.Person != nil {
			vouched[e.Person.ID] = true
		}
	}
	for _, m := range thread.ReadTranscript(c.Entries).Marks {
		by := m.By
		if by.Is() == thread.StandingUnknown && vouched[by.ID] {
			by = by.As(thread.StandingMember)
		}
		if m.Kind == thread.MarkDecision && !may(d.Settings.Choose, by) {
			c.broken("FR-108", "%s decided without the right", m.By.ID)
		}
	}
	if c.Untouched && (d.Extended > 0 || d.Floor != roundtable.FloorOpen) {
		c.broken("FR-108", "the limit was raised by %d and the floor is %q without the right", d.Extended, d.Floor)
	}
	for _, what := range c.Unbidden {
		c.broken("FR-108", "%s was begun without the right", what)
	}
	for _, id := range c.TurnedAway {
		c.broken("FR-108", "%s has the right and was turned away", id)
	}
	c.unheard()
}

// unheard: the words of those who may not decide are no decision, and the words of those who
// may not even speak stand nowhere (FR-108).
func (c *checker) unheard() {
	holds := func(text string, words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
	}
	if o := c.Discussion.Outcome; o != nil {
		for _, p := range o.Decisions {
			if holds(p.Text, c.Undeciding) {
				c.broken("FR-108", "the synthesis takes for a decision what was said without the right: %s", p.Text)
			}
		}
	}
	for _, e := range c.Entries {
		if holds(e.Text, c.Unheard) {
			c.broken("FR-108", "the log holds words of somebody who may not speak: %s", e.Text)
		}
	}
}
