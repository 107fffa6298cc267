package forgetting

import (
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// mayKeep reports whether somebody may take it back now: a full member. The rules keep the
// wish of a person of whom Slack does not say who they are, while it can be taken back at
// all, and tell them once; the edge has told a person who wrote it in words. Such a person is
// told nothing of how it stands.
func (s *step) mayKeep(by thread.Person) bool {
	switch by.Is() {
	case thread.StandingMember:
		return true
	case thread.StandingUnknown:
		if !s.f.Pending() {
			s.tell(by, thread.SayPersonUnknown())
			return false
		}
		kept := s.f.Unknown.Keep(by, thread.Act{Kind: thread.ActKeep}, s.in.At)
		_, pressed := s.in.Event.(Pressed)
		switch {
		case kept == thread.KeptNot:
			s.tell(by, thread.SayPersonUnknown())
		case kept == thread.KeptFirst && pressed:
			s.tell(by, thread.SayActKept())
		}
	case thread.StandingGuest, thread.StandingOutsider:
		s.refuse(by, thread.DetailKeep)
	}
	return false
}

// refuse tells somebody that they may not, and has it recorded.
func (s *step) refuse(p thread.Person, what thread.AuditDetail) {
	s.acts = append(s.acts, thread.Audit{Kind: thread.AuditRefused, By: p.ID, Detail: what})
	s.tell(p, thread.SayOutsider())
}

// identify asks who somebody is, once it is time to ask.
func (s *step) identify() {
	if at := s.f.Unknown.Wake(); at.IsZero() || s.in.At.Before(at) {
		return
	}
	key := s.key()
	s.do(Identify{Key: key, User: s.f.Unknown.Ask(key), Strictly: true})
}

// identified takes in what Slack says of somebody, and asks about the next.
func (s *step) identified(e Identified) {
	if e.Person.Is() == thread.StandingUnknown {
		s.f.Unknown.Unanswered(e.Effect, s.in.At, e.Until)
	} else {
		s.settle(e.Person)
	}
	s.identify()
}

// settle does what a person did while Slack did not say who they were, or refuses it.
func (s *step) settle(p thread.Person) {
	if p.Is() == thread.StandingUnknown {
		return
	}
	u, ok := s.f.Unknown.Take(p.ID, s.in.At)
	if !ok {
		return
	}
	for _, a := range u.Once() {
		switch a.Kind {
		case thread.ActForget:
			s.asked(p)
		case thread.ActKeep:
			s.keep(p)
		default: // no other act is kept here
		}
	}
}

// asked goes on with what somebody asked for, once it is known who they are.
func (s *step) asked(by thread.Person) {
	if s.f.State != StateAsked {
		return
	}
	s.f.By = by
	if by.Is() != thread.StandingMember {
		s.acts = append(s.acts, thread.Audit{Kind: thread.AuditRefused, By: by.ID, Detail: thread.DetailForget})
		s.f.Why = WhyNoMember
		s.stay()
		return
	}
	s.move(StateHiding)
	s.hide()
}

// stay is the end of something that never was put out of sight. The person who asked is told
// why.
func (s *step) stay() {
	s.f.Unknown = nil
	s.keptAfterAll()
}

// removal is when it is removed if it is not taken back. While Slack has not said whether a
// person may who wants to take it back, it waits for that a little longer.
func (f Forgetting) removal() time.Time {
	if len(f.Unknown) > 0 {
		return f.Until.Add(patience)
	}
	return f.Until
}

// forgoUnknown gives up on those who wanted to take it back and of whom Slack never said who
// they are (I10).
func (s *step) forgoUnknown() {
	for _, u := range s.f.Unknown {
		s.tell(u.Person, SayNeverKept())
	}
	s.f.Unknown = nil
}
