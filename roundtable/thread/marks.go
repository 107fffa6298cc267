package thread

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

// MarkedEmoji is the app's reaction to a message that marks itself.
func MarkedEmoji(kind MarkKind) string {
	if kind == MarkDecision {
		return "white_check_mark"
	}
	return "memo"
}

// Decides reports whether a message marks itself as a decision.
func Decides(text string) bool {
	kind, _, ok := SelfMark(text)
	return ok && kind == MarkDecision
}

// selfMarks are the words by which a message marks itself.
var selfMarks = []struct {
	prefix string
	kind   MarkKind
}{{"decision:", MarkDecision}, {"action:", MarkAction}, {"action item:", MarkAction}}

// SelfMark recognises "Decision: …" and "Action: …" at the start of a message.
func SelfMark(text string) (kind MarkKind, body string, ok bool) {
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
