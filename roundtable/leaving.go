package roundtable

// leave ends the discussion and asks for the synthesis (FR-006). A discussion
// that held no more than the framing is summarised without a panel.
func (s *step) leave(x Exit) {
	s.move(StateSynthesis)
	s.d.Exit = &x
	s.d.Waiting, s.d.Round, s.d.Choice, s.d.Confirming, s.d.Stalled = nil, nil, nil, nil, nil
	s.d.Early = nil
	s.ask(Ask{Kind: AskSynthesise, Attempt: 1, Plain: s.d.Turns <= 1})
}

// confirm asks whether to wrap up, with two buttons; the discussion goes on
// unless somebody agrees.
func (s *step) confirm(why ConfirmKind) {
	s.d.Confirming = &Confirm{Why: why}
	s.line(confirmText(s.d, why), wrapUpButton(), keepOnButton())
}
