package roundtable

import "slices"

// ExcessOf reports whether there is room for what an event would add to a log. Events that
// add nothing of a person's, or less than they replace, always find room.
func ExcessOf(v Volume, log []Entry, e Event) Excess {
	var wanted Entry
	switch e := e.(type) {
	case Said:
		wanted = Entry{Kind: EntryTurn, Person: &e.By, TS: e.TS, Text: Kept(e.Text), Files: e.Files}
	case Edited:
		wanted = Entry{Kind: EntryEdit, Person: &e.By, TS: e.TS, Text: Kept(e.Text), Edited: e.EditedTS}
	case Reacted:
		kind, ok := MarkOf(e.Emoji)
		switch {
		case !ok || e.Removed:
			return ExcessNone
		case e.Unsure && !v.Within(MaxEntries/2, MaxBytes/2):
			return ExcessAll // what is hardly said here shall not take the room of what is
		}
		wanted = Entry{Kind: EntryMark, Mark: &Mark{Kind: kind, By: e.By, TS: e.TS, Emoji: e.Emoji}}
	case Pressed:
		wanted = Entry{Kind: EntryLine, For: e.By.ID}
	case Deleted:
		// A message that is not here may still come. If half of the log is used, it hardly
		// will, and what is deleted shall not take the room of what is said.
		known := func(x Entry) bool { return x.TS == e.TS }
		if v.Within(MaxEntries/2, MaxBytes) || slices.ContainsFunc(log, known) {
			return ExcessNone
		}
		return ExcessAll
	case Opened, Analysed, Woken, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, Knocked, Parked, Enriched, Identified:
		return ExcessNone
	}
	return v.Excess(log, wanted)
}

// Overtaken reports whether an event brings words of a message that do not stand: Slack may
// deliver them late, and the log has newer ones, or that the message was deleted.
func Overtaken(log []Entry, e Event) bool {
	var ts, edited string
	switch e := e.(type) {
	case Said:
		ts = e.TS
	case Edited:
		ts, edited = e.TS, e.EditedTS
	case Opened, Deleted, Reacted, Pressed, Analysed, Woken, Framed, Contributed, RoundEnded, Drafted, Failed, Posted, Knocked, Parked, Enriched, Identified:
		return false
	}
	return slices.ContainsFunc(log, func(x Entry) bool {
		return x.TS == ts && (x.Kind == EntryStrike || x.Kind == EntryEdit && edited < x.Edited)
	})
}
