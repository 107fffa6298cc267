package roundtable

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// contains is slices.Contains under the name the rules read best with.
func contains(keys []persona.Key, k persona.Key) bool { return slices.Contains(keys, k) }

// startRound begins the round that people wait for, once nothing else is under
// way and the gathering window has passed.
func (s *step) startRound() {
	w := s.d.Waiting
	if w == nil || s.d.State != StateDiscussionLoop || s.d.Ask != nil || s.d.Stalled != nil || s.in.At.Before(w.Until) {
		return
	}
	s.d.Waiting = nil
	calls := s.calls(w)
	if len(calls) == 0 {
		return
	}
	s.round(Round{Kind: RoundAnswer, Calls: calls, Answers: w.Turns, Askers: w.Names, By: w.askers()})
}

// askers are the people behind the turns that wait, one for each turn.
func (w *Waiting) askers() []Asker {
	by := make([]Asker, 0, len(w.Turns))
	for _, n := range w.Turns {
		if i := slices.IndexFunc(w.Spoken, func(m Spoken) bool { return m.Turn == n }); i >= 0 {
			by = append(by, Asker{ID: w.Spoken[i].By.ID, Zone: w.Spoken[i].Zone})
		}
	}
	return by
}

// calls decides who speaks (FR-003). The named answer first, in the order named,
// and the others only with something of their own; a group is answered by
// everybody, the lead first; otherwise the lead answers, and others whose domain
// is touched may add. A quiet floor leaves only those who were asked; a muted one
// opens again when somebody is called.
func (s *step) calls(w *Waiting) []Call {
	asked := w.Intent == intent.Direct || w.Intent == intent.Group
	if s.d.Floor == FloorMuted && asked {
		s.d.Floor = FloorOpen
	}
	if s.d.Floor != FloorOpen && !asked {
		return nil
	}
	order := append([]persona.Seat{s.d.seat(s.d.Lead)}, s.d.others()...)
	var calls []Call
	switch w.Intent {
	case intent.Direct:
		for _, k := range w.Personas {
			calls = append(calls, Call{k, true})
		}
		if s.d.Floor == FloorOpen {
			for _, o := range order {
				if !contains(w.Personas, o.Key) {
					calls = append(calls, Call{o.Key, false})
				}
			}
		}
	case intent.Group:
		for _, o := range order {
			calls = append(calls, Call{o.Key, true})
		}
	default:
		calls = append(calls, Call{s.d.Lead, true})
		for _, o := range s.d.others() {
			if contains(w.Touched, o.Key) {
				calls = append(calls, Call{o.Key, false})
			}
		}
	}
	return calls
}

// round asks the panel for a round, cut to the turns that are left (NFR-006).
func (s *step) round(r Round) {
	if left := s.d.Settings.MaxTurns - s.d.Turns; len(r.Calls) > left {
		r.Calls = r.Calls[:left]
	}
	s.d.LastTurn, s.d.Confirming, s.d.PendingReply = thread.LastTurn{}, nil, nil
	s.d.Round = &r
	s.ask(Ask{Kind: AskDiscuss, Attempt: 1})
}

// letThemContinue starts a round without human input. Whoever spoke last is last
// to speak.
func (s *step) letThemContinue() {
	var calls []Call
	for _, c := range s.d.Cast {
		calls = append(calls, Call{c.Key, false})
	}
	if i := slices.IndexFunc(calls, func(c Call) bool { return c.Persona == s.d.LastVoice }); i >= 0 {
		calls = append(calls[i+1:len(calls):len(calls)], calls[:i+1]...)
	}
	calls[0].Must = true
	s.round(Round{Kind: RoundContinue, Calls: calls})
}

// contributed takes in what a persona says, if it is called and has not spoken. That the
// order is kept, and that who must speak does, is the panels' work.
func (s *step) contributed(e Contributed) {
	r := s.d.Round
	if !s.answers(AskDiscuss, e.Effect) || r == nil {
		return
	}
	c := e.Contribution
	if c.Drift != nil {
		s.redirect(*c.Drift)
		return
	}
	called := slices.ContainsFunc(r.Calls, func(c2 Call) bool { return c2.Persona == c.Persona })
	c.Text = ownWords(c.Text, s.d.seat(c.Persona))
	if !called || contains(r.Said, c.Persona) || c.Text == "" {
		return
	}
	r.Said = append(r.Said, c.Persona)
	s.d.LastVoice = c.Persona
	s.asksBack(c)
	s.turn(c)
}

// redirect has the lead, and nobody else, bring the discussion back (FR-004,
// AC-004-01, AC-004-02): once a round, and not as a turn.
func (s *step) redirect(drift Drift) {
	r := s.d.Round
	if r.Drifted {
		return
	}
	r.Drifted = true
	asker := ""
	if i := slices.Index(r.Answers, drift.Turn); i >= 0 && i < len(r.Askers) {
		asker = r.Askers[i]
	}
	s.line(redirectText(s.d, drift, asker))
}

// roundEnded gives the floor back to the room, with a choice when positions
// conflict (AC-005-02), and asks whether to wrap up after three rounds without
// people (AC-003-04).
func (s *step) roundEnded(e RoundEnded) {
	s.paid(e.Ending.Spent)
	r := s.d.Round
	if !s.answers(AskDiscuss, e.Effect) || r == nil {
		return
	}
	s.d.Ask, s.d.Round = nil, nil
	if r.Kind != RoundAnswer {
		s.d.RoundsWithoutPeople++
	}
	if c, ok := sound(e.Ending.Conflict); ok && !s.d.settled(c) {
		s.putChoice(c)
	}
	if e.Ending.Incomplete {
		s.Notice(incompleteText(), continueButton())
	}
	if r.Kind == RoundOpening && !e.Ending.Incomplete && s.d.Choice == nil && s.d.Waiting == nil {
		s.Notice(floorText(s.d), continueButton(), wrapUpButton())
	}
	s.awaitAnswer(r.PendingReply)
	if s.d.RoundsWithoutPeople >= aloneLimit {
		s.d.RoundsWithoutPeople = 0
		s.confirm(ConfirmAlone)
	}
}

// aloneLimit is how many rounds in a row may pass without people.
const aloneLimit = 3

// turn counts a persona's contribution, writes it down and posts it.
func (s *step) turn(c Contribution) {
	seat := s.d.seat(c.Persona)
	s.d.Turns++
	s.d.Spoke[string(c.Persona)]++
	s.d.LastTurn = thread.LastTurn{}
	k := s.Post(thread.Message{Kind: thread.KindContribution, Speaker: seat.Key, Identity: seat.Identity(), Text: c.Text, Engine: c.Engine})
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
