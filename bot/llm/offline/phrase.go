package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/jdkato/prose/v3/tag"
)

// maxPhrase is the longest noun phrase that is repeated, in words, without its
// article.
const maxPhrase = 3

var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(?:[-'][A-Za-z0-9]+)*$`)

// phrase is a noun phrase as found.
type phrase struct {
	words []string
	the   string // its article as a persona would say it: "the", "our" or none
	at    int
	score float64
}

func (p phrase) String() string {
	if p.the == "" {
		return strings.Join(p.words, " ")
	}
	return p.the + " " + strings.Join(p.words, " ")
}

// keyPhrases returns the noun phrases of a message, the most telling first: long
// ones whose words come up often, later sentences before earlier ones.
func keyPhrases(sentences [][]tag.Token, names map[string]bool) []string {
	var found []phrase
	count := map[string]int{}
	for i, tokens := range sentences {
		for _, p := range nounPhrases(tokens, names) {
			p.at = len(found)
			p.score = 0.2 * float64(i) / float64(len(sentences))
			found = append(found, p)
			for _, w := range p.words {
				count[stem(w)]++
			}
		}
	}
	for i := range found {
		for _, w := range found[i].words {
			found[i].score += 1 + 0.5*float64(count[stem(w)]-1)
		}
		// Two words name a thing better than one; a third adds little.
		found[i].score -= 0.6 * float64(max(len(found[i].words)-2, 0))
		// People are who it is about, rarely what.
		if last := found[i].words[len(found[i].words)-1]; folk[strings.ToLower(last)] {
			found[i].score -= 3
		}
	}
	slices.SortStableFunc(found, func(a, b phrase) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
	})
	var keys []string
	seen := map[string]bool{}
	for _, p := range found {
		if s := stemAll(p.words); !seen[s] {
			seen[s] = true
			keys = append(keys, p.String())
		}
	}
	return keys
}

// nounPhrases finds determiner, adjectives and nouns in a row.
func nounPhrases(tokens []tag.Token, names map[string]bool) []phrase {
	var found []phrase
	for i := 0; i < len(tokens); i++ {
		start := i
		for i < len(tokens) && inPhrase(tokens, i, names) {
			i++
		}
		words, plural := cleanRun(tokens[start:i])
		if len(words) == 0 {
			continue
		}
		found = append(found, phrase{words: words, the: article(determiner(tokens[:start]), plural)})
	}
	return found
}

// determiner is the last determiner of the words before a noun phrase; numbers
// and "same", "other", "own" may stand between.
func determiner(before []tag.Token) string {
	for _, t := range slices.Backward(before) {
		low := strings.ToLower(t.Text)
		if t.Tag != "CD" && low != "same" && low != "other" && low != "own" {
			return low
		}
	}
	return ""
}

// inPhrase reports whether the word can be a part of a noun phrase without its
// determiner.
func inPhrase(tokens []tag.Token, i int, names map[string]bool) bool {
	t := tokens[i]
	low := strings.ToLower(t.Text)
	if !plainWord.MatchString(t.Text) || len(t.Text) > 24 || function[low] || names[low] {
		return false
	}
	switch {
	case strings.HasPrefix(t.Tag, "NN") && !adverbs[low]:
		return true
	case adverbs[low], t.Tag == "JJ", t.Tag == "VBG", t.Tag == "VBN":
		return i+1 < len(tokens) && inPhrase(tokens, i+1, names)
	}
	return false
}

// cleanRun drops empty words at both ends and keeps the last words, which hold
// the head.
func cleanRun(run []tag.Token) (words []string, plural bool) {
	for len(run) > 0 && vague[strings.ToLower(run[0].Text)] {
		run = run[1:]
	}
	if len(run) == 0 || vague[strings.ToLower(run[len(run)-1].Text)] || !strings.HasPrefix(run[len(run)-1].Tag, "NN") {
		return nil, false
	}
	if len(run) > maxPhrase {
		run = run[len(run)-maxPhrase:]
	}
	for i, t := range run {
		w := t.Text
		// The capital of a sentence's beginning is not the word's own.
		if i == 0 && t.Start == 0 && !innerCapital(w) {
			w = strings.ToLower(w)
		}
		words = append(words, w)
	}
	if len(words) == 1 && len(words[0]) < 2 {
		return nil, false
	}
	last := run[len(run)-1].Tag
	return words, last == "NNS" || last == "NNPS"
}

// article is what a persona says for the determiner that a person used.
func article(det string, plural bool) string {
	switch det {
	case "the", "this", "that", "these", "those", "my", "your", "their", "his", "her", "its":
		return "the"
	case "our":
		return "our"
	case "a", "an", "another", "each", "every", "either", "one":
		if !plural {
			return "the"
		}
	}
	return ""
}

func stemAll(words []string) string {
	stems := make([]string, len(words))
	for i, w := range words {
		stems[i] = stem(w)
	}
	return strings.Join(stems, " ")
}

// joints are what identifiers leave out of words.
var joints = strings.NewReplacer("-", "", "'", "")

// identifier makes a type name of a noun phrase: "the export jobs" is ExportJob.
func identifier(key string) string {
	var b strings.Builder
	words := wordShape.FindAllString(key, -1)
	if len(words) > 0 && (words[0] == "the" || words[0] == "our") {
		words = words[1:]
	}
	for i, w := range words {
		w = joints.Replace(w)
		if i == len(words)-1 && len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") {
			w = strings.TrimSuffix(w, "s")
			if strings.HasSuffix(w, "ie") {
				w = strings.TrimSuffix(w, "ie") + "y"
			}
		}
		if w != "" {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}
