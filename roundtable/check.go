package roundtable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// pointLimit bounds one line of a draft, in characters.
const pointLimit = 600

// Check makes a synthesis of a draft, trusting nothing in it. A point must cite
// turns that exist and were not struck, and takes its attribution from who spoke
// them; a decision that no person spoke is an insight; whatever people marked is
// in, in their words (NFR-003, AC-008-05). fault names what makes the draft
// unusable, for one retry; it is empty when the synthesis stands.
func Check(d Discussion, draft *Draft, t thread.Transcript) (syn thread.Synthesis, fault string) {
	if draft == nil {
		return thread.Synthesis{}, "the result could not be read as the object that was asked for"
	}
	c := checker{d: d, t: t}
	syn = thread.Synthesis{Engine: draft.Engine, Summary: thread.OneLine(draft.Summary)}
	for _, p := range draft.Insights {
		syn.Insights = c.add(syn.Insights, p)
	}
	for _, p := range draft.Decisions {
		if c.human(p) {
			syn.Decisions = c.add(syn.Decisions, p)
		} else {
			syn.Insights = c.add(syn.Insights, p)
		}
	}
	for _, p := range draft.Questions {
		syn.Questions = c.add(syn.Questions, p)
	}
	for _, p := range draft.Actions {
		syn.Actions = c.add(syn.Actions, p)
	}
	if c.dropped > 0 && syn.Points() == 0 {
		fault = "no point cites a turn that exists; every point must list the numbers of the turns that support it"
	}
	given := thread.LinksIn(t, d.Topic, d.Context)
	c.marks(&syn, given)
	if syn.Points() == 0 && fault == "" {
		return thread.Synthesis{}, "the result has no insight, decision, question or action item"
	}
	if fault == "" {
		c.minority(&syn)
	}
	syn.Tame(given)
	if syn.Summary == "" {
		syn.Summary = syn.FirstText()
	}
	syn.Summary = thread.Clip(syn.Summary, SummaryLimit)
	return syn, fault
}

// simpleSynthesis is what is given without a usable draft: what people marked,
// and who spoke (ERR-ELAB-007).
func simpleSynthesis(d Discussion, t thread.Transcript) thread.Synthesis {
	syn := thread.Synthesis{Simple: true}
	c := checker{d: d, t: t}
	given := thread.LinksIn(t, d.Topic, d.Context)
	c.marks(&syn, given)
	syn.Tame(given)
	syn.Summary = thread.Clip(fmt.Sprintf("Discussed %s in %d turns", thread.OneLine(d.Topic), d.Turns), SummaryLimit)
	return syn
}

type checker struct {
	d       Discussion
	t       thread.Transcript
	dropped int
}

// add appends the point if it is sound and not yet there.
func (c *checker) add(points []thread.Point, p DraftPoint) []thread.Point {
	text := thread.Clip(thread.OneLine(p.Text), pointLimit)
	turns := c.cited(p)
	if text == "" || len(turns) == 0 {
		c.dropped++
		return points
	}
	if slices.ContainsFunc(points, func(o thread.Point) bool { return strings.EqualFold(o.Text, text) }) {
		return points
	}
	point := thread.Point{Text: text, Why: thread.Clip(thread.OneLine(p.Why), pointLimit), Turns: turns}
	c.attribute(&point)
	return append(points, point)
}

// cited are the turns of a draft's point that exist and stand.
func (c *checker) cited(p DraftPoint) []int {
	var turns []int
	for _, n := range p.Turns {
		if t, ok := c.turn(n); ok && !t.Struck && !slices.Contains(turns, n) {
			turns = append(turns, n)
		}
	}
	slices.Sort(turns)
	return turns
}

func (c *checker) turn(n int) (thread.Turn, bool) {
	for _, t := range c.t.Turns {
		if t.Number == n {
			return t, true
		}
	}
	return thread.Turn{}, false
}

// human reports whether a person who may decide spoke one of the cited turns.
func (c *checker) human(p DraftPoint) bool {
	for _, n := range c.cited(p) {
		if t, _ := c.turn(n); t.Persona == "" && !t.NoDecision {
			return true
		}
	}
	return false
}

