package analysis

import (
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The buttons of an analysis, besides those that a discussion has, too.
const (
	ButtonElaborate thread.ButtonKind = "elaborate"   // [E]
	ButtonNext      thread.ButtonKind = "next"        // [C]
	ButtonSkip      thread.ButtonKind = "skip"        // [S]
	ButtonFinish    thread.ButtonKind = "finish_step" // enough was said; write the step down
	ButtonMenu      thread.ButtonKind = "menu"        // back to the menu without waiting for an elaboration
	ButtonPause     thread.ButtonKind = "pause"       // stop here, to be resumed later
)

// Buttons lists all buttons that an analysis takes.
func Buttons() []thread.ButtonKind {
	return []thread.ButtonKind{ButtonElaborate, ButtonNext, ButtonSkip, ButtonFinish, ButtonMenu, ButtonPause, roundtable.ButtonRetry}
}

// Choice is what somebody chose at a menu.
type Choice string

// The choices (AC-004-06).
const (
	ChooseElaborate Choice = "elaborate"
	ChooseContinue  Choice = "continue"
	ChooseSkip      Choice = "skip"
)

// Menu is what is offered after a step (AC-004-06). Its form follows from where the
// step stands: within its phase, at the phase's end (AC-007-05), or at the end of
// the analysis.
type Menu struct {
	// ID tells one menu from the next, so that a late press is known for one.
	ID string `json:"id"`
	// Next is the phase that follows; nil within a phase and at the very end.
	Next *PhaseView `json:"next,omitempty"`
	// Last is set at the end of the last phase.
	Last bool `json:"last,omitempty"`
	// Turn is the number of the last turn before it; Key the key of its post.
	Turn int    `json:"turn,omitempty"`
	Key  string `json:"key,omitempty"`
}

// within reports whether further steps of the phase follow.
func (m Menu) within() bool { return m.Next == nil && !m.Last }

// Offers reports whether the menu has a choice: [S] is not on a phase's last step,
// where nothing is left to skip (AC-007-06).
func (m Menu) Offers(c Choice) bool { return c != ChooseSkip || m.within() }

// button is the button that a choice has.
func (c Choice) button() thread.ButtonKind {
	switch c {
	case ChooseElaborate:
		return ButtonElaborate
	case ChooseSkip:
		return ButtonSkip
	case ChooseContinue:
	}
	return ButtonNext
}

// Choose reads a choice typed at a menu: its letter, with or without brackets, or
// its word, and nothing else (AC-007-04). Whether the menu offers it is for Offers to
// say. At no other place is a letter a choice.
func Choose(text string) (Choice, bool) {
	word := strings.ToLower(strings.Join(strings.Fields(text), " "))
	word = strings.TrimSpace(strings.TrimSuffix(strings.TrimRight(word, " .!"), " please"))
	if bare := strings.Trim(word, "[]()*`\"' "); len(bare) <= 1 {
		word = bare
	}
	switch strings.TrimRight(word, " ,.!") {
	case "e", "elaborate", "elaboration", "elaboration mode":
		return ChooseElaborate, true
	case "c", "continue", "next", "next step", "go on", "move on", "complete analysis", "next phase":
		return ChooseContinue, true
	case "s", "skip", "skip the rest", "skip remaining steps":
		return ChooseSkip, true
	default:
		return "", false
	}
}

func (m Menu) buttons() []thread.Button {
	buttons := []thread.Button{
		{Kind: ButtonElaborate, Label: "[E] Elaboration Mode", Value: m.ID},
		{Kind: ButtonNext, Label: "[C] " + continueLabel(m), Value: m.ID, Style: "primary"},
	}
	if m.Offers(ChooseSkip) {
		buttons = append(buttons, thread.Button{Kind: ButtonSkip, Label: "[S] Skip remaining steps", Value: m.ID})
	}
	return buttons
}
