package roundtable

import "github.com/roundtable-chat/app/roundtable/thread"

// reacted marks a message, or takes the mark back. Other emoji mean nothing.
func (s *step) reacted(e Reacted) {
	kind, ok := thread.MarkOf(e.Emoji)
	if !ok {
		return
	}
	if e.Unsure {
		s.maybeMarked(e, kind)
		return
	}
	decides := kind == thread.MarkDecision && !e.Removed
	verdict := s.Verdict(s.d.Settings.Choose, e.By)
	if decides && verdict == thread.VerdictRefused {
		s.Tell(e.By.ID, thread.SayBarred(e.By, s.d.Opener))
		return
	}
	if s.d.Outcome != nil {
		if !e.Removed {
			s.Tell(e.By.ID, lateMarkText())
		}
		return
	}
	s.touch()
	if decides && verdict == thread.VerdictOpen {
		s.Keep(e.By, thread.Act{Kind: thread.ActMark, Value: e.Emoji, TS: e.TS})
	}
	s.mark(e, kind)
}

// maybeMarked keeps a mark on a message that may be anybody's: the transcript tells, when
// it is read, whether it is the discussion's. So it is no sign of life, and its author,
// who may never have heard of the discussion, is not told of it.
func (s *step) maybeMarked(e Reacted, kind thread.MarkKind) {
	if s.d.Outcome != nil {
		return
	}
	if kind == thread.MarkDecision && !e.Removed {
		switch s.Verdict(s.d.Settings.Choose, e.By) {
		case thread.VerdictGranted:
		case thread.VerdictOpen:
			s.d.Unknown.Keep(e.By, thread.Act{Kind: thread.ActMark, Value: e.Emoji, TS: e.TS, Unsure: true}, s.in.At) // the log has it, also where there is no room
		case thread.VerdictRefused:
			return
		}
	}
	s.mark(e, kind)
}

// mark writes a mark down, or that it was taken back.
func (s *step) mark(e Reacted, kind thread.MarkKind) {
	entry := thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: kind, By: e.By, TS: e.TS, Emoji: e.Emoji}, Unsure: e.Unsure}
	if e.Removed {
		entry.Kind = thread.EntryUnmark
	}
	s.record(entry)
}

// acknowledgeMark shows that a message which marks itself was recorded, or tells its
// author that it decides nothing. The mark itself is read from the text whenever the
// transcript is, so that an edit changes it and a deletion takes it away. A decision of
// somebody unknown is acknowledged once it counts (noteRights).
func (s *step) acknowledgeMark(m Spoken) {
	if m.Mark == "" {
		return
	}
	if m.Mark == thread.MarkDecision {
		switch s.Verdict(s.d.Settings.Choose, m.By) {
		case thread.VerdictGranted:
		case thread.VerdictRefused:
			s.Tell(m.By.ID, thread.SayBarred(m.By, s.d.Opener))
			return
		case thread.VerdictOpen:
			return
		}
	}
	s.Do(React{Key: s.Key(), TS: m.TS, Emoji: thread.MarkedEmoji(m.Mark)})
}
