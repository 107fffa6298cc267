package roundtable

import (
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Effect is the sealed sum of what Step asks the world to do. Effects are
// imperatives. Every effect has a key, unique in the workspace and derived from
// the discussion and the input that caused it, by which a repetition is
// recognised.
//
//sumtype:decl
type Effect interface {
	effect()
	// EffectKey returns the key: "{discussion}/{input}/{n}".
	EffectKey() string
}

type (
	// Frame asks the lead to frame the topic (FR-004).
	Frame struct {
		Key string `json:"key"`
	}

	// Discuss asks the panel for the discussion's Round.
	Discuss struct {
		Key string `json:"key"`
	}

	// Synthesise asks the panel for a draft. Fault names what was wrong with
	// the first, if this is the second.
	// Plain wants no panel: the engine answers with a Drafted without draft.
	Synthesise struct {
		Key   string `json:"key"`
		Fault string `json:"fault,omitempty"`
		Plain bool   `json:"plain,omitempty"`
	}

	// WriteDocuments merges the synthesis into the step's outputs, additively, and
	// appends the record to meta.json, in one change of the item (FR-008,
	// FR-009).
	WriteDocuments struct {
		Key string `json:"key"`
		// Outputs are the artifacts to touch; empty when none is to change.
		Outputs []string `json:"outputs"`
		// Markdown is the rendered synthesis.
		Markdown string `json:"markdown"`
		Record   Record `json:"record"`
	}

	// Open opens a further discussion in the same channel.
	Open struct {
		Key    string `json:"key"`
		Opened Opened `json:"opened"`
	}

	// Report tells the analysis that a discussion was opened from how it goes: that
	// its introduction stands, or, with Ended, what became of it. It arrives once,
	// however often it is sent (AC-006-03).
	Report struct {
		Key string `json:"key"`
		// To is the analysis' id, in the discussion's channel.
		To string    `json:"to"`
		At time.Time `json:"at"`
		// By opened the discussion about Step; Thread is empty if it never stood.
		By     thread.Person `json:"by"`
		Step   StepRef       `json:"step"`
		Thread string        `json:"thread,omitempty"`
		// Ended is set when nothing more will be said; then follows what it came to, or
		// why Slack refused the introduction.
		Ended   bool          `json:"ended,omitempty"`
		Refused thread.Reason `json:"refused,omitempty"`
		Conclusion
	}

	// Analyse turns a discussion of a free topic into the analysis of its item: the one
	// that is under way, or a new one. Analysed says where that stands.
	Analyse struct {
		Key       string        `json:"key"`
		By        thread.Person `json:"by"`
		Item      string        `json:"item"`
		ItemTitle string        `json:"item_title"`
		Settings  Settings      `json:"settings"`
		// Thread is the discussion's; what it came to follows.
		Thread string `json:"thread"`
		Conclusion
	}

	// CheckDND asks whether a person may be disturbed now; DNDChecked says so.
	CheckDND struct {
		Key  string `json:"key"`
		User string `json:"user"`
	}

	// React puts an emoji of the app's on a message. Like Tell it may be lost.
	React struct {
		Key   string `json:"key"`
		TS    string `json:"ts"`
		Emoji string `json:"emoji"`
	}

	// What every thread does.
	Post     thread.Post
	Tell     thread.Tell
	Identify thread.Identify
)

func (Post) effect()           {}
func (Frame) effect()          {}
func (Discuss) effect()        {}
func (Synthesise) effect()     {}
func (WriteDocuments) effect() {}
func (Tell) effect()           {}
func (React) effect()          {}
func (Open) effect()           {}
func (Report) effect()         {}
func (Analyse) effect()        {}
func (CheckDND) effect()       {}
func (Identify) effect()       {}

func (e Post) EffectKey() string           { return e.Key }
func (e Frame) EffectKey() string          { return e.Key }
func (e Discuss) EffectKey() string        { return e.Key }
func (e Synthesise) EffectKey() string     { return e.Key }
func (e WriteDocuments) EffectKey() string { return e.Key }
func (e Tell) EffectKey() string           { return e.Key }
func (e React) EffectKey() string          { return e.Key }
func (e Open) EffectKey() string           { return e.Key }
func (e Report) EffectKey() string         { return e.Key }
func (e Analyse) EffectKey() string        { return e.Key }
func (e CheckDND) EffectKey() string       { return e.Key }
func (e Identify) EffectKey() string       { return e.Key }
