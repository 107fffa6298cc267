package analysis

import "github.com/roundtable-chat/app/roundtable/thread"

// compose asks for a draft of what goes into the artifacts.
func (s *step) compose(p Purpose) {
	plain := p == ForMarks || s.a.Stalled != nil && s.a.Stalled.Reason == thread.ReasonOverBudget
	if w := s.a.Waiting; w != nil && p == ForFeedback { // it may have begun before the menu stood
		s.a.Menu.Turn = min(s.a.Menu.Turn, w.From-1)
	}
	s.a.Purpose, s.a.Waiting = p, nil
	s.move(StateValidating)
	s.ask(Ask{Kind: AskCompose, Attempt: 1, Plain: plain})
}

// drafted checks the draft. A malformed one is asked for a second time with the
// fault named; then what was said is written down as it was said. Criteria that
// nobody spoke to are asked for once.
func (s *step) drafted(e Drafted) {
	if e.Draft != nil {
		s.paid(e.Draft.Spent)
	}
	if !s.answers(AskCompose, e.Effect) {
		return
	}
	a := *s.a.Ask
	given := thread.LinksIn(e.Transcript, s.a.ItemTitle)
	parts, engine, fault := s.usable(a, e, given)
	if fault != "" && a.Attempt < 2 && !a.Plain {
		s.ask(Ask{Kind: AskCompose, Attempt: a.Attempt + 1, Fault: fault})
		return
	}
	s.a.Ask, s.a.Marked = nil, false
	st := s.a.Step
	lines, marks := s.unnoted(e.Transcript, given)
	parts = withLines(parts, st.StepView, "Marked", lines)
	if e.Draft != nil && e.Draft.Summary != "" && s.a.Purpose != ForSkip {
		st.Summary = given.Tame(thread.OneLine(e.Draft.Summary))
	}
	switch s.a.Purpose {
	case ForStep:
		unmet := s.unmet(e)
		if len(unmet) > 0 && !st.Probed {
			st.Probed, st.Unmet = true, unmet
			s.move(StateAsking)
			s.speak(probeText(criteriaTexts(st.Criteria, unmet)), "", 0)
			return
		}
		st.Unmet = unmet
		s.write(withLines(parts, st.StepView, "Still open", criteriaTexts(st.Criteria, unmet)), marks, engine)
	case ForFeedback:
		point := ""
		if e.Draft != nil {
			point = given.Tame(e.Draft.Point)
		}
		s.line(s.a.lead(), acknowledgedText(st.Acknowledgement, point))
		if len(parts) == 0 {
			s.showMenu()
			return
		}
		s.write(parts, marks, engine)
	case ForMarks:
		if len(parts) == 0 {
			s.backToMenu()
			return
		}
		s.write(parts, marks, engine)
	case ForSkip:
		s.write(parts, marks, engine)
	case ForPhase: // drafts nothing
	}
}

// usable are the parts of the draft that can be written, who wrote them where it was
// not the primary model, and what was wrong with it. Feedback and skipped steps may
// well leave nothing.
func (s *step) usable(a Ask, e Drafted, given thread.Links) (parts []Part, engine, fault string) {
	if s.a.Purpose == ForMarks || e.Draft != nil && len(e.Draft.Parts) == 0 && s.a.Purpose != ForStep {
		return nil, "", ""
	}
	if e.Draft == nil {
		fault = "the result could not be read"
	} else if parts, fault = checkParts(e.Draft.Parts, s.a.targets(), given); len(parts) > 0 {
		return parts, e.Draft.Engine, fault
	}
	if s.a.Purpose != ForSkip && (a.Plain || a.Attempt > 1) {
		parts = plainParts(s.a.Step.Targets, sayings(e.Transcript, s.a.from(), s.a.Cast, given), s.a.Step.Title)
	}
	return parts, "", fault
}

// unmet are the criteria without an answer, by the panel's judgement or else by
// words.
func (s *step) unmet(e Drafted) []int {
	st := s.a.Step
	if e.Draft == nil || !e.Draft.Judged {
		return Validate(st.Criteria, answersOf(e.Transcript, st.From))
	}
	var open []int
	for _, i := range e.Draft.Unmet {
		if i >= 0 && i < len(st.Criteria) {
			open = append(open, i)
		}
	}
	return open
}

func criteriaTexts(criteria []Criterion, which []int) []string {
	var texts []string
	for _, i := range which {
		texts = append(texts, criteria[i].Text)
	}
	return texts
}

// write has the parts written. Only their receipt leads to anything being recorded
// (AC-NFR-003-02).
func (s *step) write(parts []Part, marks []string, engine string) {
	s.move(StateWriting)
	if len(parts) == 0 {
		s.recordDone()
		return
	}
	s.a.Writing = &Writing{Key: s.Key(), Time: s.in.At.UTC(), Parts: parts, Marks: marks, Engine: engine}
	s.Do(s.change())
}

// change is what the writing under way asks for: the same effect however often it
// is tried, so that nothing is added a second time (I8).
func (s *step) change() Effect {
	w := s.a.Writing
	if !w.Recording {
		return Write{Key: w.Key, Step: s.a.Step.ID, Title: s.a.Step.Title, Time: w.Time, Parts: w.Parts}
	}
	r := Record{Key: w.Key}
	switch s.a.Purpose {
	case ForStep:
		r.Step = s.a.Step.ID
	case ForSkip, ForPhase:
		r.Phases = []string{s.a.Phase.Key}
	case ForFeedback, ForMarks: // change what is recorded already
	}
	return r
}

// written announces what changed; then it may be recorded.
func (s *step) written(e Written) {
	w := s.a.Writing
	if w == nil || w.Recording || e.Effect != w.Key {
		return
	}
	s.a.Stalled = nil
	s.a.Noted = append(s.a.Noted, w.Marks...)
	for _, c := range e.Changes {
		s.Line(thread.Message{Kind: thread.KindNotice, Text: thread.SayChange(c), Engine: w.Engine})
	}
	switch s.a.Purpose {
	case ForFeedback:
		s.a.Writing = nil
		s.showMenu()
	case ForMarks:
		s.backToMenu()
	case ForStep, ForSkip, ForPhase:
		s.recordDone()
	}
}

// backToMenu goes back to the menu that stands.
func (s *step) backToMenu() {
	s.a.Writing, s.a.Purpose = nil, ""
	s.move(StateMenu)
}

// recordDone records what is done: the step, or the phase.
func (s *step) recordDone() {
	s.a.Writing = &Writing{Key: s.Key(), Recording: true}
	s.Do(s.change())
}

// recorded goes on: to the menu after a step, to what is next after a phase.
func (s *step) recorded(e Recorded) {
	w := s.a.Writing
	if w == nil || !w.Recording || e.Effect != w.Key {
		return
	}
	s.a.Stalled, s.a.Writing = nil, nil
	if s.a.Purpose == ForStep {
		s.a.Step.Recorded = true
		s.ask(Ask{Kind: AskInspect}) // which menu it is depends on what is left
		return
	}
	s.lookOn()
}
