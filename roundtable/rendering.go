package roundtable

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Markdown renders a synthesis of the discussion in the prescribed form (AC-008-01).
func (d Discussion) Markdown(s *thread.Synthesis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### Elaboration Insights (Step %s: %s)\n\n", d.Step.ID, thread.OneLine(d.Step.Title))
	fmt.Fprintf(&b, "**Participants**: %s\n", strings.Join(participants(d), ", "))
	fmt.Fprintf(&b, "**Turns**: %d | **Exit**: %s\n", d.Turns, exitName(d))
	for _, part := range []struct {
		title  string
		points []thread.Point
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

// participants are those who spoke, and nobody else.
func participants(d Discussion) []string {
	var names []string
	for _, c := range d.Cast {
		if d.Spoke[string(c.Key)] > 0 {
			names = append(names, thread.Participant(c))
		}
	}
	for _, p := range d.People {
		names = append(names, p.NameAmong(d.Cast))
	}
	return names
}

func exitName(d Discussion) string {
	if d.Exit == nil {
		return string(ExitUser)
	}
	return string(d.Exit.Kind)
}
