package roundtable

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable/intent"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// ExcessOf reports whether there is room for what an event would add to a log. Events that
// add nothing of a person's, or less than they replace, always find room.
func ExcessOf(v thread.Volume, log []thread.Entry, e Event) thread.Excess {
	var wanted thread.Entry
	switch e := e.(type) {
	case Said:
		wanted = thread.Entry{Kind: thread.EntryTurn, Person: &e.By, TS: e.TS, Text: thread.Kept(e.Text), Files: e.Files}
	case Edited:
		wanted = thread.Entry{Kind: thread.EntryEdit, Person: &e.By, TS: e.TS, Text: thread.Kept(e.Text), Edited: e.EditedTS}
	case Reacted:
		kind, ok := thread.MarkOf(e.Emoji)
		switch {
		case !ok || e.Removed:
			return thread.ExcessNone
		case e.Unsure && !v.Within(thread.MaxEntries/2, thread.MaxBytes/2):
			return thread.ExcessAll // what is hardly said here shall not take the room of what is
		}
		wanted = thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: kind, By: e.By, TS: e.TS, Emoji: e.Emoji}}
	case Pressed:
		wanted = thread.Entry{Kind: thread.EntryLine, For: e.By.ID}
	case Deleted:
		// A message that is not here may still come. If half of the log is used, it hardly
		// will, and what is deleted shall not take the room of what is said.
		known := func(x thread.Entry) bool { return x.TS == e.TS }
		if v.Within(thread.MaxEntries/2, thread.MaxBytes) || slices.ContainsFunc(log, known) {
			return thread.ExcessNone
		}
		return thread.ExcessAll
	case Opened, Analysed, TimerFired, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, DNDChecked, Parked, DocumentsWritten, Identified:
		return thread.ExcessNone
	}
	return v.Excess(log, wanted)
}

// Overtaken reports whether an event brings words of a message that do not stand: Slack may
// deliver them late, and the log has newer ones, or that the message was deleted.
func Overtaken(log []thread.Entry, e Event) bool {
	var ts, edited string
	switch e := e.(type) {
	case Said:
		ts = e.TS
	case Edited:
		ts, edited = e.TS, e.EditedTS
	case Opened, Deleted, Reacted, Pressed, Analysed, TimerFired, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, DNDChecked, Parked, DocumentsWritten, Identified:
		return false
	}
	return slices.ContainsFunc(log, func(x thread.Entry) bool {
		return x.TS == ts && (x.Kind == thread.EntryStrike || x.Kind == thread.EntryEdit && edited < x.Edited)
	})
}

// refusedForRoom refuses an input for which the log has no room, and says so in the
// thread, once for each person and once for all: nothing is dropped in silence (I1).
// Ending stays possible, and so does whatever adds nothing.
func (s *step) refusedForRoom() bool {
	if s.in.Excess == thread.ExcessNone {
		return false
	}
	switch e := s.in.Event.(type) {
	case Said:
		if s.endsThings(e) {
			return false
		}
		s.touch()
		s.heardFrom(e.By)
		if s.leaves(s.spoken(e)) && s.Verdict(s.d.Settings.Close, e.By) == thread.VerdictOpen {
			s.Keep(e.By, thread.Act{Kind: thread.ActDone, TS: e.TS})
			return true
		}
		s.sayNoRoom(e.By)
	case Edited:
		s.sayNoRoom(e.By)
	case Reacted:
		if !e.Unsure {
			s.sayNoRoom(e.By)
		}
	case Pressed:
		switch e.Button {
		case ButtonContinue, ButtonExtend, ButtonKeepOn, ButtonQuiet, ButtonMute, ButtonOpenFloor:
			s.Tell(e.By.ID, noRoomText(e.By, s.in.Excess, s.before(StateSynthesis)))
		default: // they end things, or ask for what is there
			return false
		}
	case Deleted: // of a message that was not kept
	case Opened, Analysed, TimerFired, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, DNDChecked, Parked, DocumentsWritten, Identified:
		return false
	}
	return true
}

// endsThings reports whether a message is heard though there is no room for it: it ends
// the discussion, or comes after its end, where nothing is kept of it.
func (s *step) endsThings(e Said) bool {
	m := s.spoken(e)
	switch {
	case s.d.State == StateClosed || m.Intent == intent.Empty:
		return true
	default:
		return s.leaves(m) && s.Verdict(s.d.Settings.Close, e.By) == thread.VerdictGranted
	}
}

// leaves reports whether a message ends something, if its author may.
func (s *step) leaves(m Spoken) bool {
	if s.d.State == StatePersist || s.d.State == StateSynthesis && s.d.Stalled == nil {
		return false
	}
	return m.Intent == intent.Exit || s.d.Confirming != nil && m.Answer == intent.Yes
}

// sayNoRoom says once that no more is kept, of a person's or of anybody's, and how to go
// on.
func (s *step) sayNoRoom(by thread.Person) {
	who := by.ID
	if s.in.Excess == thread.ExcessAll {
		who = ""
	}
	if slices.Contains(s.d.Refused, who) || s.d.State == StateClosed {
		return
	}
	s.d.Refused = append(s.d.Refused, who)
	ends := s.before(StateSynthesis)
	text := noRoomText(by, s.in.Excess, ends)
	if ends {
		s.Notice(text, wrapUpButton())
		return
	}
	s.Notice(text)
}
