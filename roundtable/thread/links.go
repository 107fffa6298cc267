package thread

import (
	"regexp"
	"slices"
	"strings"
)

// Links are the addresses that people gave. What a model writes goes into
// documents, where whoever reads it may follow a link or load an image without a
// thought; so it leads only where people pointed themselves, and no injected text
// can carry what was said to an address that nobody chose (NFR-103).
type Links map[string]bool

var (
	address    = regexp.MustCompile("(?i)\\b(?:[a-z][a-z0-9+.-]*://|www\\.)[^\\s<>\"'`|]*[^\\s<>\"'`|.,;:!?)\\]}]")
	scheme     = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*)://`)
	bareWeb    = regexp.MustCompile(`(?i)\b(www)\.`)
	inlineLink = regexp.MustCompile(`\]\([ \t]*<?([^()<>\[\]\s]*)`)
	// tag is what opens HTML in Markdown, or an address in angle brackets.
	tag = regexp.MustCompile(`<(?:[A-Za-z/?]|!(?:--|\[))[^\s<>|]*`)
)

// LinksIn are the addresses in what people wrote in a thread, and in what else they
// gave: the topic, what they pasted along with it.
func LinksIn(t Transcript, given ...string) Links {
	l := Links{}
	for _, text := range given {
		l.take(text)
	}
	for _, turns := range [][]Turn{t.Turns, t.Late} {
		for _, turn := range turns {
			if turn.Persona == "" {
				l.take(turn.Text)
			}
		}
	}
	return l
}

func (l Links) take(text string) {
	for _, a := range address.FindAllString(unescaped(Pointed(text)), -1) {
		if !borrowed.MatchString(a) {
			l[a] = true
		}
	}
}

// Pointed is what a person wrote with the targets of its links and without their labels:
// only a target is an address that somebody gave. A label is words, and may name another.
func Pointed(text string) string { return wireLabel.ReplaceAllString(text, "<$1>") }

var (
	wireLabel = regexp.MustCompile(`<([^<>|]*)\|[^<>]*>`)
	// borrowed is an address that begins with a name, which reads as the host and is none.
	borrowed = regexp.MustCompile(`^[^/]*//[^/?#]*@`)
)

// unescaped reads a text as Slack delivers it.
func unescaped(text string) string { return strings.ReplaceAll(text, "&amp;", "&") }

// Tame takes from a text whatever could lead somewhere else, or elsewhere than it reads:
// addresses stay legible, Markdown's links and images come apart, and HTML is none any more.
func (l Links) Tame(text string) string {
	text = Unmasked(text)
	text = inlineLink.ReplaceAllStringFunc(text, func(m string) string {
		if l[unescaped(inlineLink.FindStringSubmatch(m)[1])] {
			return m
		}
		return "] " + m[1:]
	})
	text = tag.ReplaceAllStringFunc(text, func(m string) string {
		if l[unescaped(m[1:])] {
			return m
		}
		return "< " + m[1:]
	})
	return address.ReplaceAllStringFunc(text, func(a string) string {
		if l[unescaped(a)] {
			return a
		}
		return bareWeb.ReplaceAllString(scheme.ReplaceAllString(a, "$1[:]//"), "${1}(dot)")
	})
}

// Tame holds every line of a synthesis to the links that people gave, and notes
// which of them are in it. What is marked stands in a person's own words, or was
// tamed before.
func (s *Synthesis) Tame(l Links) {
	s.Links = nil
	for _, points := range [][]Point{s.Insights, s.Decisions, s.Questions, s.Actions} {
		for i := range points {
			if points[i].Why = l.Tame(points[i].Why); !points[i].Marked {
				points[i].Text = l.Tame(points[i].Text)
			}
			for _, a := range slices.Concat(address.FindAllString(points[i].Text, -1), address.FindAllString(points[i].Why, -1)) {
				if a = unescaped(a); l[a] && !slices.Contains(s.Links, a) {
					s.Links = append(s.Links, a)
				}
			}
		}
	}
	s.Summary = l.Tame(s.Summary)
}
