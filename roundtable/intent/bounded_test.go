package intent

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/intricate"
)

// TestUnderstandAllocatesLinearly doubles every shape that makes a parser work.
func TestUnderstandAllocatesLinearly(t *testing.T) {
	intricate.Linear(t, 8_000, 256<<10, understandAmidNames())
}

// BenchmarkUnderstandShapes shows the cost per byte over every shape.
func BenchmarkUnderstandShapes(b *testing.B) {
	intricate.Bench(b, []int{1_000, 10_000, 40_000}, understandAmidNames())
}

func understandAmidNames() func(text string) {
	table := Participants{BotUser: "U0BOT", Cast: theThree()}
	return func(text string) { Understand(text, table) }
}
