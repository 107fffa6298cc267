package roundtable

import (
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// said takes in a person's message (FR-003, FR-006).
func (s *step) said(e Said) {
	m := s.spoken(e)
	if m.Intent == intent.Empty {
		return
	}
	s.touch()
	s.heardFrom(e.By)
	switch s.d.State {
	case StateEntry, StateTopicFraming:
		s.saidEarly(e, m)
	case StateDiscussionLoop:
		s.saidInLoop(e, m)
	case StateSynthesis, StatePersist:
		s.saidLate(e, m)
	case StateClosed:
		s.saidAfter(e, m)
	}
}

// takeUp takes in what was said before the framing stood. Its words are in the log.
func (s *step) takeUp(m Spoken) {
	if m.Intent == intent.Empty {
		return
	}
	s.touch()
	s.heardFrom(m.By)
	e := Said{TS: m.TS, By: m.By, BotUser: m.BotUser, Zone: m.Zone}
	if s.d.State == StateDiscussionLoop {
		s.saidInLoop(e, m)
	}
}

// touch notes that a person did something. What is taken in late does not make the
// silence longer (I9), but what is learnt after the lead asked is an answer: the next
// question comes a whole period after that one.
func (s *step) touch() {
	for _, at := range []time.Time{s.in.At, s.d.AskedSilence} {
		if at.After(s.d.LastActivity) {
			s.d.LastActivity = at
		}
	}
	s.d.AskedSilence = zeroTime
}

// heardFrom ends the wait for a person.
func (s *step) heardFrom(p thread.Person) {
	if a := s.d.PendingReply; a != nil && a.Person.ID == p.ID {
		s.d.PendingReply = nil
	}
}

// spoken reads what a message means; files alone want an answer, too.
func (s *step) spoken(e Said) Spoken {
	r := s.read(e)
	u := r.Understand(s.d.Cast)
	if u.Intent == intent.Empty && len(e.Files) > 0 {
		u = intent.Understanding{Intent: intent.Default, Rule: "file"}
	}
	m := Spoken{TS: e.TS, By: e.By, At: s.in.At, BotUser: e.BotUser, Zone: e.Zone, Filed: len(e.Files) > 0}
	m.Meaning = Meaning{Intent: u.Intent, Personas: u.Personas, Answer: intent.YesOrNo(e.Text)}
	if floor, ok := floorWord(e.Text, e.BotUser); ok {
		m.Floor = &floor
	}
	m.Mark, _, _ = thread.SelfMark(e.Text)
	switch u.Intent {
	case intent.Direct, intent.Group, intent.Default:
		if s.before(StateSynthesis) {
			m.Touched = r.Domains(s.d.Cast)
		}
	case intent.Exit, intent.Confirm, intent.Human, intent.Empty:
	}
	return m
}

// reread reads a message anew with the words that an edit gave it, or with none.
func (s *step) reread(m Spoken, text, edited string) Spoken {
	e := Said{TS: m.TS, By: m.By, BotUser: m.BotUser, Zone: m.Zone, Text: text}
	if m.Filed && text != "" {
		e.Files = []string{""} // their names decide nothing
	}
	again := s.spoken(e)
	again.At, again.Turn, again.Edited = m.At, m.Turn, edited
	return again
}

// read takes a message apart, once however many rules look at it.
func (s *step) read(e Said) intent.Reading {
	if s.taken == nil || s.taken.text != e.Text || s.taken.bot != e.BotUser {
		s.taken = &takenApart{text: e.Text, bot: e.BotUser, reading: intent.Read(e.Text, intent.Participants{Cast: s.d.Cast, BotUser: e.BotUser})}
	}
	return s.taken.reading
}

// takenApart is a message, and what was read in it.
type takenApart struct {
	text, bot string
	reading   intent.Reading
}

// saidEarly keeps what is written before the framing stands: the framing is turn
// 1. Leaving needs no framing. The log has the words at once, the state only what they
// mean. What is beyond its author's share, or everybody's, is not taken up after the
// framing; it counts for the synthesis like what comes late, and its author is told.
func (s *step) saidEarly(e Said, m Spoken) {
	if m.Intent == intent.Exit {
		s.leaving(e, m)
		return
	}
	own := 0
	for _, other := range s.d.Unframed {
		if other.By.ID == e.By.ID {
			own++
		}
	}
	if m.Floor == nil { // a word about the procedure leaves no entry
		by := e.By
		s.record(thread.Entry{Kind: thread.EntryLate, Person: &by, TS: e.TS, Text: e.Text, Files: e.Files})
	}
	switch {
	case own >= ownEarlyLimit || len(s.d.Unframed) >= earlyLimit:
	default:
		s.d.Unframed = append(s.d.Unframed, m)
		if own+1 == ownEarlyLimit || len(s.d.Unframed) == earlyLimit {
			s.Tell(e.By.ID, muchEarlyText(s.d))
		}
	}
	s.resume()
}

// How many messages are kept for after the framing, and how many of one person, so that
// nobody takes the others' places.
const (
	earlyLimit    = 50
	ownEarlyLimit = 20
)

func (s *step) saidInLoop(e Said, m Spoken) {
	if s.saidToConfirm(e, m) {
		return
	}
	if m.Floor != nil {
		if s.Lets(thread.RightEverybody, e.By, thread.Act{Kind: thread.ActPress, Button: floorButton(*m.Floor), TS: e.TS}) {
			s.setFloor(*m.Floor, e.By)
		}
		return
	}
	switch m.Intent {
	case intent.Exit:
		s.leaving(e, m)
	case intent.Confirm:
		s.aside(e, m)
		s.confirm(ConfirmAsked)
	case intent.Empty:
	case intent.Human:
		s.d.RoundsWithoutPeople, s.d.Confirming = 0, nil
		s.humanTurn(e)
		s.limits()
	case intent.Direct, intent.Group, intent.Default:
		s.d.RoundsWithoutPeople, s.d.Confirming = 0, nil
		m.Turn = s.humanTurn(e)
		s.await(m)
		s.acknowledgeMark(m)
		s.limits()
		s.resume()
	}
}

// aside writes down a message about the procedure: it is no turn. What it marks
// counts all the same (NFR-003), and it parts what was said before it from what
// comes after.
func (s *step) aside(e Said, m Spoken) {
	by := e.By
	kind := thread.EntryLine
	if m.Mark != "" {
		kind = thread.EntryLate
		s.acknowledgeMark(m)
	}
	s.d.LastTurn = thread.LastTurn{}
	if told := e.told(); !told || kind == thread.EntryLine {
		s.record(thread.Entry{Kind: kind, Person: &by, TS: e.TS, Text: e.Text, Told: told})
	}
}

// told reports whether a message was taken up whose words the log has already.
func (e Said) told() bool { return e.Text == "" && len(e.Files) == 0 }

// leaving acknowledges an exit and turns to the synthesis (AC-006-01), unless its author
// may not end the discussion.
func (s *step) leaving(e Said, m Spoken) {
	s.aside(e, m)
	if s.Lets(s.d.Settings.Close, e.By, thread.Act{Kind: thread.ActDone, TS: e.TS}) {
		s.leaveBy(e.By)
	}
}

// leaveBy ends the discussion because a person wants it.
func (s *step) leaveBy(by thread.Person) {
	s.line(exitText(s.d))
	s.leave(Exit{Kind: ExitUser, By: &by})
}

// saidLate keeps what comes when no turn is left. Until the synthesis stands it
// may still be marked and used; afterwards its author is told.
func (s *step) saidLate(e Said, m Spoken) {
	if s.d.State == StateSynthesis && s.d.Stalled != nil && m.Intent == intent.Exit {
		if s.Lets(s.d.Settings.Close, e.By, thread.Act{Kind: thread.ActDone, TS: e.TS}) {
			s.plainSynthesis()
		}
		return
	}
	by := e.By
	s.record(thread.Entry{Kind: thread.EntryLate, Person: &by, TS: e.TS, Text: e.Text, Files: e.Files})
	if s.d.Outcome != nil {
		s.Tell(e.By.ID, lateText())
	}
	s.resume()
}

// saidAfter answers at the menu: the letter E opens a further elaboration
// (AC-006-04), C turns it into an analysis; what people say to each other is theirs;
// anything else gets a sentence.
func (s *step) saidAfter(e Said, m Spoken) {
	button, chosen := menuButton(e.Text)
	switch {
	case chosen && !s.Lets(thread.RightEverybody, e.By, thread.Act{Kind: thread.ActPress, Button: button, TS: e.TS}):
	case chosen:
		s.press(Pressed{By: e.By, Button: button})
	case m.Intent != intent.Human:
		s.Tell(e.By.ID, closedText(s.d))
	}
}

// saidToConfirm takes a plain yes or no as the answer to the open question
// whether to wrap up. The no of a person who may not press the button is a word like any.
func (s *step) saidToConfirm(e Said, m Spoken) bool {
	if s.d.Confirming == nil {
		return false
	}
	switch m.Answer {
	case intent.Yes:
		s.leaving(e, m)
		return true
	case intent.No:
		if s.Verdict(thread.RightEverybody, e.By) != thread.VerdictGranted {
			return false
		}
		s.aside(e, m)
		s.keepOn(e.By)
		return true
	default:
		return false
	}
}

// await notes that a turn wants an answer, merging it with what already waits.
func (s *step) await(m Spoken) {
	w := s.d.Waiting
	if w == nil {
		w = &Waiting{Intent: m.Intent, Until: s.in.At.Add(s.d.Settings.Gather)}
	}
	first := len(w.Turns) == 0 || w.Turns[len(w.Turns)-1] != m.Turn
	if first {
		w.Turns = append(w.Turns, m.Turn)
		w.Names = append(w.Names, m.By.Name)
	}
	w.Intent = stronger(w.Intent, m.Intent)
	w.Personas = union(w.Personas, m.Personas)
	w.Touched = union(w.Touched, m.Touched)
	if first || len(w.Spoken) < spokenLimit {
		w.Spoken = append(w.Spoken, m)
	}
	s.d.Waiting = w
}

// spokenLimit bounds how many messages of one turn are remembered while they wait.
// An edit of one beyond it counts in the transcript like any other; it no longer changes
// who answers.
const spokenLimit = 50

// rewait weighs anew what waits, after a message in it was changed or, with no
// text, struck: nobody answers what does not stand any more.
func (s *step) rewait(ts, text, edited string) {
	old := s.d.Waiting
	if old == nil {
		return
	}
	i := slices.IndexFunc(old.Spoken, func(m Spoken) bool { return m.TS == ts })
	if i < 0 || text != "" && edited < old.Spoken[i].Edited {
		return // not among them, or older than how it stands
	}
	old.Spoken[i] = s.reread(old.Spoken[i], text, edited)
	s.d.Waiting = nil
	for _, m := range old.Spoken {
		switch m.Intent {
		case intent.Direct, intent.Group, intent.Default:
			s.await(m)
		case intent.Exit, intent.Confirm, intent.Human, intent.Empty:
		}
	}
	if s.d.Waiting != nil {
		s.d.Waiting.Until = old.Until
	}
}

// stronger decides who answers several messages at once, as if they were one: a group address asks
// everybody, a name asks its bearer, anything else the lead.
func stronger(a, b intent.Kind) intent.Kind {
	for _, i := range []intent.Kind{intent.Group, intent.Direct} {
		if a == i || b == i {
			return i
		}
	}
	return intent.Default
}

func union(a, b []persona.Key) []persona.Key {
	for _, k := range b {
		if !contains(a, k) {
			a = append(a, k)
		}
	}
	return a
}

// edited replaces what the transcript says; it never starts a round.
func (s *step) edited(e Edited) {
	by := e.By
	s.record(thread.Entry{Kind: thread.EntryEdit, Person: &by, TS: e.TS, Text: e.Text, Edited: e.EditedTS})
	for i, m := range s.d.Unframed {
		if m.TS == e.TS && e.EditedTS >= m.Edited {
			s.d.Unframed[i] = s.reread(m, e.Text, e.EditedTS)
		}
	}
	s.rewait(e.TS, e.Text, e.EditedTS)
}

// stillMeans reports whether an edited message means what was kept of it.
func (s *step) stillMeans(a thread.Act, e Edited) bool {
	switch a.Kind {
	case thread.ActDone:
		said := Said{TS: e.TS, By: e.By, Text: e.Text}
		return intent.YesOrNo(e.Text) == intent.Yes || s.spoken(said).Intent == intent.Exit
	case thread.ActDecide:
		return thread.Decides(e.Text)
	case thread.ActPress:
		button, ok := menuButton(e.Text)
		if floor, is := floorWord(e.Text, ""); is {
			button, ok = floorButton(floor), true
		}
		return ok && button == a.Button
	case thread.ActMark: // somebody's who read it
		return true
	case thread.ActDepth, thread.ActForget, thread.ActKeep: // of an analysis, and of a forgetting
	}
	return false
}

// deleted strikes a message from the transcript and from all later use.
func (s *step) deleted(e Deleted) {
	s.record(thread.Entry{Kind: thread.EntryStrike, TS: e.TS})
	s.d.Unframed = slices.DeleteFunc(s.d.Unframed, func(m Spoken) bool { return m.TS == e.TS })
	s.rewait(e.TS, "", "")
}

// takeOver makes what an older version stored, with people's words in it, what this one
// stores: the words go into the log, unless they stand there, and what they mean stays.
func (s *step) takeOver() {
	in := s.in
	s.in.Overtaken = false // that is said of another message
	for _, m := range s.d.Early {
		s.asOf(m.At)
		by := m.Said.By
		s.record(thread.Entry{Kind: thread.EntryLate, Person: &by, TS: m.Said.TS, Text: m.Said.Text, Files: m.Said.Files})
		s.d.Unframed = append(s.d.Unframed, s.spoken(m.Said))
	}
	s.in, s.d.Early = in, nil
	s.asOf(in.At)
	w := s.d.Waiting
	if w == nil {
		return
	}
	for i, e := range w.Said {
		m := s.spoken(e)
		if i < len(w.Of) {
			m.Turn = w.Of[i]
		}
		w.Spoken = append(w.Spoken, m)
	}
	w.Said, w.Of = nil, nil
}
