package roundtable

import (
	"fmt"
	"strconv"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Root is the discussion's root message: the introduction (AC-001-03) and, below
// it, how things stand, whose turn it is and what may follow (I10). It is the
// app's own message, so it can be brought up to date; personas' are never edited.
func Root(d Discussion) thread.Message {
	return thread.Message{Kind: thread.KindRoot, Text: introductionText(d), Status: statusText(d), Buttons: rootButtons(d), Threads: d.links()}
}

func statusText(d Discussion) string {
	status := Standing(d)
	if d.Turns > 0 {
		status = fmt.Sprintf("Turn %d of %d · %s", d.Turns, d.Settings.MaxTurns, status)
	}
	if !d.Spent.IsZero() {
		status += " · " + thread.SaySpend(d.Spent)
	}
	if d.Settings.Notice != "" {
		status += " · " + d.Settings.Notice
	}
	if d.State == StateClosed {
		status += thread.SayKeptUntil(d.Closed, d.Settings.Kept)
	}
	return status
}

// Standing says why the personas are silent, or that they are not.
func Standing(d Discussion) string {
	if d.Withheld != nil && d.State != StateClosed {
		return "Stopped: " + thread.SayFailure(d.Withheld.Reason)
	}
	if d.Stalled != nil && d.State != StateClosed {
		return "Stopped: " + stallText(*d.Stalled)
	}
	switch d.State {
	case StateEntry, StateTopicFraming:
		return d.seat(d.Lead).First() + " is framing the topic"
	case StateDiscussionLoop:
		return loopStanding(d)
	case StateSynthesis, StatePersist:
		return d.seat(d.Lead).First() + " is writing the synthesis"
	case StateClosed:
		return closedStanding(d)
	}
	return ""
}

func loopStanding(d Discussion) string {
	switch {
	case d.Ask != nil:
		return "The personas are talking"
	case d.Confirming != nil:
		return "Waiting for the room: wrap up, or go on?"
	case d.Choice != nil && d.Choice.Turn == d.Turns:
		return "Waiting for the room to choose"
	case d.PendingReply != nil:
		return "Waiting for " + thread.OneLine(d.PendingReply.Person.Name)
	case d.Floor == FloorMuted:
		return "Muted: call a persona by name"
	case d.Floor == FloorQuiet:
		return "Quiet: personas speak when addressed"
	default:
		return "Waiting for the room"
	}
}

func closedStanding(d Discussion) string {
	if d.Exit == nil {
		return "Closed"
	}
	switch d.Exit.Kind {
	case ExitUser:
		if d.Exit.By != nil {
			return "Closed by " + thread.OneLine(d.Exit.By.Name)
		}
	case ExitLimit:
		return "Closed at the turn limit"
	case ExitSilence:
		return "Closed after a long silence"
	case ExitRefused:
		return "Could not be opened"
	}
	return "Closed"
}

func rootButtons(d Discussion) []thread.Button {
	switch {
	case d.State == StateClosed:
		return nil
	case d.Stalled != nil:
		return stallButtons(d)
	case d.State != StateDiscussionLoop:
		return nil
	}
	buttons := []thread.Button{continueButton(), wrapUpButton()}
	if d.Floor == FloorOpen {
		buttons = append(buttons, thread.Button{Kind: ButtonQuiet, Label: "Quiet"})
	} else {
		buttons = append(buttons, thread.Button{Kind: ButtonOpenFloor, Label: "Let them speak freely"})
	}
	buttons = append(buttons, thread.Button{Kind: ButtonCatchUp, Label: "Catch me up"})
	if d.Settings.MayExtend && d.Warned == d.Settings.MaxTurns {
		buttons = append(buttons, extendButton(d))
	}
	return buttons
}

func continueButton() thread.Button {
	return thread.Button{Kind: ButtonContinue, Label: "Let them continue"}
}
func wrapUpButton() thread.Button { return thread.Button{Kind: ButtonWrapUp, Label: "Wrap up"} }
func keepOnButton() thread.Button { return thread.Button{Kind: ButtonKeepOn, Label: "Go on"} }

func extendButton(d Discussion) thread.Button {
	return thread.Button{Kind: ButtonExtend, Label: "＋" + strconv.Itoa(Extension) + " turns", Value: strconv.Itoa(d.Settings.MaxTurns)}
}

// stallButtons are the ways on after a failure.
func stallButtons(d Discussion) []thread.Button {
	retry := thread.Button{Kind: ButtonRetry, Label: "Try again", Style: "primary"}
	if d.State == StatePersist {
		return []thread.Button{retry}
	}
	return []thread.Button{retry, {Kind: ButtonWrapUp, Label: "Wrap up"}}
}

func choiceButtons(c Choice) []thread.Button {
	buttons := make([]thread.Button, len(c.Options))
	for i, o := range c.Options {
		buttons[i] = thread.Button{Kind: ButtonChoose, Label: thread.Clip(thread.OneLine(o.Label), 70), Value: c.ID + "/" + strconv.Itoa(i)}
	}
	return buttons
}

func menuButtons(d Discussion) []thread.Button {
	buttons := []thread.Button{{Kind: ButtonAgain, Label: "[E] Elaboration Mode", Style: "primary"}}
	if d.convertible() {
		buttons = append(buttons, thread.Button{Kind: ButtonAnalyse, Label: "[C] Analyse it step by step"})
	}
	if d.Outcome != nil {
		buttons = append(buttons, thread.Button{Kind: ButtonShare, Label: "Share to the channel"})
	}
	return buttons
}
