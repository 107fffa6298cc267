package evaluation

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Classifier attributes texts by multinomial naive Bayes over words and
// punctuation, with add-one smoothing. Half of a voice is in its function words
// and its question marks, so none is left out.
type Classifier struct {
	texts, totals map[string]int
	counts        map[string]map[string]int
	vocabulary    map[string]bool
}

var features = regexp.MustCompile("[\\p{L}']+|[?!,.;:`]")

// Learn makes a classifier of texts by label.
func Learn(train map[string][]string) *Classifier {
	c := &Classifier{texts: map[string]int{}, totals: map[string]int{}, counts: map[string]map[string]int{}, vocabulary: map[string]bool{}}
	for label, texts := range train {
		c.texts[label] = len(texts)
		c.counts[label] = map[string]int{}
		for _, text := range texts {
			for _, f := range features.FindAllString(strings.ToLower(text), -1) {
				c.vocabulary[f] = true
				c.counts[label][f]++
				c.totals[label]++
			}
		}
	}
	return c
}

// Attribute returns the likeliest label of a text; of several, the first in
// alphabetical order. It is empty if nothing was learnt.
func (c *Classifier) Attribute(text string) string {
	best, bestScore := "", math.Inf(-1)
	for _, label := range slices.Sorted(maps.Keys(c.texts)) {
		score := math.Log(float64(c.texts[label]))
		for _, f := range features.FindAllString(strings.ToLower(text), -1) {
			score += math.Log(float64(c.counts[label][f]+1) / float64(c.totals[label]+len(c.vocabulary)))
		}
		if score > bestScore {
			best, bestScore = label, score
		}
	}
	return best
}

// Share is a count out of a total.
type Share struct {
	Count int `json:"count"`
	Of    int `json:"of"`
}

// add counts one more, as a hit or not.
func (s *Share) add(hit bool) {
	s.Of++
	if hit {
		s.Count++
	}
}

// Rate is the share as a number; zero of nothing is 0.
func (s Share) Rate() float64 { return float64(s.Count) / float64(cmp.Or(s.Of, 1)) }

// Interval is the 95 % score interval of the share (Wilson).
func (s Share) Interval() (low, high float64) {
	const z = 1.96
	if s.Of == 0 {
		return 0, 1
	}
	n, p := float64(s.Of), s.Rate()
	mid, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max((mid-half)/(1+z*z/n), 0), min((mid+half)/(1+z*z/n), 1)
}
