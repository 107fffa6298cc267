package panel

import (
	"encoding/json"
	"testing"

	"github.com/roundtable-chat/app/roundtable/intricate"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// answers reads a text as a model's answer, as it stands and as a member of an object,
// and as somebody's words in a prompt.
func answers(text string) {
	member, err := json.Marshal(map[string]any{"summary": text, "insights": []any{map[string]any{"text": text, "turns": []int{1}}}})
	if err != nil {
		return
	}
	for _, answer := range []string{text, string(member)} {
		readDraft([]byte(answer))
		hasMember([]byte(answer), "summary")
		s := scanner{found: func(raw []byte) (bool, error) { return readDraft(raw) != nil, nil }}
		_ = s.feed(answer)
	}
	excerpt(readable(text, map[string]string{"U1": "Priya"}), 500)
	fileName(attributed(thread.OneLine(visible(text))))
}

// TestAnswersAllocateLinearly doubles every shape.
func TestAnswersAllocateLinearly(t *testing.T) { intricate.Linear(t, 8_000, 256<<10, answers) }

// BenchmarkAnswers shows the cost per byte of reading every shape.
func BenchmarkAnswers(b *testing.B) { intricate.Bench(b, []int{1_000, 10_000, 40_000}, answers) }
