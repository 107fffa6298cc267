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

// verdict judges a person by a right of the analysis.
func (s *step) verdict(r thread.Right, p thread.Person) thread.Verdict {
	return r.Judge(p, s.a.Opener.ID)
}

// lets reports whether a person may do something now, as in a discussion: who may not is
// told, and what somebody unknown does is kept.
func (s *step) lets(r thread.Right, p thread.Person, a thread.Act) bool {
	switch s.verdict(r, p) {
	case thread.VerdictGranted:
		return true
	case thread.VerdictOpen:
		s.keep(p, a)
	case thread.VerdictRefused:
		s.tell(p.ID, thread.SayBarred(p, s.a.Opener))
	}
	return false
}

// noteRights notes of a person's words whether they can decide anything, as in a
// discussion, and tells a person that they may not who meant to decide.
func (s *step) noteRights(e *thread.Entry) {
	if e.Person == nil || e.Text == "" {
		return
	}
	decides := thread.Decides(e.Text) && !s.in.Overtaken
	switch s.verdict(s.a.Settings.Choose, *e.Person) {
	case thread.VerdictRefused:
		e.NoDecision = true
		if decides {
			s.tell(e.Person.ID, thread.SayBarred(*e.Person, s.a.Opener))
		}
	case thread.VerdictOpen:
		if decides {
			s.keep(*e.Person, thread.Act{Kind: thread.ActDecide, TS: e.TS, Edited: e.Edited})
		}
	case thread.VerdictGranted:
	}
}
