package analysis

import (
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Effect is the sealed sum of what Step asks the world to do. Keys are made as in a
// discussion: they follow from the input that caused the effect.
//
//sumtype:decl
type Effect interface {
	effect()
	EffectKey() string
}

type (
	// Inspect asks how the item stands: the engine reads it and answers with Look.
	Inspect struct {
		Key string `json:"key"`
	}

	// Inquire asks the panel for the lead's next question; see [BriefingOf].
	Inquire struct {
		Key string `json:"key"`
	}

	// Compose asks the panel for a draft of what goes into the artifacts. Fault names
	// what was wrong with the first, if this is the second. Plain wants no panel: the
	// engine answers with a Drafted without draft.
	Compose struct {
		Key   string `json:"key"`
		Fault string `json:"fault,omitempty"`
		Plain bool   `json:"plain,omitempty"`
	}

	// Write puts parts into artifacts, additively and in one change of the item
	// (NFR-004). Its receipt is Written.
	Write struct {
		Key string `json:"key"`
		// Step and Title are the step's, for the marker; Time is ISO 8601.
		Step  string    `json:"step"`
		Title string    `json:"title"`
		Time  time.Time `json:"time"`
		Parts []Part    `json:"parts"`
	}

	// Record notes in meta.json what has been written (AC-NFR-003-02). Its receipt is
	// Recorded.
	Record struct {
		Key string `json:"key"`
		// Step is a completed step, Phases are completed phases; either may be empty.
		Step   string   `json:"step,omitempty"`
		Phases []string `json:"phases,omitempty"`
		// Phase and Depth are an override (AC-006-06); both are empty without one.
		Phase string `json:"phase,omitempty"`
		Depth Depth  `json:"depth,omitempty"`
	}

	// Welcome tells a discussion that was turned into this analysis where that goes on,
	// and whether it was under way before.
	Welcome struct {
		Key        string    `json:"key"`
		Discussion string    `json:"discussion"`
		At         time.Time `json:"at"`
		Thread     string    `json:"thread"`
		UnderWay   bool      `json:"under_way,omitempty"`
	}

	// What every thread does.
	Post thread.Post
	Tell thread.Tell
	Open roundtable.Open

	Identify thread.Identify
)

func (Inspect) effect()  {}
func (Inquire) effect()  {}
func (Compose) effect()  {}
func (Write) effect()    {}
func (Record) effect()   {}
func (Welcome) effect()  {}
func (Post) effect()     {}
func (Tell) effect()     {}
func (Open) effect()     {}
func (Identify) effect() {}

func (e Inspect) EffectKey() string  { return e.Key }
func (e Inquire) EffectKey() string  { return e.Key }
func (e Compose) EffectKey() string  { return e.Key }
func (e Write) EffectKey() string    { return e.Key }
func (e Record) EffectKey() string   { return e.Key }
func (e Welcome) EffectKey() string  { return e.Key }
func (e Post) EffectKey() string     { return e.Key }
func (e Tell) EffectKey() string     { return e.Key }
func (e Open) EffectKey() string     { return e.Key }
func (e Identify) EffectKey() string { return e.Key }
