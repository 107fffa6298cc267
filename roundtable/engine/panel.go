package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// Panel thinks up what the personas say.
type Panel interface {
	Frame(ctx context.Context, s roundtable.Subject) (roundtable.Framing, error)
	// Discuss emits contributions as they complete, in the order of speaking.
	// What was emitted before an error stands.
	Discuss(ctx context.Context, r RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error)
	// Synthesise proposes a synthesis; fault names what was wrong with the
	// last proposal, or is empty.
	Synthesise(ctx context.Context, s roundtable.Subject, t roundtable.Transcript, fault string) (*roundtable.Draft, error)
	// Notice is a sentence that names the engine where people should know
	// that no model speaks, or empty.
	Notice() string
}

// RoundRequest is one round to be thought up.
type RoundRequest struct {
	Subject    roundtable.Subject
	Transcript roundtable.Transcript
	Round      roundtable.Round
}

// Inquirer thinks up what a lead asks in an analysis, and what is written down of
// the answers. One without an idea asks the briefing's next prompt.
type Inquirer interface {
	// Inquire takes up the answers so far and asks on; Asked.Effect is the engine's.
	Inquire(ctx context.Context, q Inquiry) (analysis.Asked, error)
	// Compose drafts what goes into the artifacts; nil if nothing usable came.
	Compose(ctx context.Context, q Inquiry) (*analysis.Draft, error)
}

// Inquiry is what an inquirer is told.
type Inquiry struct {
	Analysis   string
	Briefing   analysis.Briefing
	Transcript roundtable.Transcript
	Roster     roundtable.Roster
	// Documents are the item's artifacts as they stand, by name.
	Documents []Document
	// Fault names what was wrong with the last draft, or is empty.
	Fault string
}

// PanelError is a failure of a panel with its kind.
type PanelError struct {
	Reason roundtable.Reason
	// After is when a retry makes sense, zero if unknown.
	After time.Duration
	// Spent is what the discussion has cost up to here, in total; Budget the one
	// that is used up, for ReasonOverBudget.
	Spent  roundtable.Spend
	Budget *roundtable.Budget
	Err    error
}

func (e *PanelError) Error() string { return fmt.Sprintf("panel: %s: %v", e.Reason, e.Err) }
func (e *PanelError) Unwrap() error { return e.Err }
