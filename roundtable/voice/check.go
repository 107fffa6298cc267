package voice

import (
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Utterance is what a persona is about to say, and what it needs to be compared
// with.
type Utterance struct {
	Text string
	// Previous is what was said just before, by whoever PreviousBy names: a
	// colleague or a person. Both are empty at the start.
	Previous, PreviousBy string
	// Own is what the persona itself has said, oldest first.
	Own []string
	// People are the display names of the people in the thread.
	People []string
	// Length is how long a contribution may be.
	Length Length
}

// After makes the utterance of a text that a persona says after the given turns.
// Previous is the newest turn of anybody else.
func After(turns []thread.Turn, p persona.Persona, cast []persona.Persona, text string) Utterance {
	u := Utterance{Text: text}
	seats := persona.Roster{Personas: cast}.Seats()
	known := map[string]bool{}
	for _, t := range turns {
		switch {
		case t.Struck:
			continue
		case t.Persona == p.Key:
			u.Own = append(u.Own, t.Text)
			continue
		case t.Persona == "" && t.Person.Name != "" && !known[t.Person.Name]:
			known[t.Person.Name] = true
			u.People = append(u.People, t.Person.Name)
		}
		u.Previous, u.PreviousBy = t.Text, t.Speaker(seats)
	}
	return u
}

// Rule names a rule, for counts and reports. Names are stable.
type Rule string

// The rules.
const (
	RuleEmpty      Rule = "empty"      // nothing is said
	RuleVocabulary Rule = "vocabulary" // a word that the persona does not use
	RuleUnlike     Rule = "unlike"     // close to a line that the persona would not write
	RuleBorrowed   Rule = "borrowed"   // a colleague's turn of phrase
	RuleSpeaksFor  Rule = "speaks_for" // says what a colleague or a person thinks
	RuleScript     Rule = "script"     // begins, or goes on, as somebody else
	RuleEcho       Rule = "echo"       // what was said just before, again
	RuleRepetition Rule = "repetition" // what the persona itself said before, again
	RulePraise     Rule = "praise"     // opens with praise, or does nothing but agree
	RuleMachine    Rule = "machine"    // speaks as a program
	RuleLength     Rule = "length"     // too short or too long
)

// Rules lists all rules in the order in which they are checked.
func Rules() []Rule {
	return []Rule{
		RuleEmpty, RuleVocabulary, RuleUnlike, RuleBorrowed, RuleSpeaksFor, RuleScript,
		RuleEcho, RuleRepetition, RulePraise, RuleMachine, RuleLength,
	}
}

// Fault is a rule that a text breaks.
type Fault struct {
	Rule Rule
	// Detail tells whoever wrote the text what to do better, in a sentence or two.
	// It may hold words of the text and names of people: it is not for logs.
	Detail string
}

// Check returns the faults of what a persona is about to say, at most one for
// each rule, or nothing. cast are all personas of the discussion.
func Check(p persona.Persona, cast []persona.Persona, u Utterance) []Fault {
	if strings.TrimSpace(u.Text) == "" {
		return []Fault{{RuleEmpty, "Say something, or stay silent."}}
	}
	c := &checking{
		persona: p, utterance: u, text: read(u.Text), previous: read(u.Previous),
		others: others(p, cast, u.People),
	}
	c.vocabulary()
	c.unlike()
	c.borrowed(cast)
	c.speaksFor()
	c.script()
	c.echo()
	c.repetition()
	c.praise()
	c.machine()
	c.length()
	return c.faults
}

// checking is one call of Check under way.
type checking struct {
	persona        persona.Persona
	utterance      Utterance
	text, previous reading
	others         []name
	faults         []Fault
}

func (c *checking) fault(r Rule, detail string) {
	c.faults = append(c.faults, Fault{r, detail})
}
