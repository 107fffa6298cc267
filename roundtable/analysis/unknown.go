package analysis

import (
	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// keep keeps what somebody unknown did, and tells them, once.
func (s *step) keep(p thread.Person, a thread.Act) {
	switch s.a.Unknown.Keep(p, a, s.in.At) {
	case thread.KeptFirst:
		s.tell(p.ID, thread.SayActKept())
	case thread.KeptNot:
		s.tell(p.ID, thread.SayPersonUnknown())
	case thread.KeptMore:
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
	if e.Person.Is() == thread.StandingUnknown {
		s.a.Unknown.Unanswered(e.Effect, s.in.At, e.Until)
	} else {
		s.settle(e.Person)
	}
	s.identify()
}

// actor is the person who did what an event says; ok is false for what nobody did in the
// thread.
func actor(e Event) (by thread.Person, ok bool) {
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
	return thread.Person{}, false
}

// settle does what a person did while Slack did not say who they were, or refuses it, as
// in a discussion.
func (s *step) settle(p thread.Person) {
	if p.Is() == thread.StandingUnknown {
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
	if p.Is() != thread.StandingMember {
		if u.Told {
			s.tell(p.ID, thread.SayBarred(p, s.a.Opener))
		}
		return
	}
	switch {
	case u.Decides && s.a.State == StateClosed:
		if u.Told {
			s.tell(p.ID, lateDecisionText())
		}
	case u.Decides:
		s.record(thread.Vouched(p))
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
		s.a.Unknown.Reword(e.TS, e.EditedTS, func(a thread.Act) bool { return s.stillMeans(a, e) })
	case Deleted:
		s.a.Unknown.Withdraw(e.TS)
	case Reacted:
		if kind, _ := thread.MarkOf(e.Emoji); e.Removed && kind == thread.MarkDecision {
			s.a.Unknown.Unmark(e.By.ID, e.TS, e.Emoji)
		}
	case Opened, Surveyed, Asked, Drafted, Written, Recorded, ElaborationOpened, ElaborationEnded, Said, Pressed, Woken, Posted, Failed, Parked, Identified:
		// Takes nothing back.
	}
}

// take does what a full member did before.
func (s *step) take(by thread.Person, a thread.Act) {
	switch a.Kind {
	case thread.ActPress:
		s.press(Pressed{By: by, Button: a.Button, Value: a.Value})
	case thread.ActDone:
		if _, ends := s.endRight(); !ends || a.Value != s.situation() {
			s.tell(by.ID, goneText())
			return
		}
		s.done(by)
	case thread.ActDepth:
		if !s.takesDepth() {
			s.tell(by.ID, goneText())
			return
		}
		s.deepen(Depth(a.Value), by)
	case thread.ActDecide, thread.ActMark: // the log has them
	case thread.ActForget, thread.ActKeep: // of a forgetting
	}
}

// stillMeans reports whether an edited message means what was kept of it.
func (s *step) stillMeans(a thread.Act, e Edited) bool {
	switch a.Kind {
	case thread.ActDecide:
		return thread.Decides(e.Text)
	case thread.ActPress:
		c, ok := Choose(e.Text)
		return ok && c.button() == a.Button
	case thread.ActDepth:
		d, ok := ReadOverride(e.Text, s.a.Cast)
		return ok && string(d) == a.Value
	case thread.ActDone:
		return intent.Understand(e.Text, intent.Participants{Cast: s.a.Cast}).Intent == intent.Exit
	case thread.ActMark: // somebody's who read it
		return true
	case thread.ActForget, thread.ActKeep: // of a forgetting
	}
	return false
}

// forgoUnknown gives up on people of whom Slack never said who they are.
func (s *step) forgoUnknown() {
	for _, u := range s.a.Unknown {
		if u.Told {
			s.tell(u.Person.ID, thread.SayNeverKnown())
		}
	}
	s.a.Unknown = nil
}
