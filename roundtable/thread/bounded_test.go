package thread

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/intricate"
)

// readings are the readers of what people, models and documents write, each over one
// text.
func readings() map[string]func(text string) {
	names := map[string]string{"U1": "Priya"}
	links := Links{"https://a.b": true}
	return map[string]func(string){
		"marks":   func(text string) { SelfMark(text); shorten(text, markLimit) },
		"legible": func(text string) { Legible(text, names, MarkdownLink) },
		"links":   func(text string) { links.Tame(text); LinkMessages(text, func(string) string { return "" }) },
		"lines":   func(text string) { _ = Clip(OneLine(text), 200); AsSentence(text) },
		"transcript": func(text string) {
			person := Person{ID: "U1", Name: "Priya"}
			ReadTranscript([]Entry{{Kind: EntryTurn, Turn: 1, Person: &person, TS: "1.1", Text: "Decision: " + text}})
		},
	}
}

// TestReadingAllocatesLinearly doubles every shape for every reader.
func TestReadingAllocatesLinearly(t *testing.T) {
	for name, read := range readings() {
		t.Run(name, func(t *testing.T) { intricate.Linear(t, 8_000, 256<<10, read) })
	}
}

// BenchmarkReading shows the cost per byte of every reader over every shape.
func BenchmarkReading(b *testing.B) {
	for name, read := range readings() {
		b.Run(name, func(b *testing.B) { intricate.Bench(b, []int{1_000, 10_000, 40_000}, read) })
	}
}
