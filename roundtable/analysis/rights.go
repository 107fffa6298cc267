package analysis

import (
	"maps"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// ButtonNeeds says what each button of an analysis needs (FR-108). Choosing where it goes
// and how deep, and ending a step or the whole, are what the settings may leave to the
// opener. Words that do what a button does need what it needs.
func ButtonNeeds() map[thread.ButtonKind]thread.Need { return maps.Clone(buttonNeeds) }

var buttonNeeds = map[thread.ButtonKind]thread.Need{
	ButtonElaborate: thread.NeedChoose, ButtonNext: thread.NeedChoose, ButtonSkip: thread.NeedChoose,
	ButtonFinish: thread.NeedClose, ButtonPause: thread.NeedClose,
	ButtonMenu: thread.NeedMember, roundtable.ButtonRetry: thread.NeedMember,
}

// deed is what a message would do that needs a right.
type deed struct {
	right thread.Right
	act   thread.Act
}

// deedOf reads what a message would do, as things stand, that needs a right: choose at
// the menu, change how deep the analysis goes, or end a step, the wait for an elaboration
// or the analysis.
func (s *step) deedOf(e Said, u intent.Understanding) (d deed, ok bool) {
	if c, chooses := Choose(e.Text); chooses {
		press := thread.Act{Kind: thread.ActPress, Button: c.button(), Value: s.a.Menu.ID, TS: e.TS}
		return deed{s.a.Settings.Choose, press}, s.a.State == StateMenu && s.menuBusy() == ""
	}
	if depth, overrides := ReadOverride(e.Text, s.a.Cast); overrides && s.takesDepth() {
		return deed{s.a.Settings.Choose, thread.Act{Kind: thread.ActDepth, Value: string(depth), TS: e.TS}}, true
	}
	right, ends := s.endRight()
	return deed{right, thread.Act{Kind: thread.ActDone, Value: s.situation(), TS: e.TS}}, ends && u.Intent == intent.Exit
}

// takesDepth reports whether a wish for another depth means something now.
func (s *step) takesDepth() bool {
	switch s.a.State {
	case StateAsking, StateMenu, StateValidating, StateWriting:
		return true
	case StateGreeting, StateElaborating, StateClosed:
	}
	return false
}

// endRight is the right to end what is under way with a word; ok is false where a word
// ends nothing.
func (s *step) endRight() (r thread.Right, ok bool) {
	switch s.a.State {
	case StateAsking, StateMenu:
		return s.a.Settings.Close, true
	case StateValidating:
		return s.a.Settings.Close, s.a.Stalled != nil
	case StateElaborating:
		return thread.RightEverybody, true
	case StateGreeting, StateWriting, StateClosed:
	}
	return thread.RightEverybody, false
}

// situation names what a word would end now, so that it ends nothing else later.
func (s *step) situation() string {
	at := string(s.a.State)
	if s.a.Step != nil {
		at += "/" + s.a.Step.ID
	}
	return at
}

// noteRights notes of a person's words whether they can decide anything, as in a
// discussion, and tells a person that they may not who meant to decide.
func (s *step) noteRights(e *thread.Entry) {
	if e.Person == nil || e.Text == "" {
		return
	}
	decides := thread.Decides(e.Text) && !s.in.Overtaken
	switch s.Verdict(s.a.Settings.Choose, *e.Person) {
	case thread.VerdictRefused:
		e.NoDecision = true
		if decides {
			s.Tell(e.Person.ID, thread.SayBarred(*e.Person, s.a.Opener))
		}
	case thread.VerdictOpen:
		if decides {
			s.Keep(*e.Person, thread.Act{Kind: thread.ActDecide, TS: e.TS, Edited: e.Edited})
		}
	case thread.VerdictGranted:
	}
}

// act is the act of ending an analysis.
func (x Exit) act() thread.Audit {
	a := thread.Audit{Kind: thread.AuditClosed, Detail: thread.AuditDetail(x.Kind)}
	if x.By != nil {
		a.By = x.By.ID
	}
	return a
}

// depthAct is the act of choosing another depth.
func depthAct(d Depth, by thread.Person) thread.Audit {
	return thread.Audit{Kind: thread.AuditDepth, By: by.ID, Detail: thread.AuditDetail(d)}
}

// identified takes in what Slack says of somebody, and asks about the next.
func (s *step) identified(e Identified) {
	if e.Person.Is() == thread.StandingUnknown {
		s.a.Unknown.Unanswered(e.Effect, s.in.At, e.Until)
	} else {
		s.settle(e.Person)
	}
	if !s.a.Over {
		s.Identify()
	}
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
	case Opened, Surveyed, Asked, Drafted, Written, Recorded, ElaborationOpened, ElaborationEnded, Deleted, TimerFired, Posted, Failed, Parked, Identified:
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
			s.Tell(p.ID, thread.SayBarred(p, s.a.Opener))
		}
		return
	}
	switch {
	case u.Decides && s.a.State == StateClosed:
		if u.Told {
			s.Tell(p.ID, lateDecisionText())
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
	case Opened, Surveyed, Asked, Drafted, Written, Recorded, ElaborationOpened, ElaborationEnded, Said, Pressed, TimerFired, Posted, Failed, Parked, Identified:
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
			s.Tell(by.ID, goneText())
			return
		}
		s.done(by)
	case thread.ActDepth:
		if !s.takesDepth() {
			s.Tell(by.ID, goneText())
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
