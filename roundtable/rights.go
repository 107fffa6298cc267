package roundtable

import (
	"maps"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// ButtonNeeds says what each button of a discussion needs. Words and reactions that do
// what a button does need what it needs.
func ButtonNeeds() map[thread.ButtonKind]thread.Need { return maps.Clone(buttonNeeds) }

var buttonNeeds = map[thread.ButtonKind]thread.Need{
	ButtonContinue: thread.NeedMember, ButtonExtend: thread.NeedMember, ButtonKeepOn: thread.NeedMember, ButtonRetry: thread.NeedMember,
	ButtonQuiet: thread.NeedMember, ButtonMute: thread.NeedMember, ButtonOpenFloor: thread.NeedMember,
	ButtonShare: thread.NeedMember, ButtonAgain: thread.NeedMember, ButtonAnalyse: thread.NeedMember,
	ButtonWrapUp: thread.NeedClose, ButtonChoose: thread.NeedChoose,
	ButtonCatchUp: thread.NeedNothing, // the edge answers it, and asks for itself who presses
}

// noteRights notes of a person's words that they decide nothing, if their author may not:
// what marks itself is read from the text whenever the transcript is, long after this.
// Whether the words of somebody unknown decide anything, a later entry says (EntryKnown):
// never, if newer words had replaced them before Slack delivered them.
func (s *step) noteRights(e *thread.Entry) {
	if e.Person == nil || e.Text == "" {
		return
	}
	switch s.Verdict(s.d.Settings.Choose, *e.Person) {
	case thread.VerdictRefused:
		e.NoDecision = true
	case thread.VerdictOpen:
		if thread.Decides(e.Text) && s.d.Outcome == nil && !s.in.Overtaken {
			s.Keep(*e.Person, thread.Act{Kind: thread.ActDecide, TS: e.TS, Edited: e.Edited})
		}
	case thread.VerdictGranted:
	}
}

// identified takes in what Slack says of somebody, and asks about the next.
func (s *step) identified(e Identified) {
	if e.Person.Is() == thread.StandingUnknown {
		s.d.Unknown.Unanswered(e.Effect, s.in.At, e.Until)
	} else {
		s.settle(e.Person)
	}
	if !s.d.Over {
		s.Identify()
	}
}

// settle does what a person did while Slack did not say who they were, or refuses it.
// The log is told of a member, so that what they marked counts.
func (s *step) settle(p thread.Person) {
	if p.Is() == thread.StandingUnknown {
		return
	}
	u, ok := s.d.Unknown.Take(p.ID, s.in.At)
	if !ok {
		return
	}
	s.introduce(p)
	if p.Is() != thread.StandingMember {
		if u.Told {
			s.Tell(p.ID, thread.SayBarred(p, s.d.Opener))
		}
		return
	}
	switch {
	case u.Decides && s.d.Outcome != nil:
		if u.Told {
			s.Tell(p.ID, lateMarkText())
		}
	case u.Decides:
		s.record(thread.Vouched(p))
	}
	for _, a := range u.Once() {
		s.take(p, a)
	}
}

// introduce puts who a person turned out to be where the state names them.
func (s *step) introduce(p thread.Person) {
	for i := range s.d.Early {
		if by := &s.d.Early[i].Said.By; by.ID == p.ID {
			*by = p
		}
	}
	for i := range s.d.People {
		if x := &s.d.People[i]; x.ID == p.ID {
			*x = p
		}
	}
	for i := range s.d.Unframed {
		if by := &s.d.Unframed[i].By; by.ID == p.ID {
			*by = p
		}
	}
	if s.d.Waiting == nil {
		return
	}
	for i := range s.d.Waiting.Spoken {
		if by := &s.d.Waiting.Spoken[i].By; by.ID == p.ID {
			*by = p
		}
	}
}

// withdraw forgets what somebody unknown did and takes back with this input, before the
// same input tells who they are.
func (s *step) withdraw() {
	switch e := s.in.Event.(type) {
	case Edited:
		s.d.Unknown.Reword(e.TS, e.EditedTS, func(a thread.Act) bool { return s.stillMeans(a, e) })
	case Deleted:
		s.d.Unknown.Withdraw(e.TS)
	case Reacted:
		if kind, _ := thread.MarkOf(e.Emoji); e.Removed && kind == thread.MarkDecision {
			s.d.Unknown.Unmark(e.By.ID, e.TS, e.Emoji)
		}
	case Opened, Said, Pressed, TimerFired, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, DNDChecked, Identified, Analysed, Parked, DocumentsWritten:
		// Takes nothing back.
	}
}

// take does what a full member did before.
func (s *step) take(by thread.Person, a thread.Act) {
	switch a.Kind {
	case thread.ActPress:
		s.press(Pressed{By: by, Button: a.Button, Value: a.Value})
	case thread.ActDone:
		s.pressedWrapUp(Pressed{By: by, Button: ButtonWrapUp})
	case thread.ActDecide:
		if s.d.Outcome == nil {
			s.Do(React{Key: s.Key(), TS: a.TS, Emoji: thread.MarkedEmoji(thread.MarkDecision)})
		}
	case thread.ActMark, thread.ActDepth, thread.ActForget, thread.ActKeep: // the log has a mark; the others are no discussion's
	}
}

// act is the act of ending a discussion.
func (x Exit) act() thread.Audit {
	a := thread.Audit{Kind: thread.AuditClosed, Detail: thread.AuditDetail(x.Kind)}
	if x.By != nil {
		a.By = x.By.ID
	}
	return a
}
