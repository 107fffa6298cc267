package roundtable

import (
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

var zeroTime time.Time

// woken lets time pass: the gathering window ends (startRound sees to that), who is
// waited for is reminded, the lead asks after a long silence, and after another the
// discussion is closed with that reason (FR-107).
func (s *step) woken() {
	now := s.in.At
	s.remind()
	s.identify()
	switch {
	case s.d.State == StateClosed:
		s.d.Over = !s.d.Heard.IsZero() && !now.Before(s.d.Closed.Add(thread.Afterlife))
		if s.d.Over {
			s.forgoUnknown()
		}
	case s.d.State != StateDiscussionLoop && s.d.Stalled == nil, s.d.Settings.Silence <= 0, s.busy():
	case s.d.AskedSilence.IsZero() && !now.Before(s.d.Heard.Add(s.d.Settings.Silence)):
		if s.d.State != StateDiscussionLoop {
			s.closeSilent()
			return
		}
		s.d.AskedSilence = now
		s.confirm(ConfirmSilence)
	case !s.d.AskedSilence.IsZero() && !now.Before(s.d.AskedSilence.Add(s.d.Settings.Silence)):
		s.closeSilent()
	}
}

// closeSilent ends a discussion that nobody came back to. One that a failure
// stopped is summarised plainly.
func (s *step) closeSilent() {
	switch {
	case s.before(StateSynthesis):
		s.line(silenceText(s.d))
		s.leave(Exit{Kind: ExitSilence})
	case s.d.State == StateSynthesis:
		s.plainSynthesis()
	case s.d.State == StatePersist:
		s.d.Stalled = nil
		s.notice(unwrittenText())
		s.close()
	}
}

// busy reports whether the panel is at work.
func (s *step) busy() bool { return s.d.Ask != nil && s.d.Stalled == nil }

// wakeAt is the earliest time at which Woken would change something.
func (s *step) wakeAt() time.Time {
	at, asked := s.stirsAt(), s.d.Unknown.Wake()
	if s.d.Over || asked.IsZero() || !at.IsZero() && at.Before(asked) {
		return at
	}
	return asked
}

// stirsAt is when time moves the discussion itself.
func (s *step) stirsAt() time.Time {
	d := &s.d
	switch {
	case d.Over:
		return zeroTime
	case d.State == StateClosed:
		return d.Closed.Add(thread.Afterlife)
	case s.busy():
		return zeroTime
	}
	var at time.Time
	if d.State == StateDiscussionLoop || d.Stalled != nil {
		if d.Settings.Silence > 0 {
			at = d.Heard.Add(d.Settings.Silence)
			if !d.AskedSilence.IsZero() {
				at = d.AskedSilence.Add(d.Settings.Silence)
			}
		}
	}
	if a := d.Awaited; a != nil && !a.Remind.IsZero() && d.State == StateDiscussionLoop && d.Stalled == nil && (at.IsZero() || a.Remind.Before(at)) {
		at = a.Remind
	}
	if w := d.Waiting; w != nil && d.Stalled == nil && (at.IsZero() || w.Until.Before(at)) {
		at = w.Until
	}
	return at
}
