package roundtable

import (
	"slices"
	"strings"
	"unicode"

	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// sound makes a conflict that can be put before the room: a question, and two to
// optionLimit options that differ in their labels.
func sound(c *Conflict) (Conflict, bool) {
	if c == nil {
		return Conflict{}, false
	}
	out := Conflict{Question: thread.Clip(thread.OneLine(c.Question), pointLimit)}
	for _, o := range c.Options {
		o.Label, o.Reason = thread.Clip(thread.OneLine(o.Label), 70), thread.Clip(thread.OneLine(o.Reason), pointLimit)
		if o.Label != "" && len(out.Options) < optionLimit &&
			!slices.ContainsFunc(out.Options, func(p Option) bool { return strings.EqualFold(p.Label, o.Label) }) {
			out.Options = append(out.Options, o)
		}
	}
	return out, len(out.Options) >= 2
}

// optionLimit is the greatest number of options put before the room.
const optionLimit = 5

// putChoice has the lead state the positions and ask the room to choose. It
// repeats what was said, so it is not a turn.
func (s *step) putChoice(c Conflict) {
	s.d.Choices++
	s.d.Choice = &Choice{ID: choiceID(s.d.Choices), Question: c.Question, Options: c.Options, Turn: s.d.Turns}
	lead := s.d.seat(s.d.Lead)
	text := choiceText(s.d, c)
	k := s.Post(thread.Message{Kind: thread.KindChoice, Speaker: lead.Key, Identity: lead.Identity(), Text: text, Buttons: choiceButtons(*s.d.Choice)})
	s.record(thread.Entry{Kind: thread.EntryLine, Persona: lead.Key, Key: k, Text: text})
}

// Decided is a choice that somebody in the room made.
type Decided struct {
	Question string   `json:"question"`
	Options  []Option `json:"options"`
	// Chosen is the label of the option that was chosen, By who chose it.
	Chosen string        `json:"chosen"`
	By     thread.Person `json:"by"`
}

// decidedLimit is how many choices are remembered: the newest.
const decidedLimit = 8

// decide remembers that somebody chose.
func (s *step) decide(c Choice, chosen Option, by thread.Person) {
	s.d.Choice = nil
	s.d.Decided = append(slices.Clone(s.d.Decided), Decided{Question: c.Question, Options: c.Options, Chosen: chosen.Label, By: by})
	if n := len(s.d.Decided); n > decidedLimit {
		s.d.Decided = s.d.Decided[n-decidedLimit:]
	}
}

// settled reports whether a conflict is before the room already, or was decided by
// it: whoever listens to the personas may notice the same positions in every round,
// and the room is asked once (AC-005-02).
func (d Discussion) settled(c Conflict) bool {
	if d.Choice != nil && within(c.Options, d.Choice.Options) {
		return true
	}
	return slices.ContainsFunc(d.Decided, func(x Decided) bool { return within(c.Options, x.Options) })
}

// within reports whether every option is one of the others, each another one.
func within(options, others []Option) bool {
	left := slices.Clone(others)
	for _, o := range options {
		best, at := 0.0, -1
		for i, x := range left {
			if like := o.likeness(x); like > best {
				best, at = like, i
			}
		}
		if at < 0 || best < 1 {
			return false
		}
		left = slices.Delete(left, at, at+1)
	}
	return true
}

// What labels must share of their words to be one option put in other words: less
// where the same persona holds it, who seldom holds two positions.
const (
	alikeOfOne = 0.4
	alike      = 0.6
)

// likeness compares two options by the words of their labels; from 1 on they are the
// same.
func (o Option) likeness(x Option) float64 {
	mine, theirs := labelWords(o.Label), labelWords(x.Label)
	same := 0
	for w := range mine {
		if theirs[w] {
			same++
		}
	}
	all := len(mine) + len(theirs) - same
	if all == 0 {
		return 0
	}
	bound := alike
	if o.By != "" && o.By == x.By {
		bound = alikeOfOne
	}
	return float64(same) / float64(all) / bound
}

// labelWords are the words of a label that tell it from others.
func labelWords(label string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if !strings.Contains(" a an the of to we us our with for in on and ", " "+w+" ") {
			words[intent.Singular(w)] = true
		}
	}
	return words
}
