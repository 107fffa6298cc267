package roundtable

import "strings"

// MarkOf is what a reaction marks a message as (SPEC §7); other emoji mean nothing.
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
	if kind == MarkDecision && !e.Removed && s.barred(s.d.Settings.Choose, e.By) {
		return
	}
	if s.d.Outcome != nil {
		if !e.Removed {
			s.tell(e.By.ID, lateMarkText())
		}
		return
	}
	s.hear()
	entry := Entry{Kind: EntryMark, Mark: &Mark{Kind: kind, By: e.By, TS: e.TS}}
	if e.Removed {
		entry.Kind = EntryUnmark
	}
	s.record(entry)
}

// acknowledgeMark shows that a message which marks itself was recorded, or tells its
// author that it decides nothing. The mark
// itself is read from the text whenever the transcript is, so that an edit
// changes it and a deletion takes it away.
func (s *step) acknowledgeMark(e Said) {
	if kind, _, ok := selfMark(e.Text); ok && (kind != MarkDecision || !s.barred(s.d.Settings.Choose, e.By)) {
		emoji := map[MarkKind]string{MarkDecision: "white_check_mark", MarkAction: "memo"}[kind]
		s.do(React{Key: s.key(), TS: e.TS, Emoji: emoji})
	}
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
