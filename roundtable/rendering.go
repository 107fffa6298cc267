package roundtable

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Markdown renders the synthesis in the prescribed form (AC-008-01).
func (s Synthesis) Markdown(d Discussion) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Elaboration Insights (Step %s: %s)\n\n", d.Step.ID, oneLine(d.Step.Title))
	fmt.Fprintf(&b, "**Participants**: %s\n", strings.Join(participants(d), ", "))
	fmt.Fprintf(&b, "**Turns**: %d | **Exit**: %s\n", d.Turns, exitName(d))
	for _, part := range []struct {
		title  string
		points []Point
		always bool
	}{
		{"Key Insights", s.Insights, true}, {"Decisions Made", s.Decisions, true},
		{"Open Questions", s.Questions, true}, {"Action Items", s.Actions, false},
	} {
		if len(part.points) == 0 && !part.always {
			continue
		}
		fmt.Fprintf(&b, "\n#### %s\n\n", part.title)
		if len(part.points) == 0 {
			b.WriteString("- None\n")
		}
		for _, p := range part.points {
			b.WriteString("- " + p.Line() + "\n")
		}
	}
	return b.String()
}

// Line renders a point: "[Maya/Alex] text: why".
func (p Point) Line() string {
	line := "[" + strings.Join(p.By, "/") + "] " + p.Text
	if p.Why != "" {
		line = strings.TrimRight(line, ".:; ") + ": " + p.Why
	}
	return line
}

// participants are those who spoke, and nobody else.
func participants(d Discussion) []string {
	var names []string
	for _, c := range d.Cast {
		if d.Spoke[string(c.Key)] > 0 {
			names = append(names, participant(c))
		}
	}
	for _, p := range d.People {
		names = append(names, p.NameAmong(d.Cast))
	}
	return names
}

// participant is a persona in a line of participants.
func participant(s persona.Seat) string { return s.Name + " (" + s.Title + ")" }

func exitName(d Discussion) string {
	if d.Exit == nil {
		return string(ExitUser)
	}
	return string(d.Exit.Kind)
}
