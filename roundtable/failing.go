package roundtable

import "github.com/roundtable-chat/app/roundtable/thread"

// failed turns a failure into a stated stop with a way on (I10).
func (s *step) failed(e Failed) {
	s.paid(e.Spent)
	if e.Kind == thread.KindSynthesis {
		s.d.Shared = false // if it was this one, it may be shared again
	}
	if s.busy() && e.Effect == s.d.Ask.Key {
		s.stall(thread.Stall{Reason: e.Reason, Budget: e.Budget})
		return
	}
	switch {
	case e.Effect == s.rootKey():
		if s.d.Place.Root == "" { // else the introduction stands
			s.refuse(e.Reason)
		}
	case s.conversionFailed(e.Effect):
	case s.d.State == StatePersist && e.Effect == s.d.Enriching:
		s.stall(thread.Stall{Reason: e.Reason})
	case e.Reason == thread.ReasonMessageRefused, e.Reason == thread.ReasonUndrawn:
		s.unshown(e.Kind, e.Reason)
	case (&thread.Stall{Reason: e.Reason}).ClosedToUs():
		// The channel has taken no messages for so long that the engine gave up: a
		// notice would only fail in turn. It waits until somebody writes there again.
		s.d.Stalled = &thread.Stall{Reason: e.Reason}
	}
}

// parked tells the room that something it did was put aside (I10). Before there is a
// thread, and after the end, there is nobody to tell.
func (s *step) parked() {
	if s.d.Place.Root != "" && s.d.State != StateClosed {
		s.Notice(parkedText())
	}
}

// stall says why nothing goes on and how it may. What was said stands.
func (s *step) stall(why thread.Stall) {
	s.d.Stalled = &why
	s.Notice(stallText(why), stallButtons(s.d)...)
}

// refuse ends a discussion whose introduction could not be posted: there is no
// thread to say it in, so the person who asked is told. One that somebody had left before
// ended by that, and is over.
func (s *step) refuse(r thread.Reason) {
	s.d.Over = true
	if s.d.State == StateClosed {
		return
	}
	s.Tell(s.d.Opener.ID, thread.SayRefused("discussion", r))
	s.d.Exit = &Exit{Kind: ExitRefused, Reason: r}
	s.Act(s.d.Exit.act())
	s.move(StateClosed)
	s.reportEnded()
	s.d.Closed = s.in.At
}

// resume goes on after a failure: the open question is put again, under a new
// key, so that a late answer to the old one is stale.
func (s *step) resume() {
	if s.d.Stalled == nil {
		return
	}
	if s.d.Stalled.ClosedToUs() {
		s.Notice(missingText())
	}
	s.d.Stalled = nil
	switch {
	case s.d.Ask != nil:
		a := *s.d.Ask
		s.ask(a)
	case s.d.State == StatePersist:
		s.enrich()
	}
}

// unshown says that a message could not be shown, and with it what it was for (I3).
// What is lost with a notice is a notice: another about it would be refused likewise.
func (s *step) unshown(kind thread.MessageKind, why thread.Reason) {
	switch kind {
	case thread.KindContribution, thread.KindProcedure:
		s.Notice(unshownText(s.d, kind, why))
	case thread.KindChoice:
		var buttons []thread.Button
		if s.d.Choice != nil {
			buttons = choiceButtons(*s.d.Choice)
		}
		s.Notice(unshownText(s.d, kind, why), buttons...)
	case thread.KindSynthesis:
		s.Notice(unshownText(s.d, kind, why))
	case thread.KindMenu:
		s.Notice(unshownText(s.d, kind, why), menuButtons(s.d)...)
	case thread.KindRoot, thread.KindNotice:
	}
}
