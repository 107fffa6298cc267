package analysis

import (
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/intent"
)

// keep keeps what somebody unknown did, and tells them, once.
func (s *step) keep(p roundtable.Person, a roundtable.Act) {
	switch s.a.Unknown.Keep(p, a, s.in.At) {
	case roundtable.KeptFirst:
		s.tell(p.ID, roundtable.SayActKept())
	case roundtable.KeptNot:
		s.tell(p.ID, roundtable.SayPersonUnknown())
	case roundtable.KeptMore:
	}
}

// identify asks who somebody is, once it is time to ask.
func (s *step) identify() {
	if at := s.a.Unknown.Wake(); at.IsZero() || s.in.At.Before(at) || s.a.Over {
		return
	}
	key := s.key()
	s.do(Identify{Key: key, User: s.a.Unknown.Ask(key)})
}

// identified takes in what Slack says of somebody, and asks about the next.
func (s *step) identified(e Identified) {
	if e.Person.Is() == roundtable.StandingUnknown {
		s.a.Unknown.Unanswered(e.Effect, s.in.At, e.Until)
	} else {
		s.settle(e.Person)
	}
	s.identify()
}

// actor is the person who did what an event says; ok is false for what nobody did in the
// thread.
func actor(e Event) (by roundtable.Person, ok bool) {
	switch e := e.(type) {
	case Said:
		return e.By, true
	case Edited:
		return e.By, true
	case Reacted:
		return e.By, true
	case Pressed:
		return e.By, true
	case Opened, Surveyed, Asked, Drafted, Written, Recorded, ElaborationOpened, ElaborationEnded, Deleted, Woken, Posted, Failed, Parked, Identified:
	}
	return roundtable.Person{}, false
}

// settle does what a person did while Slack did not say who they were, or refuses it, as
// in a discussion.
func (s *step) settle(p roundtable.Person) {
	if p.Is() == roundtable.StandingUnknown {
		return
	}
	u, ok := s.a.Unknown.Take(p.ID, s.in.At)
	if !ok {
		return
	}
	for i := range s.a.People {
		if x := &s.a.People[i]; x.ID == p.ID {
			*x = p
		}
	}
	if p.Is() != roundtable.StandingMember {
		if u.Told {
			s.tell(p.ID, roundtable.SayBarred(p, s.a.Opener))
		}
		return
	}
	switch {
	case u.Decides && s.a.State == StateClosed:
		if u.Told {
			s.tell(p.ID, lateDecisionText())
		}
	case u.Decides:
		s.record(roundtable.Vouched(p))
		s.a.Marked = true // it goes into the documents, too (NFR-003)
	}
	for _, a := range u.Once() {
		s.take(p, a)
	}
}

// withdraw forgets what somebody unknown did and takes back with this input, as in a
// discussion.
func (s *step) withdraw() {
	switch e := s.in.Event.(type) {
	case Edited:
		s.a.Unknown.Reword(e.TS, e.EditedTS, func(a roundtable.Act) bool { return s.stillMeans(a, e) })
	case Deleted:
		s.a.Unknown.Withdraw(e.TS)
	case Reacted:
		if kind, _ := roundtable.MarkOf(e.Emoji); e.Removed && kind == roundtable.MarkDecision {
			s.a.Unknown.Unmark(e.By.ID, e.TS, e.Emoji)
		}
	case Opened, Surveyed, Asked, Drafted, Written, Recorded, ElaborationOpened, ElaborationEnded, Said, Pressed, Woken, Posted, Failed, Parked, Identified:
		// Takes nothing back.
	}
}

// take does what a full member did before.
func (s *step) take(by roundtable.Person, a roundtable.Act) {
	switch a.Kind {
	case roundtable.ActPress:
		s.press(Pressed{By: by, Button: a.Button, Value: a.Value})
	case roundtable.ActDone:
		if _, ends := s.endRight(); !ends || a.Value != s.situation() {
			s.tell(by.ID, goneText())
			return
		}
		s.done(by)
	case roundtable.ActDepth:
		if !s.takesDepth() {
			s.tell(by.ID, goneText())
			return
		}
		s.deepen(Depth(a.Value), by)
	case roundtable.ActDecide, roundtable.ActMark: // the log has them
	case roundtable.ActForget, roundtable.ActKeep: // of a forgetting
	}
}

// stillMeans reports whether an edited message means what was kept of it.
func (s *step) stillMeans(a roundtable.Act, e Edited) bool {
	switch a.Kind {
	case roundtable.ActDecide:
		return roundtable.Decides(e.Text)
	case roundtable.ActPress:
		c, ok := Choose(e.Text)
		return ok && c.button() == a.Button
	case roundtable.ActDepth:
		d, ok := ReadOverride(e.Text, s.a.Cast)
		return ok && string(d) == a.Value
	case roundtable.ActDone:
		return intent.Understand(e.Text, intent.Participants{Cast: s.a.Cast}).Intent == intent.Exit
	case roundtable.ActMark: // somebody's who read it
		return true
	case roundtable.ActForget, roundtable.ActKeep: // of a forgetting
	}
	return false
}

// forgoUnknown gives up on people of whom Slack never said who they are.
func (s *step) forgoUnknown() {
	for _, u := range s.a.Unknown {
		if u.Told {
			s.tell(u.Person.ID, roundtable.SayNeverKnown())
		}
	}
	s.a.Unknown = nil
}
