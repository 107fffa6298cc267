package voice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// name is somebody else in the thread: the words of a name, as written.
type name struct {
	words []string
	// shown is what a fault calls them.
	shown string
}

// others are the names of everybody in the thread but the persona: first and full
// names, and aliases.
func others(p persona.Persona, cast []persona.Persona, people []string) []name {
	var all []name
	add := func(full, shown string) {
		words := strings.Fields(typography.Replace(full))
		if len(words) > 0 && !strings.EqualFold(words[0], p.First()) {
			all = append(all, name{words, shown})
		}
	}
	for _, o := range cast {
		if o.Key == p.Key {
			continue
		}
		add(o.First(), o.First())
		for _, alias := range o.Aliases {
			add(alias, o.First())
		}
	}
	for _, person := range people {
		if words := strings.Fields(person); len(words) > 0 {
			add(words[0], person)
			add(person, person)
		}
	}
	return all
}

// called reports whether a name ends at a word, and with which word it begins.
func (n name) called(words []word, end int) (from int, ok bool) {
	from = end - len(n.words) + 1
	if from < 0 {
		return 0, false
	}
	for i, w := range n.words {
		if words[from+i].as != w {
			return 0, false
		}
	}
	return from, true
}

// minds are what only the person concerned can say of itself, by the word after
// the name. What was said or done ("said", "asked", "pointed out") is everybody's
// to tell.
var minds = setOf("thinks believes feels hopes agrees disagrees prefers wants accepts approves supports decides understands worries doubts assumes expects means consents cares favors favours objects agreed accepted approved consented")

// wouldMinds follow "would", "will", "'d" and the like.
var wouldMinds = setOf("think believe feel hope agree disagree prefer want accept approve support say argue object insist love hate like mind decide tell rather")

// states follow "is".
var states = setOf("happy fine okay ok convinced certain sure satisfied comfortable against opposed on worried glad")

// open are words before a name after which nothing is claimed: conditions and
// questions.
var open = setOf("if unless until once when whether what how why where who which does do did should would could can will may might has have is are ask asks let before after in case suppose assuming hear know perhaps maybe unsure wonder")

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// speaksFor looks for a claim about what somebody else thinks or wants.
func (c *checking) speaksFor() {
	for end := range c.text.words {
		for _, n := range c.others {
			from, ok := n.called(c.text.words, end)
			if !ok || c.opened(from) || !c.claims(end) {
				continue
			}
			c.fault(RuleSpeaksFor, fmt.Sprintf("Do not say what %s thinks, wants or would say; ask %s, or refer to what %s did say.", n.shown, n.shown, n.shown))
			return
		}
	}
	if m := behalf.FindString(c.text.own); m != "" {
		c.fault(RuleSpeaksFor, fmt.Sprintf("Do not speak for others (%q); %s speaks in no other name.", m, c.persona.First()))
	}
}

var behalf = regexp.MustCompile(`(?i)\b(?:speaking for (?:all|everyone|everybody|both|the (?:whole )?team|the room|us)|on behalf of|(?:i|we) can speak for|(?:everyone|everybody|the whole (?:room|team)|all of you|both of (?:you|them)) (?:here |already |clearly |now )?(?:agrees?|wants?|thinks?|accepts?|prefers?|is fine|is happy)|we are all agreed|we all agree|as an? (?:user|customer) myself)\b`)

// opened reports whether a question or a condition stands before the name, in
// the same sentence.
func (c *checking) opened(from int) bool {
	for i := from - 1; i >= 0 && i >= from-3 && c.text.words[i].sentence == c.text.words[from].sentence; i-- {
		if open[c.text.words[i].lower] {
			return true
		}
	}
	return false
}

// claims reports whether what follows a name says what its bearer has in mind. A
// comma after the name makes it an address. Whoever said so a moment ago may be
// reminded of it.
func (c *checking) claims(end int) bool {
	name := c.text.words[end]
	if name.next == ',' || name.next == ':' {
		return false
	}
	verb, rest := unhedged(c.text.words[end+1:], name.sentence)
	if minds[verb] {
		return !c.saidBy(name.as, verb)
	}
	second, rest := unhedged(rest, name.sentence)
	switch verb {
	case "would", "will", "wouldn't", "won't", "doesn't", "might", "must", "can", "does":
		return wouldMinds[second] && !c.saidBy(name.as, second)
	case "is", "isn't":
		return states[second]
	case "has":
		return second == "decided" || second == "agreed" || second == "accepted" || second == "approved"
	case "and":
		third, _ := unhedged(rest, name.sentence)
		return second == "i" && wouldMinds[third]
	}
	return false
}

// unhedged is the next word of a sentence that is no hedge, and what follows it;
// empty at the sentence's end.
func unhedged(words []word, sentence int) (next string, rest []word) {
	for i, w := range words {
		if w.sentence != sentence {
			break
		}
		if !hedges[w.lower] {
			return w.lower, words[i+1:]
		}
	}
	return "", nil
}

// saidBy reports whether it was the named one who spoke last, and used the verb.
func (c *checking) saidBy(name, verb string) bool {
	root := strings.TrimSuffix(verb, "s")
	return strings.EqualFold(firstWord(c.utterance.PreviousBy), name) &&
		slices.ContainsFunc(c.previous.words, func(w word) bool { return strings.HasPrefix(w.lower, root) })
}

// hedges may stand between a name and its verb.
var hedges = setOf("also already clearly certainly surely probably definitely obviously really always never still not both only just now simply")

func firstWord(s string) string {
	first, _, _ := strings.Cut(s, " ")
	return first
}

// speaker is a line's label, as in a script: "Alex: …", "**Alex (Architect):** …",
// "[Alex] …". It may also follow the end of a sentence.
var speaker = regexp.MustCompile(`(?m)(?:^|[.?!*"][ \t])[ \t]*(?:[-*•][ \t]+)?[*_\[<]{0,3}([\p{L}][\p{L}\p{N}'.-]*(?: [\p{Lu}][\p{L}\p{N}'.-]*){0,2})[ \t]*(?:\([^)\n]{1,60}\))?[*_\]>]{0,3}[ \t]*(:|\]|(?:says|replies|answers|adds):)`)

// parts are the labels of a conversation with a model.
var parts = setOf("user human assistant system ai bot roundtable narrator moderator")

// script looks for a line that begins as somebody else's.
func (c *checking) script() {
	for _, m := range speaker.FindAllStringSubmatch(c.text.whole, -1) {
		label := m[1]
		known := parts[strings.ToLower(label)]
		shown := label
		for _, n := range c.others {
			if strings.EqualFold(firstWord(label), n.words[0]) {
				known, shown = true, n.shown
			}
		}
		if known {
			c.fault(RuleScript, fmt.Sprintf("Write only what %s says, without a name before it; leave out the part of %s.", c.persona.First(), shown))
			return
		}
	}
}
