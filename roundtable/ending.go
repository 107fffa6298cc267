package roundtable

import "github.com/roundtable-chat/app/roundtable/thread"

// leave ends the discussion and asks for the synthesis (FR-006). A discussion
// that held no more than the framing, or has nothing left to pay a panel with, is
// summarised without one, and one that held nothing leaves nothing.
func (s *step) leave(x Exit) {
	plain := s.d.Turns <= 1 || s.d.broke()
	s.d.Exit = &x
	s.act(x.act())
	s.d.Unframed = nil // said before there could be a turn; the log has it (I1)
	s.d.Ask, s.d.Waiting, s.d.Round, s.d.Choice, s.d.Confirming, s.d.Stalled = nil, nil, nil, nil, nil, nil
	if s.before(StateDiscussionLoop) { // nobody has said anything yet
		s.close()
		return
	}
	s.move(StateSynthesis)
	s.ask(Ask{Kind: AskSynthesise, Attempt: 1, Plain: plain})
}

// close ends it for good and shows the menu where the person was (AC-006-03).
func (s *step) close() {
	s.move(StateClosed)
	s.d.Closed = s.in.At
	s.reportEnded()
	s.post(thread.Message{Kind: thread.KindMenu, Text: menuText(s.d), Buttons: menuButtons(s.d)})
}

// confirm asks whether to wrap up, with two buttons; the discussion goes on
// unless somebody agrees.
func (s *step) confirm(why ConfirmKind) {
	s.d.Confirming = &Confirm{Why: why}
	s.line(confirmText(s.d, why), wrapUpButton(), keepOnButton())
}
