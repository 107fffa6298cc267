package analysis

import (
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Input is one thing that happened to an analysis; see [roundtable.Input], whose
// promises about ids hold here, too.
type Input struct {
	ID    string
	At    time.Time
	Event Event
	// Excess and Overtaken are as in a discussion's.
	Excess    thread.Excess
	Overtaken bool
}

// Event is the sealed sum of what can happen. Those that a discussion has, too, are
// its types and have its stored form.
//
//sumtype:decl
type Event interface{ event() }

type (
	// Opened starts an analysis: somebody asked for it.
	Opened struct {
		Analysis  string         `json:"analysis"`
		Place     thread.Place   `json:"place"`
		By        thread.Person  `json:"by"`
		Item      string         `json:"item"`
		ItemTitle string         `json:"item_title"`
		Cast      []persona.Seat `json:"cast"`
		Settings  Settings       `json:"settings"`
		// Origin is the discussion that was turned into it; nil for none.
		Origin *Origin `json:"origin,omitempty"`
	}

	// Surveyed answers Inspect.
	Surveyed struct {
		Effect string `json:"effect"`
		Survey Survey `json:"survey"`
	}

	// Asked answers Inquire: what the lead makes of the answers so far, and the next
	// question.
	Asked struct {
		Effect string `json:"effect"`
		// Summary sums up the documents of the phase before, at a hand-over.
		Summary string `json:"summary,omitempty"`
		// Reflection takes up what was said; Question asks on. Prompt is the number of
		// the prompt that it asks, from 1, or 0.
		Reflection string `json:"reflection,omitempty"`
		Question   string `json:"question,omitempty"`
		Prompt     int    `json:"prompt,omitempty"`
		// Enough says that nothing need be asked any more.
		Enough bool `json:"enough,omitempty"`
		// Faults counts voice rules that the lead's words still break (FR-010).
		Faults int `json:"faults,omitempty"`
		// Engine names the engine when it was not the primary model; Spent is what the
		// analysis has cost up to here, in total.
		Engine string       `json:"engine,omitempty"`
		Spent  thread.Spend `json:"spent,omitzero"`
	}

	// Drafted answers Compose. The engine attaches the transcript as it stands.
	Drafted struct {
		Effect     string            `json:"effect"`
		Draft      *Draft            `json:"draft"` // nil: the result could not be read
		Transcript thread.Transcript `json:"transcript"`
	}

	// Written says that the parts of a Write stand in the artifacts.
	Written struct {
		Effect  string                  `json:"effect"`
		Changes []thread.ArtifactChange `json:"changes"`
	}

	// Recorded says that a Record stands in meta.json.
	Recorded struct {
		Effect string `json:"effect"`
	}

	// ElaborationOpened says that a discussion opened from here stands in Thread. By
	// opened it.
	ElaborationOpened struct {
		Discussion string        `json:"discussion"`
		By         thread.Person `json:"by"`
		StepTitle  string        `json:"step_title,omitempty"`
		Thread     string        `json:"thread,omitempty"`
	}

	// ElaborationEnded says that a discussion opened from here is closed, or, with
	// Refused, that Slack took its introduction from nobody.
	ElaborationEnded struct {
		Discussion string        `json:"discussion"`
		StepTitle  string        `json:"step_title,omitempty"`
		Thread     string        `json:"thread,omitempty"`
		Refused    thread.Reason `json:"refused,omitempty"`
		roundtable.Conclusion
	}

	// What every thread knows.
	Said       thread.Said
	Edited     thread.Edited
	Deleted    thread.Deleted
	Reacted    thread.Reacted
	Pressed    thread.Pressed
	TimerFired thread.TimerFired
	Posted     thread.Posted
	Failed     thread.Failed
	Parked     thread.Parked

	Identified thread.Identified
)

func (Opened) event()            {}
func (Surveyed) event()          {}
func (Asked) event()             {}
func (Drafted) event()           {}
func (Written) event()           {}
func (Recorded) event()          {}
func (ElaborationOpened) event() {}
func (ElaborationEnded) event()  {}
func (Said) event()              {}
func (Edited) event()            {}
func (Deleted) event()           {}
func (Reacted) event()           {}
func (Pressed) event()           {}
func (TimerFired) event()        {}
func (Posted) event()            {}
func (Failed) event()            {}
func (Parked) event()            {}
func (Identified) event()        {}
