package roundtable

// leave ends the discussion and asks for the synthesis (FR-006). A discussion
// that held no more than the framing, or has nothing left to pay a panel with, is
// summarised without one, and one that held nothing leaves nothing.
func (s *step) leave(x Exit) {
	plain := s.d.Turns <= 1 || s.d.broke()
	s.move(StateSynthesis)
	s.d.Exit = &x
	for _, e := range s.d.Early { // said before there could be a turn; not lost (I1)
		by := e.Said.By
		s.record(Entry{Kind: EntryLate, Person: &by, TS: e.Said.TS, Text: e.Said.Text, Files: e.Said.Files})
	}
	s.d.Ask, s.d.Waiting, s.d.Round, s.d.Choice, s.d.Confirming, s.d.Stalled, s.d.Early = nil, nil, nil, nil, nil, nil, nil
	if s.d.Turns == 0 {
		s.close()
		return
	}
	s.ask(Ask{Kind: AskSynthesise, Attempt: 1, Plain: plain})
}

// close ends it for good and shows the menu where the person was (AC-006-03).
func (s *step) close() {
	s.move(StateClosed)
	s.d.Closed = s.in.At
	s.reportEnded()
	s.post(Message{Kind: KindMenu, Text: menuText(s.d), Buttons: menuButtons(s.d)})
}

// confirm asks whether to wrap up, with two buttons; the discussion goes on
// unless somebody agrees.
func (s *step) confirm(why ConfirmKind) {
	s.d.Confirming = &Confirm{Why: why}
	s.line(confirmText(s.d, why), wrapUpButton(), keepOnButton())
}
