package roundtable

import (
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The types in this file are what the rules exchange with whatever thinks up the
// personas' words, by way of the engine. They say what to speak about and what
// was said, never how a model is called.

// Framing is the lead's opening (FR-004): what the step covered, the focus
// question, and the colleague who is asked first. The sentence around them is
// made by the rules.
type Framing struct {
	// Summary is where the step landed, one or two sentences.
	Summary string `json:"summary"`
	// Focus is the focus question, one sentence ending in a question mark.
	Focus string `json:"focus"`
	// Ask is the non-lead addressed; the rules correct an impossible one.
	Ask persona.Key `json:"ask"`
	// Faults counts voice rules that it still breaks.
	Faults int `json:"faults,omitempty"`
	// Engine names the engine when it was not the primary model.
	Engine string `json:"engine,omitempty"`
	// Spent is what the discussion has cost up to here, in total.
	Spent thread.Spend `json:"spent,omitzero"`
}

// RoundKind says what a round answers.
type RoundKind string

// The kinds of round.
const (
	RoundOpening  RoundKind = "opening"  // after the framing: both non-leads
	RoundAnswer   RoundKind = "answer"   // answers people
	RoundContinue RoundKind = "continue" // "let them continue": no human input
)

// Round is the personas' replies to one input.
type Round struct {
	Kind RoundKind `json:"kind"`
	// Calls are those who are called, in order.
	Calls []Call `json:"calls"`
	// Answers are the numbers of the turns that are answered, oldest first.
	// Askers are the names of who spoke them.
	Answers []int    `json:"answers,omitempty"`
	Askers  []string `json:"askers,omitempty"`
	// By are their ids and clocks.
	By []Asker `json:"by,omitempty"`
	// PendingReply is the person of whom the round asked something.
	PendingReply *PendingReply `json:"awaits,omitempty"`
	// Said are those who have spoken in this round.
	Said []persona.Key `json:"said,omitempty"`
	// Drifted is set once the lead redirected in this round.
	Drifted bool `json:"drifted,omitempty"`
}

// Call is a persona's place in a round. One who must speak may not stay silent;
// the others speak only if they have something of their own to add.
type Call struct {
	Persona persona.Key `json:"persona"`
	Must    bool        `json:"must,omitempty"`
}

// Contribution is what a persona says: a turn, or a redirect by the lead when
// Drift is set.
type Contribution struct {
	Persona persona.Key   `json:"persona"`
	Stance  thread.Stance `json:"stance"`
	// ReplyTo is the number of the turn it answers, or 0.
	ReplyTo int    `json:"reply_to,omitempty"`
	Text    string `json:"text"`
	// Drift is set instead of Text when what was said belongs elsewhere; the
	// rules make the sentence and the lead says it (AC-004-02).
	Drift *Drift `json:"drift,omitempty"`
	// Engine names the engine when it was not the primary model.
	Engine string `json:"engine,omitempty"`
	// Faults counts voice rules that the text still breaks.
	Faults int `json:"faults,omitempty"`
}

// Drift is an off-topic remark.
type Drift struct {
	// Turn is the number of the turn that drifted.
	Turn int `json:"turn"`
	// Subject is what it was about; Belongs the step or phase where it belongs.
	Subject string `json:"subject"`
	Belongs string `json:"belongs,omitempty"`
}

// Ending is how a round closed.
type Ending struct {
	// Conflict is set when positions stand against each other (AC-005-02).
	Conflict *Conflict `json:"conflict,omitempty"`
	// Incomplete is set when the panel broke off; what was said stands.
	Incomplete bool `json:"incomplete,omitempty"`
	// Spent is what the discussion has cost up to here, in total.
	Spent thread.Spend `json:"spent,omitzero"`
}

// Conflict is two or more positions with their reasons, for the room to choose.
type Conflict struct {
	Question string   `json:"question"`
	Options  []Option `json:"options"`
}

// Option is one position.
type Option struct {
	Label  string      `json:"label"`
	Reason string      `json:"reason"`
	By     persona.Key `json:"by"`
}

// Subject is what a panel is told of a discussion besides its transcript.
type Subject struct {
	Discussion string
	Topic      string
	Context    string
	Item       string
	Step       StepRef
	// Written is what stands in the step's documents, as Markdown, if it is elaborated
	// for an analysis.
	Written string
	Lead    persona.Key
	// Cast is in roster order.
	Cast  []persona.Persona
	Focus string
	// Choice is before the room, if any; Decided are the choices it has made.
	Choice  *Choice
	Decided []Decided
}
