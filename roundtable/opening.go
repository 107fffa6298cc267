package roundtable

import (
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// FreeStep is the step id of a discussion on a free topic, and FreeOutput the
// artifact that takes its synthesis.
const (
	FreeStep   = "00-00"
	FreeOutput = "elaboration-notes.md"
)

// open starts with the introduction (FR-001, AC-001-03). It is the root message,
// and it goes out before any model is asked (NFR-001).
func (s *step) open(e Opened) {
	s.d = Discussion{
		ID: e.Discussion, Place: e.Place, State: StateEntry,
		Topic: e.Topic, Context: e.Context, Item: e.Item, ItemTitle: e.ItemTitle, Step: e.Step,
		Origin: e.Origin, Opener: e.By, Opened: s.in.At, LastActivity: s.in.At,
		Cast: e.Cast, Lead: e.Lead, Settings: e.Settings, Invited: e.Invited,
		Spoke: map[string]int{},
	}
	if s.d.Settings.MaxTurns < MinTurns {
		s.d.Settings.MaxTurns = DefaultMaxTurns
	}
	if s.d.seat(s.d.Lead).Key == "" && len(s.d.Cast) > 0 {
		s.d.Lead = s.d.Cast[0].Key
	}
	s.Act(thread.Audit{Kind: thread.AuditOpened, By: e.By.ID})
	s.Do(Post{Key: s.rootKey(), Message: Root(s.d)})
}

// rootKey is the key of the introduction. It needs no input's id, because there
// is only one.
func (s *step) rootKey() string { return s.d.ID + "/root" }

// posted takes in where a message stands. With the introduction in place the
// thread exists and the lead can frame.
func (s *step) posted(e Posted) {
	if e.Effect != s.rootKey() {
		s.record(thread.Entry{Kind: thread.EntryPosted, Key: e.Effect, TS: e.TS})
		return
	}
	s.d.Place.Root = e.TS
	if s.d.Place.Thread == "" {
		s.d.Place.Thread = e.TS
	}
	if s.d.State == StateEntry {
		s.reportOpened()
		s.invite()
		s.move(StateTopicFraming)
		s.ask(Ask{Kind: AskFrame, Attempt: 1})
	}
}

// invite calls people into the thread, where they then answer.
func (s *step) invite() {
	if len(s.d.Invited) == 0 {
		return
	}
	text := invitedText(s.d)
	k := s.Post(thread.Message{Kind: thread.KindNotice, Invited: s.d.Invited, Text: text})
	s.record(thread.Entry{Kind: thread.EntryLine, Key: k, Text: text})
	s.d.Invited = nil
}

// framed lets the lead open the discussion (FR-004, AC-001-04, AC-004-03): turn 1.
// Then the addressed colleague speaks, then the others.
func (s *step) framed(e Framed) {
	s.paid(e.Framing.Spent)
	if !s.answers(AskFrame, e.Effect) {
		return
	}
	f := e.Framing
	first := s.d.seat(f.Ask)
	if first.Key == "" || first.Key == s.d.Lead {
		first = s.d.others()[0]
	}
	s.d.Focus = focusText(s.d, f)
	s.d.Ask = nil
	s.move(StateDiscussionLoop)
	s.turn(Contribution{Persona: s.d.Lead, Stance: thread.StanceQuestion, Text: framingText(s.d, f, first), Engine: f.Engine, Faults: f.Faults})

	calls := []Call{{first.Key, true}}
	for _, o := range s.d.others() {
		if o.Key != first.Key {
			calls = append(calls, Call{o.Key, true})
		}
	}
	early := s.d.Unframed
	s.d.Unframed = nil
	if s.d.State == StateDiscussionLoop {
		s.round(Round{Kind: RoundOpening, Calls: calls})
	}
	now := s.in.At
	for _, m := range early {
		s.asOf(m.At)
		s.takeUp(m)
	}
	s.asOf(now)
}

// others are the cast without the lead, in roster order.
func (d Discussion) others() []persona.Seat {
	var o []persona.Seat
	for _, c := range d.Cast {
		if c.Key != d.Lead {
			o = append(o, c)
		}
	}
	return o
}
