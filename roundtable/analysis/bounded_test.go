package analysis

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/intricate"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// readings are the readers of step files, answers, drafts and documents, each over one
// text.
func readings() map[string]func(text string) {
	links := thread.Links{"https://a.b": true}
	return map[string]func(string){
		"body":      func(text string) { ParseBody(text) },
		"targets":   func(text string) { readTargets(text) },
		"criteria":  func(text string) { Validate(readCriteria(text), []string{text}) },
		"condition": func(text string) { _, _ = ParseCondition(text) },
		"override":  func(text string) { ReadOverride(text, testCast()) },
		"list":      func(text string) { appendList([]byte(text), true, "a", `[{"b": 1}]`) },
		"entries":   func(text string) { appendList([]byte("{}"), true, "a", text) },
		"rows":      func(text string) { appendRows([]byte("a,b\n"), []string{"a", "b"}, text) },
		"part": func(text string) {
			for _, kind := range []PartKind{PartSection, PartRows} {
				Part{File: "a.md", Part: kind, Name: "A", Content: text}.tamed(links)
			}
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
