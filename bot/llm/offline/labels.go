package offline

import (
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
)

// label is a value that a section's form wants in a line of its own, such as
// "`**Scope**: small`, `medium` or `large`": later phases read it (quick-scan.md).
type label struct {
	name string
	// words are the values there are; none means a number.
	words []string
}

var (
	codeWords = regexp.MustCompile("`([^`]+)`")
	labelSpan = regexp.MustCompile(`^\*\*([A-Za-z ]{3,30})\*\*: (\S+)$`)
	figures   = regexp.MustCompile(`\b\d[\d,]*(?:\s?(?:-|–|to|or)\s?\d[\d,]*)?\b`)
)

// labelsOf reads the labels of a form.
func labelsOf(form string) []label {
	var labels []label
	for line := range strings.SplitSeq(form, "\n") {
		spans := codeWords.FindAllStringSubmatch(line, -1)
		if len(spans) == 0 {
			continue
		}
		m := labelSpan.FindStringSubmatch(spans[0][1])
		if m == nil {
			continue
		}
		l := label{name: m[1]}
		if !figures.MatchString(m[2]) {
			l.words = []string{strings.ToLower(m[2])}
			for _, s := range spans[1:] {
				l.words = append(l.words, strings.ToLower(s[1]))
			}
		}
		labels = append(labels, l)
	}
	return labels
}

// labelled are the lines with values that somebody gave, in the order in which they
// were given, so that the last word stands last; each with who gave it.
func labelled(t analysis.Target, all []exchange) []string {
	labels := labelsOf(t.Form)
	if len(labels) == 0 {
		return nil
	}
	var lines []string
	for _, x := range all {
		for _, turn := range x.answers {
			given := make([]bool, len(labels)) // what a person says first counts: the rest is comparison
			for _, s := range sentencesOf(plain(turn.Text)) {
				for i, value := range valuesIn(s, x.question, labels) {
					if value != "" && !given[i] {
						given[i] = true
						lines = append(lines, "**"+labels[i].name+"**: "+value+" ("+nameOf(turn.Person)+": “"+clause(s)+"”)")
					}
				}
			}
		}
	}
	return lines
}

// valuesIn are a sentence's values for the labels, empty where it has none. A value
// beside a label's name is its own; one that stands alone belongs to the label for
// whose values the question asked.
func valuesIn(sentence, question string, labels []label) []string {
	values := make([]string, len(labels))
	low := strings.ToLower(sentence)
	for i, l := range labels {
		if l.words != nil {
			values[i], low = l.named(low)
		}
	}
	for i, l := range labels {
		switch {
		case values[i] != "":
		case l.words == nil:
			values[i] = l.number(low, strings.ToLower(question))
		case l.askedFor(strings.ToLower(question)):
			for _, w := range l.words {
				if holdsPhrase(low, w) {
					values[i] = w
				}
			}
		}
	}
	return values
}

// named finds "high complexity" and "complexity is rather high", and returns the
// sentence without it.
func (l label) named(low string) (value, rest string) {
	words, name := strings.Join(l.words, "|"), strings.ToLower(l.name)
	shape := regexp.MustCompile(`\b(` + words + `)(?: in| of)? ` + name + `\b|\b` + name + `(?: is| was|:| =| of| looks| seems| would be)?(?: (?:a|the|quite|rather|very|probably|fairly|still))* (` + words + `)\b`)
	m := shape.FindStringSubmatch(low)
	if m == nil {
		return "", low
	}
	return m[1] + m[2], strings.Replace(low, m[0], " ", 1)
}

// askedFor reports whether a question names at least two of the values.
func (l label) askedFor(question string) bool {
	n := 0
	for _, w := range l.words {
		if holdsPhrase(question, w) {
			n++
		}
	}
	return n > 1
}

// number finds "8 to 12 files" for a label that counts files, or the only number,
// with nothing that it counts, in an answer to a question about them.
func (l label) number(low, question string) string {
	thing, _, _ := strings.Cut(strings.ToLower(l.name), " ")
	if m := regexp.MustCompile(`(` + figures.String() + `) (?:more )?` + thing + `s?\b`).FindStringSubmatch(low); m != nil {
		return m[1]
	}
	all := figures.FindAllStringIndex(low, -1)
	if len(all) != 1 || !holdsPhrase(question, thing+"s") || ofAnother.MatchString(low[all[0][1]:]) {
		return ""
	}
	return low[all[0][0]:all[0][1]]
}

// ofAnother matches what follows a number of something else: "8 hours".
var ofAnother = regexp.MustCompile(`^(?:\s*%| (?:[a-z]+-)*[a-z]+)`)
