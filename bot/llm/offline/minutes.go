package offline

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// minutes are what a step comes to on paper: the places that it fills, and the
// answers with the place to which each belongs.
type minutes struct {
	briefing  analysis.Briefing
	exchanges []exchange
	// open are the prompts without an answer; there are none of feedback.
	open []string
	// before are people's turns ahead of those in exchanges.
	before []thread.Turn
	names  map[string]string
}

func newMinutes(b analysis.Briefing, t thread.Transcript) minutes {
	m := minutes{briefing: b, exchanges: exchanges(b.Step, t, b.From), names: map[string]string{}}
	if b.Purpose == analysis.ForStep {
		m.open = unanswered(b.Mode, m.exchanges)
	}
	for _, turn := range t.Turns {
		if turn.Persona != "" || turn.Struck {
			continue
		}
		m.names[turn.Person.ID] = nameOf(turn.Person)
		if turn.Number < b.From {
			m.before = append(m.before, turn)
		}
	}
	return m
}

// answers are people's turns, in order.
func (m minutes) answers() []thread.Turn {
	var all []thread.Turn
	for _, x := range m.exchanges {
		all = append(all, x.answers...)
	}
	return all
}

// parts fill the step's places. Each exchange goes to the section whose name and form
// have most words in common with its question; a list, rows and a folder take what
// they can from all of them.
func (m minutes) parts() []analysis.Part {
	var parts []analysis.Part
	sections := sectionsOf(m.briefing.Targets)
	for _, t := range m.briefing.Targets {
		p := analysis.Part{File: t.File, Part: t.Part, Name: t.Name}
		switch {
		case strings.HasSuffix(t.File, "/"):
			parts = append(parts, m.decisions(t)...)
			continue
		case t.Part == analysis.PartList:
			p.Content = m.list(t)
		case t.Part == analysis.PartRows:
			p.Content = m.rows(t)
		case t.Part == analysis.PartSection:
			p.Content = m.section(t, sections)
		}
		if p.Content != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// sectionsOf are the targets that are sections of a document of their own name.
func sectionsOf(targets []analysis.Target) []analysis.Target {
	var sections []analysis.Target
	for _, t := range targets {
		if t.Part == analysis.PartSection && !strings.HasSuffix(t.File, "/") {
			sections = append(sections, t)
		}
	}
	return sections
}

// section is what belongs to one section: values with a label of their own, the
// answers below their questions, and the questions without one. Feedback is no
// reason to write of a section that it is not about.
func (m minutes) section(t analysis.Target, sections []analysis.Target) string {
	var mine []exchange
	for _, x := range m.exchanges {
		if same(place(x.question, answersText(x), sections), t) {
			mine = append(mine, x)
		}
	}
	var open []string
	for _, q := range m.open {
		if same(place(q, "", sections), t) {
			open = append(open, q)
		}
	}
	var b strings.Builder
	for _, line := range labelled(t, m.exchanges) {
		b.WriteString("- " + line + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	switch {
	case len(mine) > 0:
		b.WriteString("As it was said:\n")
	case m.briefing.Purpose == analysis.ForFeedback:
		return ""
	case len(open) == 0 && b.Len() == 0:
		b.WriteString("Nothing was said to this by itself; the answers of this step stand in its other sections.\n")
	}
	for _, x := range mine {
		if x.question != "" {
			fmt.Fprintf(&b, "\n**%s**\n", x.question)
		}
		b.WriteString("\n")
		for _, turn := range x.answers {
			b.WriteString(m.quoted(turn))
		}
	}
	if len(open) > 0 {
		fmt.Fprintf(&b, "\n**Not answered yet**\n\n- %s\n", strings.Join(open, "\n- "))
	}
	return b.String()
}

func same(a, b analysis.Target) bool { return a.File == b.File && a.Name == b.Name }

func answersText(x exchange) string {
	var texts []string
	for _, turn := range x.answers {
		texts = append(texts, plain(turn.Text))
	}
	return strings.Join(texts, " ")
}

// place is the section to which a question belongs: that with which it has most
// words in common, in its name or its form, else the first. What was said without a
// question is placed by its own words.
func place(question, answer string, sections []analysis.Target) analysis.Target {
	if question == "" {
		question = answer
	}
	best, most := 0, 0
	for i, t := range sections {
		if n := shared(question, t.Name+" "+t.Form); n > most {
			best, most = i, n
		}
	}
	return sections[best]
}

// shared counts the words with a meaning that two texts share.
func shared(a, b string) int {
	stems := map[string]bool{}
	for _, s := range contentStems(b) {
		stems[s] = true
	}
	n := 0
	for _, s := range contentStems(a) {
		if stems[s] {
			n++
		}
	}
	return n
}

// outlook drafts what is known of steps that are skipped: what was said earlier
// that their places are about, by its words, and else what was put most tellingly of
// late (AC-007-06).
func (m minutes) outlook() []analysis.Part {
	const enough, most, late = 2, 4, 12
	var parts []analysis.Part
	said := append(m.before[:len(m.before):len(m.before)], m.answers()...)
	for _, t := range sectionsOf(m.briefing.Targets) {
		var lines []string
		for _, turn := range said {
			for _, s := range sentencesOf(plain(turn.Text)) {
				if shared(s, t.Name+" "+t.Form) >= enough && len(lines) < most {
					lines = append(lines, fmt.Sprintf("- **%s**: %s\n", nameOf(turn.Person), ended(s)))
				}
			}
		}
		if len(lines) == 0 {
			best := telling(said[max(0, len(said)-late):])
			for _, s := range best[:min(len(best), most)] {
				lines = append(lines, fmt.Sprintf("- **%s**: %s\n", nameOf(s.by), ended(s.text)))
			}
		}
		content := "Draft: the step was skipped. What was said before that may belong here:\n\n" + strings.Join(lines, "")
		if len(lines) == 0 {
			content = "Draft: the step was skipped, and nothing was said before.\n"
		}
		parts = append(parts, analysis.Part{File: t.File, Part: t.Part, Name: t.Name, Content: content})
	}
	return parts
}
