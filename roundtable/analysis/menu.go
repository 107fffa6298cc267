package analysis

import (
	"strconv"
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

// offer shows the menu that belongs after the step, by what is left.
func (s *step) offer(v Survey) {
	s.a.Menu.Next, s.a.Menu.Last, s.a.Rest = nil, false, nil
	switch {
	case v.Step == nil || v.Phase == nil:
		s.a.Menu.Last = true
	case v.Phase.Key != s.a.Phase.Key:
		s.a.Menu.Next = v.Phase
	default:
		first := *v.Step
		first.Modes, first.Criteria = nil, nil // it is looked at anew in its turn
		s.a.Rest = append([]StepView{first}, v.Rest...)
	}
	s.a.MaxTurns = v.MaxTurns
	s.showMenu()
}

// showMenu shows the menu, or shows it again. Words that wait are worked in first:
// the menu comes after them.
func (s *step) showMenu() {
	s.a.Writing, s.a.Purpose, s.a.LastTurn = nil, "", thread.LastTurn{}
	s.a.Menus++
	s.a.Menu.ID, s.a.Menu.Turn = "m"+strconv.Itoa(s.a.Menus), s.a.Turns
	if s.a.State != StateMenu {
		s.move(StateMenu)
	}
	if w := s.a.Waiting; w != nil && !s.in.At.Before(w.Until) {
		return
	}
	s.a.Menu.Key = s.Post(thread.Message{Kind: thread.KindMenu, Text: menuText(s.a.Menu), Buttons: s.a.Menu.buttons()})
}

// choose takes a choice at a menu. The first one counts; whoever comes second is
// told what was chosen.
func (s *step) choose(c Choice, by thread.Person, menu string) {
	busy := s.menuBusy()
	switch {
	case busy != "" && menu == s.a.Menu.ID:
		s.Tell(by.ID, busy)
		return
	case s.a.State != StateMenu || menu != s.a.Menu.ID:
		if s.a.Taken != nil && s.a.Taken.Menu == menu {
			s.Tell(by.ID, takenText(*s.a.Taken))
			return
		}
		s.Tell(by.ID, goneText())
		return
	case !s.a.Menu.Offers(c):
		s.Tell(by.ID, nothingToSkipText())
		return
	case s.a.Waiting != nil:
		s.a.Stalled = nil
		s.a.Waiting.Until = s.in.At
		s.Tell(by.ID, feedbackFirstText())
		return
	}
	s.a.Stalled = nil
	s.a.Taken = &Taken{Menu: menu, Choice: c, By: by}
	s.Act(thread.Audit{Kind: thread.AuditChose, By: by.ID, Detail: thread.AuditDetail(c)})
	switch c {
	case ChooseElaborate:
		s.elaborate(by)
	case ChooseContinue:
		s.choiceShown()
		if s.a.Menu.within() {
			s.lookOn()
			return
		}
		s.a.Purpose = ForPhase
		s.move(StateWriting)
		s.recordDone()
	case ChooseSkip:
		s.choiceShown()
		s.line(s.a.lead(), skippedText())
		s.compose(ForSkip)
	}
}

// menuBusy says what is done first while a menu stands that takes no choice at the
// moment; empty where there is no such menu.
func (s *step) menuBusy() string {
	if s.a.Stalled != nil {
		return ""
	}
	switch s.a.Purpose {
	case ForMarks:
		return busyText()
	case ForFeedback:
		return feedbackFirstText()
	case ForStep, ForSkip, ForPhase:
	}
	return ""
}

// choiceShown tells the room who chose, where there is more than one to wonder.
func (s *step) choiceShown() {
	if len(s.a.People) > 1 || len(s.a.People) == 1 && s.a.People[0].ID != s.a.Taken.By.ID {
		s.Notice(chosenText(*s.a.Taken))
	}
}

// pressed takes in a button, if the person may press it.
func (s *step) pressed(e Pressed) {
	if s.a.State == StateClosed {
		s.Tell(e.By.ID, closedText(s.a))
		return
	}
	s.touch()
	right, ours := buttonNeeds[e.Button].Right(s.a.Settings.Close, s.a.Settings.Choose)
	if ours && s.Lets(right, e.By, thread.Act{Kind: thread.ActPress, Button: e.Button, Value: e.Value}) {
		s.press(e)
	}
}

// press does what a button does. One that means nothing any more is answered to the
// person who pressed it.
func (s *step) press(e Pressed) {
	if s.a.State == StateClosed {
		s.Tell(e.By.ID, closedText(s.a))
		return
	}
	switch e.Button {
	case ButtonElaborate:
		s.choose(ChooseElaborate, e.By, e.Value)
	case ButtonNext:
		s.choose(ChooseContinue, e.By, e.Value)
	case ButtonSkip:
		s.choose(ChooseSkip, e.By, e.Value)
	case ButtonFinish:
		switch {
		case s.a.State != StateAsking || s.a.Step.ID != e.Value:
			s.Tell(e.By.ID, goneText())
		case s.a.Step.Answers == 0:
			s.Tell(e.By.ID, nothingSaidText())
		default:
			s.finish()
		}
	case ButtonMenu:
		if s.a.State != StateElaborating {
			s.Tell(e.By.ID, goneText())
			return
		}
		s.showMenu() // the elaboration goes on in its thread
	case ButtonPause:
		if (s.a.State == StateValidating || s.a.State == StateWriting) && s.a.Stalled == nil {
			s.Tell(e.By.ID, busyText()) // nothing that was said is dropped half way
			return
		}
		s.pause(e.By)
	case roundtable.ButtonRetry:
		if s.a.Stalled == nil {
			s.Tell(e.By.ID, nothingToRetryText())
			return
		}
		s.resume()
	default: // of a discussion
	}
}

// pause ends the walk here; it can be taken up again where it stands.
func (s *step) pause(by thread.Person) {
	s.Notice(pausedText(s.a, by))
	s.close(Exit{Kind: ExitPaused, By: &by})
}
