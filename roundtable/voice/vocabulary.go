package voice

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// vocabulary looks for a word that the persona does not use of its own accord. A
// word that whoever spoke last used may be taken up in a sentence that names them
// ("Alex, that latency …"): that is quoting, too.
func (c *checking) vocabulary() {
	for _, phrase := range c.persona.Vocabulary.Forbidden {
		entry := lowers(split(phrase))
		at := find(c.text.words, entry)
		if at < 0 || c.takenUp(at, entry) {
			continue
		}
		c.fault(RuleVocabulary, fmt.Sprintf("%s does not say %q; say it in other words, or leave it to a colleague.", c.persona.First(), phrase))
		return
	}
}

func (c *checking) takenUp(at int, entry []string) bool {
	if c.utterance.PreviousBy == "" || find(c.previous.words, entry) < 0 {
		return false
	}
	first, _, _ := strings.Cut(strings.ToLower(c.utterance.PreviousBy), " ")
	for _, w := range c.text.words {
		if w.sentence == c.text.words[at].sentence && (w.lower == first || w.lower == first+"'s") {
			return true
		}
	}
	return false
}

// find returns where a phrase stands in a text, or -1. Its last word may be
// inflected.
func find(words []word, phrase []string) int {
	n := len(phrase)
	if n == 0 {
		return -1
	}
	for at := 0; at+n <= len(words); at++ {
		same := inflects(phrase[n-1], words[at+n-1].lower)
		for i := 0; same && i < n-1; i++ {
			same = words[at+i].lower == phrase[i] && words[at+i].sentence == words[at].sentence
		}
		if same {
			return at
		}
	}
	return -1
}

// inflects reports whether a word is a form of another: its plural, its
// possessive, its adverb, the degrees of an adjective, the tenses of a verb. A noun made of a verb stands
// for the participle as well, but not for the verb, which may be an everyday word
// ("coupling": "coupled", but "a couple of people").
func inflects(base, form string) bool {
	if form == base {
		return true
	}
	form = strings.TrimSuffix(form, "'s")
	stem, noun := strings.CutSuffix(base, "ing")
	if noun && len(stem) >= 3 {
		return form == base || form == base+"s" || form == stem+"ed"
	}
	if len(base) < 3 {
		return form == base
	}
	last := base[len(base)-1:]
	if rest, ok := strings.CutPrefix(form, base); ok {
		switch rest {
		case "", "s", "es", "ed", "ing", "ly", last + "ed", last + "ing":
			return true
		case "d":
			return last == "e"
		}
	}
	switch last {
	case "e":
		return form == base[:len(base)-1]+"ing"
	case "y":
		rest, ok := strings.CutPrefix(form, base[:len(base)-1])
		return ok && (rest == "ies" || rest == "ied" || rest == "ier" || rest == "iest")
	}
	return false
}

// distinct reports whether a turn of phrase is long enough not to be everybody's:
// "who benefits" is, "depends on" is not. Common words do not count.
func distinct(phrase []string) bool {
	letters := 0
	for _, w := range phrase {
		if len(w) > 3 && !common[w] {
			letters += len(w)
		}
	}
	if len(phrase) > 2 {
		return letters >= 5
	}
	return letters >= 8
}

// borrowed looks for a colleague's turn of phrase, or the opening of a sentence
// that is typical of it, in a text that has nothing of the persona's own. Whoever
// names the colleague may use its words.
func (c *checking) borrowed(cast []persona.Persona) {
	for _, phrase := range c.persona.Vocabulary.Characteristic {
		if entry := lowers(split(phrase)); distinct(entry) && find(c.text.words, entry) >= 0 {
			return
		}
	}
	for _, o := range cast {
		if o.Key == c.persona.Key || find(c.text.words, []string{strings.ToLower(o.First())}) >= 0 {
			continue
		}
		if phrase := c.phraseOf(o); phrase != "" {
			c.fault(RuleBorrowed, fmt.Sprintf("%q is how %s speaks; say what %s sees in it, in %s's own manner.", phrase, o.First(), c.persona.First(), c.persona.First()))
			return
		}
	}
}

// phraseOf finds a turn of phrase of a colleague that is not the persona's, too.
func (c *checking) phraseOf(o persona.Persona) string {
	for _, phrase := range o.Vocabulary.Characteristic {
		entry := lowers(split(phrase))
		if distinct(entry) && find(c.text.words, entry) >= 0 && !c.mayName(phrase) {
			return phrase
		}
	}
	for _, pattern := range o.Patterns {
		if opening := openingOf(pattern); len(opening) >= 4 && distinct(opening) && find(c.text.words, opening) >= 0 {
			return strings.Join(opening, " ")
		}
	}
	return ""
}

// mayName reports whether a phrase belongs to the persona's own ground.
func (c *checking) mayName(phrase string) bool {
	for _, own := range c.persona.Domain {
		if own == phrase {
			return true
		}
	}
	return false
}

// openingOf takes the first five words of the sentence that a pattern quotes, or
// those up to a placeholder or a pause.
func openingOf(pattern string) []string {
	_, sentence, found := strings.Cut(typography.Replace(pattern), `"`)
	if !found {
		return nil
	}
	if i := strings.IndexAny(sentence, "{\",:.?!"); i >= 0 {
		sentence = sentence[:i]
	}
	opening := lowers(split(sentence))
	return opening[:min(len(opening), 5)]
}
