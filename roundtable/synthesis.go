package roundtable

import (
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
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
	Spent Spend `json:"spent,omitzero"`
}

// DraftPoint is one line of a draft. Turns are the numbers of the turns that
// support it; whoever spoke them is its attribution.
type DraftPoint struct {
	Text  string `json:"text"`
	Why   string `json:"why,omitempty"`
	Turns []int  `json:"turns"`
}

// Synthesis is the checked result of a discussion.
type Synthesis struct {
	Insights  []Point `json:"insights,omitempty"`
	Decisions []Point `json:"decisions,omitempty"`
	Questions []Point `json:"questions,omitempty"`
	Actions   []Point `json:"actions,omitempty"`
	Summary   string  `json:"summary"`
	// Simple is set when the draft could not be used and this is the plain
	// summary of marks and participants (ERR-ELAB-007).
	Simple bool `json:"simple,omitempty"`
	// Engine names the engine when it was not the primary model.
	Engine string `json:"engine,omitempty"`
	// Links are the addresses in it. Each was given by a person, so each may be
	// clicked on.
	Links []string `json:"links,omitempty"`
}

// Point is one attributed line.
type Point struct {
	Text string `json:"text"`
	Why  string `json:"why,omitempty"`
	// By attributes it: first names of personas, display names of people, or
	// "All" (AC-008-05).
	By []string `json:"by"`
	// Turns support it; TS are their messages, for links.
	Turns []int    `json:"turns,omitempty"`
	TS    []string `json:"ts,omitempty"`
	// Marked is true when a person marked it.
	Marked bool `json:"marked,omitempty"`
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

// ArtifactChange is what became of one artifact (AC-008-04).
type ArtifactChange struct {
	File    string `json:"file"`
	Section string `json:"section"`
	Added   string `json:"added"`
	Created bool   `json:"created,omitempty"`
}