// attribute names who spoke the turns: "All" when that is everybody who spoke.
func (c *checker) attribute(p *thread.Point) {
	for _, n := range p.Turns {
		t, _ := c.turn(n)
		p.By = addName(p.By, c.name(t))
		if t.TS != "" {
			p.TS = append(p.TS, t.TS)
		}
	}
	if everybody := c.speakers(); len(everybody) > 2 && len(p.By) == len(everybody) {
		p.By = []string{"All"}
	}
}

// name is a turn's speaker in an attribution. The only person of a discussion is
// the User (AC-008-05); several are told apart by their names.
func (c *checker) name(t thread.Turn) string {
	if t.Persona == "" {
		return c.personName(t.Person)
	}
	return t.Speaker(c.d.Cast)
}

func (c *checker) personName(p thread.Person) string {
	only := len(c.d.People) == 0 || len(c.d.People) == 1 && c.d.People[0].ID == p.ID
	if only || p.PlainName() == "" {
		return "User"
	}
	return p.NameAmong(c.d.Cast)
}

func (c *checker) speakers() []string {
	var names []string
	for _, t := range c.t.Turns {
		if !t.Struck {
			names = addName(names, c.name(t))
		}
	}
	return names
}

func addName(names []string, n string) []string {
	if slices.Contains(names, n) {
		return names
	}
	return append(names, n)
}

// marks puts in whatever people marked, in its own words. What was decided may end in
// the clause that matters, so it is not clipped to a point's length; what is pages long
// is shortened and says where the whole stands (NFR-003). A point of the draft that
// rests on nothing but a marked turn gives way to it.
func (c *checker) marks(syn *thread.Synthesis, given thread.Links) {
	for _, m := range c.t.Marks {
		list := syn.Of(m.Kind)
		text := thread.OneLine(m.Body)
		if t, _ := c.turn(m.Turn); t.Person.ID == "" {
			text = given.Tame(text) // a persona's words
		}
		text += m.Remark()
		if m.Turn > 0 {
			*list = slices.DeleteFunc(*list, func(p thread.Point) bool {
				return !p.Marked && len(p.Turns) == 1 && p.Turns[0] == m.Turn
			})
		}
		if i := slices.IndexFunc(*list, func(p thread.Point) bool { return strings.EqualFold(p.Text, text) }); i >= 0 {
			(*list)[i].Marked = true
			if by := (*list)[i].By; !slices.Equal(by, []string{"All"}) {
				(*list)[i].By = addName(by, c.personName(m.By))
			}
			continue
		}
		p := thread.Point{Text: text, Marked: true}
		if m.Turn > 0 {
			p.Turns = []int{m.Turn}
			c.attribute(&p)
		} else if m.TS != "" {
			p.TS = []string{m.TS}
		}
		if m.Kind == thread.MarkDecision || len(p.By) == 0 {
			p.By = addName(slices.DeleteFunc(p.By, func(n string) bool { return n == c.personName(m.By) }), c.personName(m.By))
		}
		*list = append(*list, p)
	}
}

// minority keeps the view of whoever disagreed and is in no point: the newest of
// each dissenter, in the dissenter's own words and under that name (FR-106).
func (c *checker) minority(syn *thread.Synthesis) {
	newest := map[persona.Key]thread.Turn{}
	for _, t := range c.t.Turns {
		if t.Stance == thread.StanceDisagree && !t.Struck {
			newest[t.Persona] = t
		}
	}
	for _, seat := range c.d.Cast {
		t, dissented := newest[seat.Key]
		if !dissented || syn.Cites(t.Number) {
			continue
		}
		p := thread.Point{Text: thread.Clip("Minority view: "+thread.OneLine(t.Text), pointLimit), Turns: []int{t.Number}}
		c.attribute(&p)
		syn.Insights = append(syn.Insights, p)
	}
}

// ownWords is what a persona said, without a name in front of it.
func ownWords(text string, s persona.Seat) string {
	text = strings.TrimSpace(text)
	for _, name := range []string{s.Identity(), s.Name, s.First()} {
		for _, prefix := range []string{name + ":", "**" + name + "**:", "**" + name + ":**"} {
			if name != "" && len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
				return strings.TrimSpace(text[len(prefix):])
			}
		}
	}
	return text
}
