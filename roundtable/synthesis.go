package roundtable

import (
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
