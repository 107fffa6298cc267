package roundtable

import (
	"slices"
	"time"
)

// said takes in a person's message (FR-003, FR-006).
func (s *step) said(e Said) {
	u := s.understand(e)
	if u.Intent == IntentEmpty {
		return
	}
	s.hear()
	s.heardFrom(e.By)
	switch s.d.State {
	case StateEntry, StateTopicFraming:
		s.saidEarly(e, u)
	case StateDiscussionLoop:
		s.saidInLoop(e, u)
	case StateSynthesis, StatePersist:
		s.saidLate(e, u)
	case StateClosed:
		s.saidAfter(e, u)
	}
}

// hear notes that a person did something. What is taken in late does not make the
// silence longer (I9), but what is learnt after the lead asked is an answer: the next
// question comes a whole period after that one.
func (s *step) hear() {
	for _, at := range []time.Time{s.in.At, s.d.AskedSilence} {
		if at.After(s.d.Heard) {
			s.d.Heard = at
		}
	}
	s.d.AskedSilence = zeroTime
}

// heardFrom ends the wait for a person.
func (s *step) heardFrom(p Person) {
	if a := s.d.Awaited; a != nil && a.Person.ID == p.ID {
		s.d.Awaited = nil
	}
}

// understand reads a message; files alone want an answer, too.
func (s *step) understand(e Said) Understanding {
	u := s.read(e).understand(s.d.Cast)
	if u.Intent == IntentEmpty && len(e.Files) > 0 {
		u = Understanding{Intent: IntentDefault, Rule: "file"}
	}
	return u
}

// read takes a message apart, once however many rules look at it.
func (s *step) read(e Said) reading {
	if s.taken == nil || s.taken.text != e.Text || s.taken.bot != e.BotUser {
		s.taken = &takenApart{text: e.Text, bot: e.BotUser, reading: read(e.Text, Table{Cast: s.d.Cast, BotUser: e.BotUser})}
	}
	return s.taken.reading
}

// takenApart is a message, and what was read in it.
type takenApart struct {
	text, bot string
	reading   reading
}

// saidEarly keeps what is written before the framing stands: the framing is turn
// 1. Leaving needs no framing.
func (s *step) saidEarly(e Said, u Understanding) {
	if u.Intent == IntentExit {
		s.leaving(e)
		return
	}
	if len(s.d.Early) == earlyLimit {
		by := e.By
		s.record(Entry{Kind: EntryLate, Person: &by, TS: e.TS, Text: e.Text, Files: e.Files})
	} else {
		s.d.Early = append(s.d.Early, Early{Said: e, At: s.in.At})
	}
	s.resume()
}

// earlyLimit bounds what the state keeps for after the framing; what comes beyond
// it goes straight to the transcript.
const earlyLimit = 50

func (s *step) saidInLoop(e Said, u Understanding) {
	if s.saidToConfirm(e) {
		return
	}
	if floor, ok := floorWord(e.Text, e.BotUser); ok {
		if !s.barred(RightEverybody, e.By) {
			s.setFloor(floor, e.By)
		}
		return
	}
	switch u.Intent {
	case IntentExit:
		s.leaving(e)
	case IntentConfirm:
		s.aside(e)
		s.confirm(ConfirmAsked)
	case IntentEmpty:
	case IntentHuman:
		s.d.Alone, s.d.Confirming = 0, nil
		s.humanTurn(e)
		s.limits()
	case IntentDirect, IntentGroup, IntentDefault:
		s.d.Alone, s.d.Confirming = 0, nil
		n := s.humanTurn(e)
		s.await(n, e, u)
		s.acknowledgeMark(e)
		s.limits()
		s.resume()
	}
}

// aside writes down a message about the procedure: it is no turn. What it marks
// counts all the same (NFR-003), and it parts what was said before it from what
// comes after.
func (s *step) aside(e Said) {
	by := e.By
	kind := EntryLine
	if _, _, ok := selfMark(e.Text); ok {
		kind = EntryLate
		s.acknowledgeMark(e)
	}
	s.d.LastTurn = LastTurn{}
	s.record(Entry{Kind: kind, Person: &by, TS: e.TS, Text: e.Text})
}

// leaving acknowledges an exit and turns to the synthesis (AC-006-01), unless its author
// may not end the discussion.
func (s *step) leaving(e Said) {
	s.aside(e)
	if s.barred(s.d.Settings.Close, e.By) {
		return
	}
	s.line(exitText(s.d))
	by := e.By
	s.leave(Exit{Kind: ExitUser, By: &by})
}

