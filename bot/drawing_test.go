package bot

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/intricate"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// edgeReadings are the readers of people's and models' text that draw nothing, each over
// one text.
func edgeReadings() map[string]func(text string) {
	name := func(user string) string { return user }
	return map[string]func(string){
		"canvas": func(text string) { canvasText(text, func(string) bool { return false }) },
		"topic":  func(text string) { plainTopic(text, name) },
		"line":   func(text string) { thread.OneLine(text) },
	}
}

// TestReadingAtTheEdgeAllocatesLinearly doubles every shape for every reader.
func TestReadingAtTheEdgeAllocatesLinearly(t *testing.T) {
	for name, read := range edgeReadings() {
		t.Run(name, func(t *testing.T) { intricate.Linear(t, 4_000, 1<<20, read) })
	}
}

// BenchmarkReadingAtTheEdge shows the cost per byte of every reader over every shape.
func BenchmarkReadingAtTheEdge(b *testing.B) {
	for name, read := range edgeReadings() {
		b.Run(name, func(b *testing.B) { intricate.Bench(b, []int{1_000, 10_000, 40_000}, read) })
	}
}

// TestDrawingFailsHere tells what failed here from what failed on the way to Slack.
func TestDrawingFailsHere(t *testing.T) {
	m, err := newMetrics(prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	here := thread.Place{Team: "T1", Channel: "C1", Thread: "1700000000.000100"}
	broken := &Workplace{draw: blocks.Renderer{Links: func(thread.Place, string) bool { panic("a reader's") }}, metrics: m}
	_, err = broken.Post(t.Context(), engine.Posting{Place: here, Key: "D1/x/0", Message: thread.Message{Kind: thread.KindContribution, Text: "https://a.example"}})
	var failed *engine.SendError
	if !errors.As(err, &failed) || failed.Outcome != engine.Unmade || strings.Contains(err.Error(), "a reader's") {
		t.Errorf("got %v, want that it could not be made, without a text", err)
	}
	late := &deadline{Context: t.Context()}
	w := &Workplace{draw: blocks.Renderer{Links: func(thread.Place, string) bool { late.over = true; return false }}, metrics: m}
	_, err = w.Post(late, engine.Posting{Place: here, Key: "D1/x/0", Message: thread.Message{Kind: thread.KindContribution, Text: "https://a.example"}})
	if !errors.As(err, &failed) || failed.Outcome != engine.Unmade || !errors.Is(err, errDrawing) {
		t.Errorf("got %v, want that drawing took too long", err)
	}
	if e := webapi.SendError(&json.UnsupportedValueError{Str: "NaN"}, false); e.Outcome != engine.Unmade {
		t.Errorf("what could not be encoded: got %s", e.Outcome)
	}
}

// deadline is a context whose time is over when a test says so.
type deadline struct {
	context.Context
	over bool
}

func (d *deadline) Err() error {
	if d.over {
		return context.DeadlineExceeded
	}
	return nil
}
