package roundtable

import "strings"

// MarkOf is what a reaction marks a message as (FR-105); other emoji mean nothing.
func MarkOf(emoji string) (kind MarkKind, ok bool) {
	kind, ok = markEmoji[emoji]
	return kind, ok
}

var markEmoji = map[string]MarkKind{
	"white_check_mark": MarkDecision, "heavy_check_mark": MarkDecision, "ballot_box_with_check": MarkDecision,
	"question": MarkQuestion, "grey_question": MarkQuestion,
	"pushpin": MarkInsight, "round_pushpin": MarkInsight,
}

// reacted marks a message, or takes the mark back. Other emoji mean nothing.
func (s *step) reacted(e Reacted) {
	kind, ok := MarkOf(e.Emoji)
	if !ok {
		return
	}
	if e.Unsure {
		s.maybeMarked(e, kind)
		return
	}
	decides := kind == MarkDecision && !e.Removed
	verdict := s.verdict(s.d.Settings.Choose, e.By)
	if decides && verdict == VerdictRefused {
		s.tell(e.By.ID, SayBarred(e.By, s.d.Opener))
		return
	}
	if s.d.Outcome != nil {
		if !e.Removed {
			s.tell(e.By.ID, lateMarkText())
		}
		return
	}
	s.hear()
	if decides && verdict == VerdictOpen {
		s.keep(e.By, Act{Kind: ActMark, Value: e.Emoji, TS: e.TS})
	}
	s.mark(e, kind)
}

// maybeMarked keeps a mark on a message that may be anybody's: the transcript tells, when
// it is read, whether it is the discussion's. So it is no sign of life, and its author,
// who may never have heard of the discussion, is not told of it.
func (s *step) maybeMarked(e Reacted, kind MarkKind) {
	if s.d.Outcome != nil {
		return
	}
	if kind == MarkDecision && !e.Removed {
		switch s.verdict(s.d.Settings.Choose, e.By) {
		case VerdictGranted:
		case VerdictOpen:
			s.d.Unknown.Keep(e.By, Act{Kind: ActMark, Value: e.Emoji, TS: e.TS, Unsure: true}, s.in.At) // the log has it, also where there is no room
		case VerdictRefused:
			return
		}
	}
	s.mark(e, kind)
}

// mark writes a mark down, or that it was taken back.
func (s *step) mark(e Reacted, kind MarkKind) {
	entry := Entry{Kind: EntryMark, Mark: &Mark{Kind: kind, By: e.By, TS: e.TS, Emoji: e.Emoji}, Unsure: e.Unsure}
	if e.Removed {
		entry.Kind = EntryUnmark
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
	if m.Mark == MarkDecision {
		switch s.verdict(s.d.Settings.Choose, m.By) {
		case VerdictGranted:
		case VerdictRefused:
			s.tell(m.By.ID, SayBarred(m.By, s.d.Opener))
			return
		case VerdictOpen:
			return
		}
	}
	s.do(React{Key: s.key(), TS: m.TS, Emoji: markedEmoji(m.Mark)})
}

// markedEmoji is the app's reaction to a message that marks itself.
func markedEmoji(kind MarkKind) string {
	if kind == MarkDecision {
		return "white_check_mark"
	}
	return "memo"
}

// Decides reports whether a message marks itself as a decision.
func Decides(text string) bool {
	kind, _, ok := selfMark(text)
	return ok && kind == MarkDecision
}

// selfMarks are the words by which a message marks itself.
var selfMarks = []struct {
	prefix string
	kind   MarkKind
}{{"decision:", MarkDecision}, {"action:", MarkAction}, {"action item:", MarkAction}}

// selfMark recognises "Decision: …" and "Action: …" at the start of a message.
func selfMark(text string) (kind MarkKind, body string, ok bool) {
	text = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(text), "*_"))
	for _, m := range selfMarks {
		if n := len(m.prefix); len(text) > n && strings.EqualFold(text[:n], m.prefix) {
			if body = strings.TrimSpace(strings.TrimLeft(text[n:], "*_ ")); body != "" {
				return m.kind, body, true
			}
		}
	}
	return "", "", false
}
