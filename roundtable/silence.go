package roundtable

import (
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var zeroTime time.Time

// timerFired lets time pass: the gathering window ends (startRound sees to that), who is
// waited for is reminded, the lead asks after a long silence, and after another the
// discussion is closed with that reason (FR-107).
func (s *step) timerFired() {
	now := s.in.At
	s.remind()
	if !s.d.Over {
		s.Identify()
	}
	switch {
	case s.d.State == StateClosed:
		s.d.Over = !s.d.LastActivity.IsZero() && !now.Before(s.d.Closed.Add(thread.ClosedGrace))
		if s.d.Over {
			s.Forgo()
		}
	case s.d.State != StateDiscussionLoop && s.d.Stalled == nil, s.d.Settings.Silence <= 0, s.busy():
	case s.d.AskedSilence.IsZero() && !now.Before(s.d.LastActivity.Add(s.d.Settings.Silence)):
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
		s.Notice(unwrittenText())
		s.close()
	}
}

// busy reports whether the panel is at work.
func (s *step) busy() bool { return s.d.Ask != nil && s.d.Stalled == nil }

// wakeAt is the earliest time at which TimerFired would change something.
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
		return d.Closed.Add(thread.ClosedGrace)
	case s.busy():
		return zeroTime
	}
	var at time.Time
	if d.State == StateDiscussionLoop || d.Stalled != nil {
		if d.Settings.Silence > 0 {
			at = d.LastActivity.Add(d.Settings.Silence)
			if !d.AskedSilence.IsZero() {
				at = d.AskedSilence.Add(d.Settings.Silence)
			}
		}
	}
	if a := d.PendingReply; a != nil && !a.Remind.IsZero() && d.State == StateDiscussionLoop && d.Stalled == nil && (at.IsZero() || a.Remind.Before(at)) {
		at = a.Remind
	}
	if w := d.Waiting; w != nil && d.Stalled == nil && (at.IsZero() || w.Until.Before(at)) {
		at = w.Until
	}
	return at
}

// PendingReply is a person whose answer the discussion waits for: a persona asked them
// something and nobody has spoken since.
type PendingReply struct {
	Person thread.Person `json:"person"`
	By     persona.Key   `json:"by"`
	// Zone is their clock, in seconds east of UTC; nil if it is not known.
	Zone *int `json:"zone,omitempty"`
	// Remind is when they are reminded, in their own working hours; zero for never
	// or not again.
	Remind time.Time `json:"remind,omitzero"`
	// Check is the question whether they may be disturbed, while it is open.
	Check string `json:"knock,omitempty"`
}

// Asker is who said something that a round answers, and their clock.
type Asker struct {
	ID   string `json:"id"`
	Zone *int   `json:"zone,omitempty"`
}

// Working hours, on a person's own clock.
const (
	dayBegins = 9
	dayEnds   = 17
)

// atWork returns the first time from t on that lies within working hours where the
// clock is zone seconds east of UTC.
func atWork(t time.Time, zone int) time.Time {
	local := t.In(time.FixedZone("", zone))
	if h := local.Hour(); h >= dayBegins && h < dayEnds && isWorkday(local) {
		return t
	}
	morning := time.Date(local.Year(), local.Month(), local.Day(), dayBegins, 0, 0, 0, local.Location())
	for morning.Before(local) || !isWorkday(morning) {
		morning = morning.AddDate(0, 0, 1)
	}
	return morning.UTC()
}

func isWorkday(t time.Time) bool { return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday }

// asksBack notes that a contribution asks one of those whom the round answers.
func (s *step) asksBack(c Contribution) {
	r := s.d.Round
	if c.Stance != thread.StanceQuestion || len(r.By) != len(r.Answers) {
		return
	}
	i := slices.Index(r.Answers, c.ReplyTo)
	if i < 0 && len(r.By) > 0 && !slices.ContainsFunc(r.By, func(a Asker) bool { return a.ID != r.By[0].ID }) {
		i = 0 // only one person asked, so only they can be meant
	}
	if i < 0 {
		return
	}
	for _, p := range s.d.People {
		if p.ID == r.By[i].ID {
			r.PendingReply = &PendingReply{Person: p, By: c.Persona, Zone: r.By[i].Zone}
		}
	}
}

// awaitAnswer makes the discussion wait for whom the round that ended asked last.
func (s *step) awaitAnswer(a *PendingReply) {
	if a == nil || s.d.Waiting != nil || s.d.State != StateDiscussionLoop {
		return
	}
	if a.Zone != nil && s.d.Settings.Nudge > 0 {
		a.Remind = atWork(s.in.At.Add(s.d.Settings.Nudge), *a.Zone)
	}
	s.d.PendingReply = a
}

// remind asks whether the person waited for may be disturbed, once it is time to
// remind them: never early, and never outside their working hours, however late we
// wake (FR-107, I9).
func (s *step) remind() {
	a := s.d.PendingReply
	if a == nil || a.Remind.IsZero() || s.in.At.Before(a.Remind) || s.d.State != StateDiscussionLoop || s.d.Stalled != nil {
		return
	}
	if a.Remind = atWork(s.in.At, *a.Zone); a.Remind.After(s.in.At) {
		return
	}
	a.Remind, a.Check = zeroTime, s.Key()
	s.Do(CheckDND{Key: a.Check, User: a.Person.ID})
}

// dndChecked reminds the person, once; or comes again later, if they want not to be
// disturbed now, or the answer took until their working hours were over.
func (s *step) dndChecked(e DNDChecked) {
	a := s.d.PendingReply
	if a == nil || a.Check == "" || a.Check != e.Effect {
		return
	}
	a.Check = ""
	again := s.in.At
	if e.Until.After(again) {
		again = e.Until
	}
	if again = atWork(again, *a.Zone); again.After(s.in.At) || s.d.State != StateDiscussionLoop || s.d.Stalled != nil {
		a.Remind = again
		return
	}
	text := reminderText(s.d, *a)
	k := s.Post(thread.Message{Kind: thread.KindNotice, Mention: a.Person.ID, Text: text, Buttons: []thread.Button{continueButton()}})
	s.record(thread.Entry{Kind: thread.EntryLine, Key: k, Text: text})
}
