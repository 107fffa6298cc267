package voice_test

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/intricate"
	"github.com/roundtable-chat/app/roundtable/voice"
)

func TestCheckAllocatesLinearly(t *testing.T) {
	all := cast(t)
	intricate.Linear(t, 4_000, 256<<10, func(text string) {
		voice.Check(all[0], all, voice.Utterance{Text: text, Previous: text, PreviousBy: "Alex", Own: []string{text}, People: []string{"Priya"}})
	})
}

// BenchmarkShapes shows the cost per byte of checking every shape.
func BenchmarkShapes(b *testing.B) {
	all := cast(b)
	intricate.Bench(b, []int{1_000, 10_000, 40_000}, func(text string) {
		voice.Check(all[0], all, voice.Utterance{Text: text, Previous: text, PreviousBy: "Alex", Own: []string{text}})
	})
}
