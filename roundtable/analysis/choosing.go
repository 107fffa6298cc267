package analysis

import (
	"strconv"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

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
	s.a.Menu.Key = s.post(thread.Message{Kind: thread.KindMenu, Text: menuText(s.a.Menu), Buttons: s.a.Menu.buttons()})
}

// choose takes a choice at a menu. The first one counts; whoever comes second is
// told what was chosen.
func (s *step) choose(c Choice, by thread.Person, menu string) {
	busy := s.menuBusy()
	switch {
	case busy != "" && menu == s.a.Menu.ID:
		s.tell(by.ID, busy)
		return
	case s.a.State != StateMenu || menu != s.a.Menu.ID:
		if s.a.Taken != nil && s.a.Taken.Menu == menu {
			s.tell(by.ID, takenText(*s.a.Taken))
			return
		}
		s.tell(by.ID, goneText())
		return
	case !s.a.Menu.Offers(c):
		s.tell(by.ID, nothingToSkipText())
		return
	case s.a.Waiting != nil:
		s.a.Stalled = nil
		s.a.Waiting.Until = s.in.At
		s.tell(by.ID, feedbackFirstText())
		return
	}
	s.a.Stalled = nil
	s.a.Taken = &Taken{Menu: menu, Choice: c, By: by}
	s.act(thread.Audit{Kind: thread.AuditChose, By: by.ID, Detail: thread.AuditDetail(c)})
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
		s.notice(chosenText(*s.a.Taken))
	}
}

// pressed takes in a button, if the person may press it.
func (s *step) pressed(e Pressed) {
	if s.a.State == StateClosed {
		s.tell(e.By.ID, closedText(s.a))
		return
	}
	s.hear()
	right, ours := buttonNeeds[e.Button].Right(s.a.Settings.Close, s.a.Settings.Choose)
	if ours && s.lets(right, e.By, thread.Act{Kind: thread.ActPress, Button: e.Button, Value: e.Value}) {
		s.press(e)
	}
}

// press does what a button does. One that means nothing any more is answered to the
// person who pressed it.
func (s *step) press(e Pressed) {
	if s.a.State == StateClosed {
		s.tell(e.By.ID, closedText(s.a))
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
			s.tell(e.By.ID, goneText())
		case s.a.Step.Answers == 0:
			s.tell(e.By.ID, nothingSaidText())
		default:
			s.finish()
		}
	case ButtonMenu:
		if s.a.State != StateElaborating {
			s.tell(e.By.ID, goneText())
			return
		}
		s.showMenu() // the elaboration goes on in its thread
	case ButtonPause:
		if (s.a.State == StateValidating || s.a.State == StateWriting) && s.a.Stalled == nil {
			s.tell(e.By.ID, busyText()) // nothing that was said is dropped half way
			return
		}
		s.pause(e.By)
	case roundtable.ButtonRetry:
		if s.a.Stalled == nil {
			s.tell(e.By.ID, nothingToRetryText())
			return
		}
		s.resume()
	default: // of a discussion
	}
}

// pause ends the walk here; it can be taken up again where it stands.
func (s *step) pause(by thread.Person) {
	s.notice(pausedText(s.a, by))
	s.close(Exit{Kind: ExitPaused, By: &by})
}
