package analysis

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// asked posts the lead's next message: what they make of the answers, and one
// question. When enough was said, or enough was asked, the step is written down.
func (s *step) asked(e Asked) {
	s.paid(e.Spent)
	if !s.answers(AskInquire, e.Effect) || s.a.State != StateAsking {
		return
	}
	s.a.Ask = nil
	s.handedOver(e.Summary)
	st := s.a.Step
	question := thread.OneLine(e.Question)
	if e.Enough || question == "" || st.Questions >= st.mostQuestions() {
		if e.Reflection != "" {
			s.speak(e.Reflection, e.Engine, e.Faults)
		}
		s.compose(ForStep)
		return
	}
	if e.Prompt > 0 && !slices.Contains(st.Asked, e.Prompt) {
		st.Asked = append(st.Asked, e.Prompt)
	}
	st.Questions++
	text := question
	if e.Reflection != "" {
		text = e.Reflection + "\n\n" + question
	}
	s.speak(text, e.Engine, e.Faults)
}

// speak is a turn of the lead, with so many faults of voice.
func (s *step) speak(text, engine string, faults int) {
	seat := s.seat(s.a.lead())
	s.a.Turns++
	s.a.LastTurn = thread.LastTurn{Start: s.in.At}
	k := s.Post(thread.Message{Kind: thread.KindContribution, Speaker: seat.Key, Identity: seat.Identity(), Text: text, Engine: engine})
	s.a.Spoke = k
	s.record(thread.Entry{Kind: thread.EntryTurn, Turn: s.a.Turns, Persona: seat.Key, Key: k, Text: text, Faults: faults})
}

// mostQuestions bounds how often people are asked in a step: its prompts, and one
// to three further questions by its depth. It is a talk, never an interrogation.
func (t Sitting) mostQuestions() int {
	n := len(t.Mode().Prompts)
	switch t.Depth.Depth {
	case Brief:
		return n + 1
	case Deep:
		return n + 3
	case Standard:
		return n + 2
	}
	return n + 2
}

// Mode is what is asked at the sitting's depth.
func (t Sitting) Mode() Mode { return t.Modes[t.Depth.Depth] }

// NextPrompt is the first prompt that was not asked yet and its number, from 1; 0
// when all were. It is what a panel asks that cannot think of a better question.
func (t Sitting) NextPrompt() (n int, text string) {
	for i, p := range t.Mode().Prompts {
		if !slices.Contains(t.Asked, i+1) {
			return i + 1, p
		}
	}
	return 0, ""
}

// said takes in a person's message.
func (s *step) said(e Said) {
	u := intent.Understand(e.Text, intent.Participants{Cast: s.a.Cast, BotUser: e.BotUser})
	if u.Intent == intent.Empty && len(e.Files) == 0 {
		return
	}
	s.touch()
	if d, ok := s.deedOf(e, u); ok && !s.Lets(d.right, e.By, d.act) {
		s.aside(e)
		return
	}
	if s.saidToMenu(e) {
		return
	}
	switch s.a.State {
	case StateClosed:
		if u.Intent != intent.Human {
			s.Tell(e.By.ID, closedText(s.a))
		}
		return
	case StateAsking, StateMenu, StateElaborating:
		if s.saidOfProcedure(e, u) {
			return
		}
	case StateValidating:
		if u.Intent == intent.Exit && s.a.Stalled != nil {
			s.aside(e)
			s.done(e.By)
			return
		}
		if s.overrideLater(e) {
			return
		}
	case StateWriting:
		if s.overrideLater(e) {
			return
		}
	case StateGreeting:
	}
	s.humanTurn(e)
	if u.Intent != intent.Human {
		if s.a.Waiting == nil {
			s.a.Waiting = &Waiting{From: s.a.Turns, Until: s.in.At.Add(s.a.Settings.Gather)}
		}
		if s.a.State == StateElaborating {
			s.Tell(e.By.ID, elsewhereText())
		}
		s.resume()
	}
}

// saidToMenu takes a letter for a choice where a menu stands, and answers one that
// came too late for the menu it was meant for: before any further question was
// asked it can have meant nothing else.
func (s *step) saidToMenu(e Said) bool {
	c, ok := Choose(e.Text)
	if !ok {
		return false
	}
	if busy := s.menuBusy(); busy != "" {
		s.aside(e)
		s.Tell(e.By.ID, busy)
		return true
	}
	switch s.a.State {
	case StateMenu:
		s.aside(e)
		s.choose(c, e.By, s.a.Menu.ID)
		return true
	case StateGreeting, StateValidating, StateWriting, StateElaborating:
	case StateAsking:
		if s.a.Step.Questions > 0 {
			return false
		}
	case StateClosed:
		return false
	}
	if s.a.Taken == nil {
		return false
	}
	s.aside(e)
	s.Tell(e.By.ID, takenText(*s.a.Taken))
	return true
}

// saidOfProcedure takes a wish for another depth, or to leave, out of the talk.
func (s *step) saidOfProcedure(e Said, u intent.Understanding) bool {
	if d, ok := ReadOverride(e.Text, s.a.Cast); ok && s.a.State != StateElaborating {
		s.aside(e)
		s.deepen(d, e.By)
		return true
	}
	if u.Intent != intent.Exit {
		return false
	}
	s.aside(e)
	s.done(e.By)
	return true
}

