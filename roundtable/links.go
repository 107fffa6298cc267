package roundtable

import (
	"regexp"
	"strings"
)

// links are the addresses that people gave in a discussion. A synthesis goes into
// documents, where whoever reads it may follow a link or load an image without a
// thought; so it leads only where people pointed themselves, and no injected text
// can carry what was said to an address that nobody chose (SPEC §10).
type links map[string]bool

var (
	address    = regexp.MustCompile("(?i)\\b(?:[a-z][a-z0-9+.-]*://|www\\.)[^\\s<>\"'`|]*[^\\s<>\"'`|.,;:!?)\\]}]")
	scheme     = regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*)://`)
	bareWeb    = regexp.MustCompile(`(?i)\b(www)\.`)
	inlineLink = regexp.MustCompile(`\]\([ \t]*<?([^()<>\[\]\s]*)`)
	// tag is what opens HTML in Markdown, or an address in angle brackets.
	tag = regexp.MustCompile(`<(?:[A-Za-z/?]|!(?:--|\[))[^\s<>|]*`)
)

// givenLinks are the addresses in what people wrote, and in what the discussion
// was opened with.
func givenLinks(d Discussion, t Transcript) links {
	l := links{}
	l.take(d.Topic)
	l.take(d.Context)
	for _, turns := range [][]Turn{t.Turns, t.Late} {
		for _, turn := range turns {
			if turn.Persona == "" {
				l.take(turn.Text)
			}
		}
	}
	return l
}

func (l links) take(text string) {
	for _, a := range address.FindAllString(unescaped(text), -1) {
		l[a] = true
	}
}

// unescaped reads a text as Slack delivers it.
func unescaped(text string) string { return strings.ReplaceAll(text, "&amp;", "&") }

// tame takes from a text whatever could lead somewhere else: addresses stay
// legible, Markdown's links and images come apart, and HTML is none any more.
func (l links) tame(text string) string {
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

// tame holds every line of a synthesis to the links that people gave.
func (s *Synthesis) tame(l links) {
	for _, points := range [][]Point{s.Insights, s.Decisions, s.Questions, s.Actions} {
		for i := range points {
			points[i].Text, points[i].Why = l.tame(points[i].Text), l.tame(points[i].Why)
		}
	}
	s.Summary = l.tame(s.Summary)
}
