package roundtable

import "github.com/roundtable-chat/app/roundtable/thread"

// turn counts a persona's contribution, writes it down and posts it.
func (s *step) turn(c Contribution) {
	seat := s.d.seat(c.Persona)
	s.d.Turns++
	s.d.Spoke[string(c.Persona)]++
	s.d.LastTurn = thread.LastTurn{}
	k := s.post(thread.Message{Kind: thread.KindContribution, Speaker: seat.Key, Identity: seat.Identity(), Text: c.Text, Engine: c.Engine})
	s.record(thread.Entry{Kind: thread.EntryTurn, Turn: s.d.Turns, Persona: c.Persona, Key: k, Text: c.Text, Stance: c.Stance, ReplyTo: c.ReplyTo, Faults: c.Faults})
	s.limits()
}

// humanTurn writes down a person's message, as a turn of its own or as a part of
// the one it continues, and returns the turn's number.
func (s *step) humanTurn(e Said) int {
	last := s.d.LastTurn
	since := s.in.At.Sub(last.Start) // less than nothing for one that comes late, after a gap
	continues := last.Person == e.By.ID && since >= 0 && since < s.d.Settings.Gather
	if !continues {
		s.d.Turns++
		s.d.Spoke[e.By.ID]++
		s.d.LastTurn = thread.LastTurn{Person: e.By.ID, Start: s.in.At}
	}
	s.meet(e.By)
	by := e.By
	s.record(thread.Entry{Kind: thread.EntryTurn, Turn: s.d.Turns, Person: &by, TS: e.TS, Text: e.Text, Files: e.Files, Told: e.told()})
	return s.d.Turns
}

// meet counts a person among the participants. Who was met before Slack said who they
// are has an id for a name, until it does.
func (s *step) meet(p thread.Person) {
	for i := range s.d.People {
		known := &s.d.People[i]
		if known.ID == p.ID {
			if known.Nameless() && !p.Nameless() {
				known.Name = p.Name
			}
			return
		}
	}
	s.d.People = append(s.d.People, p)
}

// limits gives the warning two turns before the limit (AC-007-02) and ends the
// discussion at the limit (AC-007-01, AC-006-02). Nothing is ever counted beyond
// it (NFR-006).
func (s *step) limits() {
	max := s.d.Settings.MaxTurns
	switch {
	case s.d.Turns >= max:
		s.line(limitText())
		s.leave(Exit{Kind: ExitLimit})
	case s.d.Turns >= max-2 && s.d.Warned != max:
		s.d.Warned = max
		if s.d.Settings.MayExtend {
			s.line(warningText(), extendButton(s.d))
		} else {
			s.line(warningText())
		}
	}
}
