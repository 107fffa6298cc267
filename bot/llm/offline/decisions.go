package offline

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var (
	ownRecord = regexp.MustCompile(`(?i)\brecords? of its own\b|\bhard to reverse\b`)
	rejected  = regexp.MustCompile(`(?i)\bturn(?:ed)? away\b|\binstead\b|\breject`)
	bareWord  = regexp.MustCompile(`[a-z0-9]+`)
	spelled   = regexp.MustCompile(`(?i)^decision:\s*`)
)

// decisions are the documents of a folder: one for each decision that somebody
// stated, or named when asked what deserves a record of its own. They are numbered
// within the step.
func (m minutes) decisions(t analysis.Target) []analysis.Part {
	var parts []analysis.Part
	var turnedAway []thread.Turn
	for _, x := range m.exchanges {
		if rejected.MatchString(x.question) {
			turnedAway = append(turnedAway, x.answers...)
		}
	}
	number := 1 + m.decidedBefore()
	for _, x := range m.exchanges {
		for _, turn := range x.answers {
			for _, s := range decisionsIn(turn, x.question) {
				parts = append(parts, analysis.Part{
					File: fmt.Sprintf("%s%04d-%s.md", t.File, number, fileWords(s)),
					Part: t.Part, Name: t.Name, Content: m.decision(s, turn, turnedAway),
				})
				number++
			}
		}
	}
	return parts
}

// decidedBefore counts the decisions of the step's earlier drafts, so that feedback
// goes on where they ended.
func (m minutes) decidedBefore() int {
	n := 0
	for _, turn := range m.before {
		if turn.Number >= m.briefing.Step.From {
			n += len(decisionsIn(turn, ""))
		}
	}
	return n
}

// decisionsIn are the sentences of a turn that decide something. Asked what deserves
// a record, a person who names something decides by that.
func decisionsIn(turn thread.Turn, question string) []string {
	var found []string
	for _, s := range sentencesOf(plain(turn.Text)) {
		named := ownRecord.MatchString(question) && len(found) == 0 && len(contentStems(s)) > 1 && !unknown.MatchString(s) && !finished.MatchString(s)
		if decides.MatchString(s) && !strings.HasSuffix(s, "?") || named {
			found = append(found, capitalise(spelled.ReplaceAllString(s, "")))
		}
	}
	return found
}

// decision is one record, as far as the talk goes.
func (m minutes) decision(text string, turn thread.Turn, turnedAway []thread.Turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n**Status**: said by %s in the thread; nobody has reviewed this record.\n\n", ended(text), nameOf(turn.Person))
	fmt.Fprintf(&b, "**Context**: %s of %s, where it was said like this:\n\n%s", m.briefing.Step.Title, thread.OneLine(m.briefing.ItemTitle), m.quoted(turn))
	b.WriteString("\n**Consequences**: not written down yet.\n\n**Alternatives**:")
	if len(turnedAway) == 0 {
		b.WriteString(" none were named.\n")
		return b.String()
	}
	b.WriteString("\n\n")
	for _, x := range turnedAway {
		b.WriteString(m.quoted(x))
	}
	return b.String()
}

// fileWords makes a file's name of a sentence.
func fileWords(s string) string {
	const most = 5
	words := []string{}
	for _, w := range bareWord.FindAllString(strings.ToLower(s), -1) {
		if len(words) < most && !function[w] && len(w) < 20 {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return "decision"
	}
	return strings.Join(words, "-")
}
