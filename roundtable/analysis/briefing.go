package analysis

import (
	"github.com/roundtable-chat/app/roundtable/persona"
)

// Briefing is what a panel is told of an analysis besides its transcript, to find
// the next question (Inquire) or to draft (Compose).
type Briefing struct {
	Item, ItemTitle string
	Phase           PhaseView
	Step            Sitting
	// Mode is what to ask at the sitting's depth; Next the first prompt not asked
	// yet and its number, 0 when all were.
	Mode     Mode
	Next     int
	NextText string
	// Purpose and Targets say what a draft is for and what it may fill.
	Purpose Purpose
	Targets []Target
	// From is the number of the first turn that counts for it.
	From int
	// HandOver is the phase to sum up first, at a change of leads.
	HandOver *PhaseView
	Cast     []persona.Seat
}

// BriefingOf returns what a panel is told. ok is false where there is nothing to
// ask a panel.
func BriefingOf(a Analysis) (b Briefing, ok bool) {
	if a.Step == nil || a.Phase == nil {
		return Briefing{}, false
	}
	b = Briefing{
		Item: a.Item, ItemTitle: a.ItemTitle, Phase: *a.Phase, Step: *a.Step, Mode: a.Step.Mode(), Purpose: a.Purpose,
		Targets: a.targets(), From: a.from(), HandOver: a.HandOver, Cast: a.Cast,
	}
	b.Next, b.NextText = a.Step.NextPrompt()
	return b, true
}

// targets are the places that a draft of the purpose may fill.
func (a Analysis) targets() []Target {
	if a.Purpose != ForSkip {
		return a.Step.Targets
	}
	var targets []Target
	for _, v := range a.Rest {
		targets = append(targets, v.Targets...)
	}
	return targets
}

// from is the first turn that a draft of the purpose is about.
func (a Analysis) from() int {
	if a.Purpose == ForFeedback {
		return a.Menu.Turn + 1
	}
	return a.Step.From
}