// saidLate keeps what comes when no turn is left. Until the synthesis stands it
// may still be marked and used; afterwards its author is told.
func (s *step) saidLate(e Said, u Understanding) {
	if s.d.State == StateSynthesis && s.d.Stalled != nil && u.Intent == IntentExit {
		if !s.barred(s.d.Settings.Close, e.By) {
			s.plainSynthesis()
		}
		return
	}
	by := e.By
	s.record(Entry{Kind: EntryLate, Person: &by, TS: e.TS, Text: e.Text, Files: e.Files})
	if s.d.Outcome != nil {
		s.tell(e.By.ID, lateText())
	}
	s.resume()
}

// saidAfter answers at the menu: the letter E opens a further elaboration
// (AC-006-04), C turns it into an analysis; what people say to each other is theirs;
// anything else gets a sentence.
func (s *step) saidAfter(e Said, u Understanding) {
	letter := menuLetter(e.Text)
	if letter != "" && s.barred(RightEverybody, e.By) {
		return
	}
	switch {
	case letter == "e":
		s.again(e.By)
	case letter == "c":
		s.convert(e.By)
	case u.Intent != IntentHuman:
		s.tell(e.By.ID, closedText(s.d))
	}
}

// saidToConfirm takes a plain yes or no as the answer to the open question
// whether to wrap up.
func (s *step) saidToConfirm(e Said) bool {
	if s.d.Confirming == nil {
		return false
	}
	switch yesOrNo(e.Text) {
	case answerYes:
		s.leaving(e)
		return true
	case answerNo:
		s.aside(e)
		s.keepOn(e.By)
		return true
	default:
		return false
	}
}

// await notes that a turn wants an answer, merging it with what already waits.
func (s *step) await(n int, e Said, u Understanding) {
	w := s.d.Waiting
	if w == nil {
		w = &Waiting{Intent: u.Intent, Until: s.in.At.Add(s.d.Settings.Gather)}
	}
	if len(w.Turns) == 0 || w.Turns[len(w.Turns)-1] != n {
		w.Turns = append(w.Turns, n)
		w.Names = append(w.Names, e.By.Name)
	}
	w.Intent = stronger(w.Intent, u.Intent)
	w.Personas = union(w.Personas, u.Personas)
	w.Touched = union(w.Touched, s.read(e).domains(s.d.Cast))
	w.Said, w.Of = append(w.Said, e), append(w.Of, n)
	s.d.Waiting = w
}

// rewait weighs anew what waits, after a message in it was changed or, with no
// text, struck: nobody answers what does not stand any more.
func (s *step) rewait(ts, text string) {
	old := s.d.Waiting
	if old == nil || !slices.ContainsFunc(old.Said, func(e Said) bool { return e.TS == ts }) {
		return
	}
	s.d.Waiting = nil
	for i, e := range old.Said {
		if e.TS == ts {
			e.Text = text
			if text == "" {
				e.Files = nil
			}
		}
		switch u := s.understand(e); u.Intent {
		case IntentDirect, IntentGroup, IntentDefault:
			s.await(old.Of[i], e, u)
		case IntentExit, IntentConfirm, IntentHuman, IntentEmpty:
		}
	}
	if s.d.Waiting != nil {
		s.d.Waiting.Until = old.Until
	}
}

// stronger decides who answers several messages at once: a group address asks
// everybody, a name asks its bearer, anything else the lead.
func stronger(a, b Intent) Intent {
	for _, i := range []Intent{IntentGroup, IntentDirect} {
		if a == i || b == i {
			return i
		}
	}
	return IntentDefault
}

func union(a, b []PersonaKey) []PersonaKey {
	for _, k := range b {
		if !contains(a, k) {
			a = append(a, k)
		}
	}
	return a
}

// edited replaces what the transcript says; it never starts a round.
func (s *step) edited(e Edited) {
	for i := range s.d.Early {
		if s.d.Early[i].Said.TS == e.TS {
			s.d.Early[i].Said.Text = e.Text
			return
		}
	}
	by := e.By
	s.record(Entry{Kind: EntryEdit, Person: &by, TS: e.TS, Text: e.Text, Edited: e.EditedTS})
	s.rewait(e.TS, e.Text)
}

// deleted strikes a message from the transcript and from all later use.
func (s *step) deleted(e Deleted) {
	for i := range s.d.Early {
		if s.d.Early[i].Said.TS == e.TS {
			s.d.Early = append(s.d.Early[:i], s.d.Early[i+1:]...)
			return
		}
	}
	s.record(Entry{Kind: EntryStrike, TS: e.TS})
	s.rewait(e.TS, "")
}
