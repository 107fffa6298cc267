package analysis

import (
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// failed turns a failure into a stated stop with a way on (I10).
func (s *step) failed(e Failed) {
	s.paid(e.Spent)
	switch {
	case s.a.State == StateClosed:
	case s.a.Ask != nil && s.a.Stalled == nil && e.Effect == s.a.Ask.Key:
		s.stall(thread.Stall{Reason: e.Reason, Budget: e.Budget})
	case e.Effect == s.rootKey() && s.a.Place.Root == "":
		s.refuse(e.Reason)
	case s.a.Writing != nil && e.Effect == s.a.Writing.Key:
		s.a.Writing.Failed = true
		s.stall(thread.Stall{Reason: e.Reason})
	case s.elaborationFailed(e):
	case e.Reason == thread.ReasonArtifactRefused: // an override or a phase left behind
		s.Notice(unrecordedText())
	case (e.Reason == thread.ReasonMessageRefused || e.Reason == thread.ReasonUndrawn) && (e.Effect == s.a.Spoke || e.Effect == s.a.Menu.Key):
		s.Notice(failureText(e.Reason))
	case slices.Contains([]thread.Reason{thread.ReasonArchived, thread.ReasonNotInChannel, thread.ReasonNoPermission, thread.ReasonThreadGone}, e.Reason):
		// A notice would only fail in turn.
		s.a.Stalled = &thread.Stall{Reason: e.Reason}
	}
}

// stall says why nothing goes on and how it may.
func (s *step) stall(why thread.Stall) {
	s.a.Stalled = &why
	s.Notice(stallText(why), stallButtons()...)
}

// refuse ends an analysis whose root could not be posted.
func (s *step) refuse(r thread.Reason) {
	s.Tell(s.a.Opener.ID, refusedText(r))
	s.close(Exit{Kind: ExitRefused, Reason: r})
	s.a.Over = true
}

// resume goes on after a failure. Questions are put under new keys, so that a late
// answer to what was asked before is stale; a change keeps its key, so that it is
// made once.
func (s *step) resume() {
	if s.a.Stalled == nil {
		return
	}
	s.a.Stalled = nil
	switch {
	case s.a.Ask != nil:
		a := *s.a.Ask
		if a.Kind == AskInquire {
			s.a.Waiting = nil // it is part of what is asked with
		}
		s.ask(a)
	case s.a.Writing != nil:
		if s.a.Writing.Failed { // otherwise it is still to be performed
			s.a.Writing.Failed = false
			s.Do(s.change())
		}
	case s.a.State == StateMenu && s.a.Waiting == nil:
		s.showMenu() // it may be what could not be shown
	}
}

// timerFired lets time pass: the gathering window ends (answerWaiting sees to that), the
// lead asks after a long silence, and after another the analysis is paused, once
// what was said is written down (FR-107). An elaboration is waited for as long, and
// no longer: it may have been forgotten.
func (s *step) timerFired() {
	now, silence := s.in.At, s.a.Settings.Silence
	if !s.a.Over {
		s.Identify()
	}
	switch {
	case s.a.State == StateClosed:
		s.a.Over = s.a.Over || !now.Before(s.a.Closed.Add(ClosedGrace))
		if s.a.Over {
			s.Forgo()
		}
	case silence <= 0 || !s.waitsForPeople():
	case s.a.AskedSilence.IsZero():
		if !now.Before(s.a.LastActivity.Add(silence)) {
			s.a.AskedSilence = now
			s.line(s.a.lead(), stillThereText(s.a))
		}
	case now.Before(s.a.AskedSilence.Add(silence)):
	case s.a.State == StateAsking && s.a.Stalled == nil && s.a.Step.Answers > 0:
		s.a.AskedSilence = now
		s.line(s.a.lead(), silentStepText())
		s.finish()
	case s.a.State == StateElaborating:
		s.a.LastActivity, s.a.AskedSilence = now, time.Time{} // the silence at the menu begins here
		s.Notice(notAwaitedText())
		s.showMenu()
	default:
		s.Notice(silenceText(s.a))
		s.close(Exit{Kind: ExitSilence})
	}
}

// waitsForPeople reports whether nothing goes on until somebody does something.
func (s *step) waitsForPeople() bool {
	if s.a.Stalled != nil {
		return s.a.State != StateClosed
	}
	switch s.a.State {
	case StateAsking, StateMenu:
		return s.a.Ask == nil && s.a.Waiting == nil
	case StateElaborating:
		return true
	case StateGreeting, StateValidating, StateWriting, StateClosed:
	}
	return false
}

// wakeAt is the earliest time at which TimerFired would change something.
func (s *step) wakeAt() time.Time {
	at, asked := s.stirsAt(), s.a.Unknown.Wake()
	if s.a.Over || asked.IsZero() || !at.IsZero() && at.Before(asked) {
		return at
	}
	return asked
}

// stirsAt is when time moves the analysis itself.
func (s *step) stirsAt() time.Time {
	a := &s.a
	switch {
	case a.Over || a.State == "":
		return time.Time{}
	case a.State == StateClosed:
		return a.Closed.Add(ClosedGrace)
	case a.Waiting != nil && a.Ask == nil && a.Stalled == nil && (a.State == StateAsking || a.State == StateMenu):
		return a.Waiting.Until
	case a.Settings.Silence <= 0 || !s.waitsForPeople():
		return time.Time{}
	case !a.AskedSilence.IsZero():
		return a.AskedSilence.Add(a.Settings.Silence)
	default:
		return a.LastActivity.Add(a.Settings.Silence)
	}
}
