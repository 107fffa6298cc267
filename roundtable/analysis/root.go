package analysis

import (
	"fmt"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Root is the analysis' root message: what is analysed and, below it, how things
// stand, whose turn it is and what may follow (I10).
func Root(a Analysis) thread.Message {
	m := thread.Message{Kind: thread.KindRoot, Text: rootText(a), Status: statusText(a), Buttons: rootButtons(a)}
	m.Threads = originLinks(a.Origins)
	if e := a.awaited(); e != nil {
		m.Threads = append(m.Threads, elaborationLink(e.Thread)...)
	}
	return m
}

func statusText(a Analysis) string {
	status := standing(a)
	if a.State != StateClosed && a.Step != nil {
		status = fmt.Sprintf("%s%s · Step %s: %s (%s) · %s", a.Phase.Name, a.Step.progress(), a.Step.ID, a.Step.Title, a.Step.Depth.Depth, status)
	}
	if !a.Spent.IsZero() {
		status += " · " + thread.SaySpend(a.Spent)
	}
	if a.Settings.Notice != "" {
		status += " · " + a.Settings.Notice
	}
	if a.State == StateClosed {
		status += thread.SayKeptUntil(a.Closed, a.Settings.Kept)
	}
	return status
}

// progress says how far the phase has come, as far as that is known.
func (t Sitting) progress() string {
	if t.Of == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d)", t.Number, t.Of)
}

// standing says why nothing is said, or that something will be.
func standing(a Analysis) string {
	if a.Withheld != nil && a.State != StateClosed {
		return "Stopped: " + thread.SayFailure(a.Withheld.Reason)
	}
	if a.Stalled != nil && a.State != StateClosed {
		return "Stopped: " + stallText(*a.Stalled)
	}
	name := a.seat(a.lead()).First()
	switch a.State {
	case StateGreeting:
		return "Looking up where we are"
	case StateAsking:
		if a.Ask != nil {
			return name + " is thinking"
		}
		return "Waiting for the room to answer"
	case StateValidating:
		return name + " is writing it down"
	case StateWriting:
		return "Updating the documents"
	case StateMenu:
		return "Waiting for a choice at the menu"
	case StateElaborating:
		return "Waiting for the elaboration"
	case StateClosed:
		return closedStanding(a)
	}
	return ""
}

func closedStanding(a Analysis) string {
	if a.Exit == nil {
		return "Closed"
	}
	switch a.Exit.Kind {
	case ExitCompleted:
		return "Analysis complete"
	case ExitPaused:
		if a.Exit.By != nil {
			return "Paused by " + thread.OneLine(a.Exit.By.Name)
		}
	case ExitSilence:
		return "Paused after a long silence"
	case ExitRefused:
		return "Could not be opened"
	}
	return "Paused"
}

func rootButtons(a Analysis) []thread.Button {
	switch {
	case a.State == StateClosed || a.State == "":
		return nil
	case a.Stalled != nil:
		return stallButtons()
	}
	var buttons []thread.Button
	if a.State == StateAsking && a.Step.Answers > 0 {
		buttons = append(buttons, thread.Button{Kind: ButtonFinish, Label: "That is all for this step", Value: a.Step.ID})
	}
	if a.State == StateElaborating {
		buttons = append(buttons, backButton())
	}
	return append(buttons, thread.Button{Kind: ButtonPause, Label: "Pause"})
}

func stallButtons() []thread.Button {
	return []thread.Button{{Kind: roundtable.ButtonRetry, Label: "Try again", Style: "primary"}, {Kind: ButtonPause, Label: "Pause"}}
}
