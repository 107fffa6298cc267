package voice

import (
	"fmt"
	"slices"
	"strings"
)

// How much of a text may stand in another one. The figures lie between what was
// measured on legitimate cross-talk and on labelled echoes: of 1,488 contributions
// of the built-in personas none shares more than 0.32 of its three-word sequences
// or 0.62 of its content words with the text before it, and none more than 0.46
// with an earlier one of its own; the labelled echoes share 0.67 of their content
// words or more, the labelled repetitions 0.85 of their sequences.
const (
	// maxEcho is the greatest share of a text's three-word sequences that the
	// text before it may hold, maxEchoWords the greatest share of its content
	// words.
	maxEcho      = 0.35
	maxEchoWords = 0.65
	// maxRepeat is the greatest share of three-word sequences that one earlier
	// text of the same persona may hold.
	maxRepeat = 0.60
	// maxUnlike is how much of a line that the persona would not write is too
	// much.
	maxUnlike = 0.60
	// enoughWords is how many content words it takes to speak of an echo.
	enoughWords = 5
)

// echo looks for what was said just before, in the same words or the same
// notions.
func (c *checking) echo() {
	if c.utterance.Previous == "" {
		return
	}
	by := c.utterance.PreviousBy
	if by == "" {
		by = "the speaker before"
	}
	mine, theirs := content(c.text.words, c.others), content(c.previous.words, c.others)
	same := share(mine, theirs)
	if shared(c.text.words, c.previous.words) > maxEcho || len(mine) >= enoughWords && same > maxEchoWords {
		c.fault(RuleEcho, fmt.Sprintf("This repeats %s; add something that only %s sees, or stay silent.", by, c.persona.First()))
	}
}

// repetition looks for what the persona has said before.
func (c *checking) repetition() {
	for _, earlier := range slices.Backward(c.utterance.Own) {
		if shared(c.text.words, read(earlier).words) > maxRepeat {
			c.fault(RuleRepetition, fmt.Sprintf("%s has said this before; say something new, or stay silent.", c.persona.First()))
			return
		}
	}
}

// unlike looks for a line that the persona's file gives as one it would not write.
func (c *checking) unlike() {
	for _, line := range c.persona.Examples.Bad {
		bad := split(typography.Replace(line))
		if shared(bad, c.text.words) >= maxUnlike {
			c.fault(RuleUnlike, fmt.Sprintf("%s would not say %q; say what %s looks at: %s.", c.persona.First(), line, c.persona.First(), strings.ToLower(c.persona.Lens)))
			return
		}
	}
}

type trigram [3]string

// shared is the share of a text's three-word sequences that another text holds.
func shared(text, other []word) float64 {
	mine := trigrams(text)
	if len(mine) == 0 {
		return 0
	}
	theirs := map[trigram]bool{}
	for _, g := range trigrams(other) {
		theirs[g] = true
	}
	n := 0
	for _, g := range mine {
		if theirs[g] {
			n++
		}
	}
	return float64(n) / float64(len(mine))
}

func trigrams(words []word) []trigram {
	var grams []trigram
	for i := 0; i+3 <= len(words); i++ {
		grams = append(grams, trigram{words[i].lower, words[i+1].lower, words[i+2].lower})
	}
	return grams
}

// content are the roots of the words that carry a text's meaning, without names:
// to call a colleague is no echo.
func content(words []word, others []name) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		if len(w.lower) < 4 || common[w.lower] || slices.ContainsFunc(others, func(n name) bool { return strings.EqualFold(n.words[0], w.lower) }) {
			continue
		}
		set[root(w.lower)] = true
	}
	return set
}

// share is the share of one set that stands in another.
func share(mine, theirs map[string]bool) float64 {
	if len(mine) == 0 {
		return 0
	}
	n := 0
	for w := range mine {
		if theirs[w] {
			n++
		}
	}
	return float64(n) / float64(len(mine))
}

// root cuts the commonest endings off a word. It is no stem: it only brings forms
// of a word together.
func root(w string) string {
	w = strings.TrimSuffix(w, "'s")
	for _, ending := range []string{"ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "s", "e", "y"} {
		if len(w) >= len(ending)+4 && strings.HasSuffix(w, ending) {
			return w[:len(w)-len(ending)]
		}
	}
	return w
}

// common words carry no meaning of their own.
var common = setOf(`about above after again agree agreed against already also although always among another anybody anything
because been before being below between both cannot could does doing done don't down during each either else enough even ever every
everybody everything exactly from further goes going have having here into isn't it's itself just keep less like made make makes many maybe
might mind more most much must need needs neither never nobody none nothing once only other others ought over part point quite rather really
same seem seems shall should since some somebody something still such sure take takes than that that's their them then there these they thing
things think this those though through thus together toward under until upon very want wants well were what when where whether which while
who whom whose will with within without would your yours right yes`)
