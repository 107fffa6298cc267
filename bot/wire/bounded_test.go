package wire

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/intricate"
)

// readings are the readers of what Slack sends, each over one text.
func readings() map[string]func(text string) {
	return map[string]func(string){
		"slim": func(text string) { slim([]byte(text)) },
		"event": func(text string) {
			b, err := json.Marshal(map[string]any{"type": "event_callback", "event": map[string]any{"type": "message", "text": text, "blocks": text}})
			if err == nil {
				slim(b)
			}
		},
		"frames": func(text string) { _, _ = io.Copy(io.Discard, newFrames(strings.NewReader(text), func() {})) },
	}
}

// TestReadingAllocatesLinearly doubles every shape for every reader.
func TestReadingAllocatesLinearly(t *testing.T) {
	for name, read := range readings() {
		t.Run(name, func(t *testing.T) { intricate.Linear(t, 4_000, 1<<20, read) })
	}
}

// BenchmarkReading shows the cost per byte of every reader over every shape.
func BenchmarkReading(b *testing.B) {
	for name, read := range readings() {
		b.Run(name, func(b *testing.B) { intricate.Bench(b, []int{1_000, 10_000, 40_000}, read) })
	}
}
