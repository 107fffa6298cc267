package roundtable

import (
	"slices"

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
	case Opened, Analysed, Woken, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, Knocked, Parked, Enriched, Identified:
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
	case Opened, Deleted, Reacted, Pressed, Analysed, Woken, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, Knocked, Parked, Enriched, Identified:
		return false
	}
	return slices.ContainsFunc(log, func(x thread.Entry) bool {
		return x.TS == ts && (x.Kind == thread.EntryStrike || x.Kind == thread.EntryEdit && edited < x.Edited)
	})
}
