package roundtable

import (
	"fmt"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Draft is what a panel proposes as synthesis. It is not trusted: Check drops,
// demotes and completes it (FR-008, NFR-003).
type Draft struct {
	Insights  []DraftPoint `json:"insights"`
	Decisions []DraftPoint `json:"decisions"`
	Questions []DraftPoint `json:"open_questions"`
	Actions   []DraftPoint `json:"action_items"`
	// Summary is one sentence for meta.json; Check clips it to SummaryLimit.
	Summary string `json:"summary"`
	// Engine names the engine when it was not the primary model.
	Engine string `json:"engine,omitempty"`
	// Spent is what the discussion has cost up to here, in total.
	Spent thread.Spend `json:"spent,omitzero"`
}

// DraftPoint is one line of a draft. Turns are the numbers of the turns that
// support it; whoever spoke them is its attribution.
type DraftPoint struct {
	Text  string `json:"text"`
	Why   string `json:"why,omitempty"`
	Turns []int  `json:"turns"`
}

// SummaryLimit is the greatest length of a record's summary, in characters.
const SummaryLimit = 100

// Record is an entry of meta.json's elaborations (AC-009-01).
type Record struct {
	StepID    string        `json:"step_id"`
	TurnCount int           `json:"turn_count"`
	Personas  []persona.Key `json:"personas_active"`
	Timestamp time.Time     `json:"timestamp"`
	Summary   string        `json:"synthesis_summary"`
}

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