// done ends what is under way: a step, the wait for an elaboration, or the analysis.
func (s *step) done(by thread.Person) {
	switch s.a.State {
	case StateElaborating:
		s.showMenu() // the elaboration goes on in its thread
	case StateAsking:
		if s.a.Step.Answers > 0 || s.a.Step.Probed {
			s.finish()
			return
		}
		s.pause(by)
	case StateMenu:
		s.pause(by)
	case StateValidating: // stopped: the panel is given up
		s.ask(Ask{Kind: AskCompose, Attempt: 1, Plain: true})
	case StateGreeting, StateWriting, StateClosed:
	}
}

// edited replaces what the transcript says.
func (s *step) edited(e Edited) {
	by := e.By
	s.record(thread.Entry{Kind: thread.EntryEdit, Person: &by, TS: e.TS, Text: e.Text, Edited: e.EditedTS})
	if thread.Decides(e.Text) && s.Verdict(s.a.Settings.Choose, by) == thread.VerdictGranted {
		s.a.Marked = true
	}
}

// overrideLater takes a wish for another depth while the step is being written: it
// holds for the rest of the phase.
func (s *step) overrideLater(e Said) bool {
	d, ok := ReadOverride(e.Text, s.a.Cast)
	if !ok {
		return false
	}
	s.aside(e)
	s.deepen(d, e.By)
	return true
}

// deepen changes how deep the analysis goes: at once, or for the rest of the phase while a
// step is being written.
func (s *step) deepen(d Depth, by thread.Person) {
	switch s.a.State {
	case StateAsking, StateMenu:
		s.override(d, by)
	case StateValidating, StateWriting:
		s.a.Step.Depth = Chosen{d, FromOverride}
		s.Act(depthAct(d, by))
		s.Do(Record{Key: s.Key(), Phase: s.a.Phase.Key, Depth: d})
		s.line(s.a.lead(), switchedText(d))
	case StateGreeting, StateElaborating, StateClosed:
	}
}

// humanTurn records what a person said. Consecutive messages of one person within
// the gathering window are one turn.
func (s *step) humanTurn(e Said) {
	last := s.a.LastTurn
	since := s.in.At.Sub(last.Start) // less than nothing for one that comes late, after a gap
	if last.Person != e.By.ID || since < 0 || since >= s.a.Settings.Gather {
		s.a.Turns++
		s.a.LastTurn = thread.LastTurn{Person: e.By.ID, Start: s.in.At}
		if s.a.Step != nil {
			s.a.Step.Answers++
		}
	}
	if !slices.ContainsFunc(s.a.People, func(p thread.Person) bool { return p.ID == e.By.ID }) {
		s.a.People = append(s.a.People, e.By)
	}
	by := e.By
	s.record(thread.Entry{Kind: thread.EntryTurn, Turn: s.a.Turns, Person: &by, TS: e.TS, Text: e.Text, Files: e.Files})
}

// aside writes down a message about the procedure: it is no turn. Where there is no room
// it is heard all the same, and nothing is kept of it.
func (s *step) aside(e Said) {
	by := e.By
	s.a.LastTurn = thread.LastTurn{}
	if s.in.Excess != thread.ExcessNone {
		return
	}
	s.record(thread.Entry{Kind: thread.EntryLine, Person: &by, TS: e.TS, Text: e.Text})
}

// answerWaiting goes on with what people said once the gathering window is over
// and nothing else is under way: the next question while asking, feedback at a
// menu.
func (s *step) answerWaiting() {
	w := s.a.Waiting
	if w == nil {
		s.noteMarks()
		return
	}
	if s.in.At.Before(w.Until) || s.a.Ask != nil || s.a.Stalled != nil {
		return
	}
	switch s.a.State {
	case StateAsking:
		s.a.Waiting = nil
		if s.a.Step.Probed {
			s.compose(ForStep)
			return
		}
		s.ask(Ask{Kind: AskInquire})
	case StateMenu:
		s.compose(ForFeedback)
	case StateGreeting, StateValidating, StateWriting, StateElaborating, StateClosed:
	}
}

// finish writes the step down with what was said so far.
func (s *step) finish() {
	s.a.Waiting, s.a.Ask = nil, nil
	s.handedOver("")
	s.a.Step.Probed = true // whoever says that it is enough is not asked again
	s.compose(ForStep)
}

// override changes the depth of this step and of those that follow in the phase
// (AC-006-05, AC-006-06), and takes the step up anew with it.
func (s *step) override(d Depth, by thread.Person) {
	if s.a.Step.Depth.Depth == d && s.a.Step.Depth.Source == FromOverride {
		s.line(s.a.lead(), alreadyText(d))
		return
	}
	st := s.a.Step
	st.Depth = Chosen{d, FromOverride}
	s.Act(depthAct(d, by))
	st.Asked, st.Questions, st.Probed, st.Unmet = nil, 0, false, nil
	s.Do(Record{Key: s.Key(), Phase: s.a.Phase.Key, Depth: d})
	s.handedOver("")
	s.line(s.a.lead(), switchedText(d))
	s.a.Waiting = nil
	if s.a.State == StateMenu {
		s.move(StateAsking)
	}
	s.ask(Ask{Kind: AskInquire})
}
