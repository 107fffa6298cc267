package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestIntricateMessagesCloseAsOthersDo plays what stopped a worker for good: one
// person's burst of decisions of Slack's greatest length, made to keep a Markdown
// parser busy. The synthesis and the document come, each at the first attempt, every
// decision is in both with a link to the message, and the discussion ends (NFR-003).
func TestIntricateMessagesCloseAsOthersDo(t *testing.T) {
	t.Parallel()
	for _, attack := range []struct {
		unit     string
		messages int
	}{{"[](", 7}, {"[a](", 8}} {
		t.Run(attack.unit, func(t *testing.T) {
			t.Parallel()
			artifacts := filepath.Join(t.TempDir(), "docs")
			writeTree(t, artifacts, map[string]string{"README.md": "ours"})
			p := start(t, t.TempDir(), nil, "demo", "--artifacts", artifacts, "--address", "127.0.0.1:0", "--pace", "50ms", "--gather", "200ms", "--log-level", "info")
			d := person{demoWorkspace(t, p, ""), priya, product}.open("Hostile notes")
			opening(t, d)
			for i := range attack.messages {
				d.say(fmt.Sprintf("Decision: n%d ", i) + strings.Repeat(attack.unit, 38_700/len(attack.unit)))
			}
			d.say("done")
			synthesis := d.until("", "the synthesis is there", containing("Elaboration Insights"))
			d.until(synthesis.TS, "the document is written", containing("elaboration-notes.md"))
			eventually(t, "the introduction says that it has ended", func() string { return d.transcript(d.root) }, func() bool {
				return strings.Contains(d.transcript(d.root), "Closed")
			})
			if got := p.terminate(); got != 0 {
				t.Errorf("exit code %d after SIGTERM, want 0", got)
			}
			p.calm()
			document := readTree(t, filepath.Join(artifacts, "hostile-notes"))["elaboration-notes.md"]
			for i := range attack.messages {
				if !strings.Contains(document, fmt.Sprintf(" n%d ", i)) {
					t.Errorf("decision n%d is not in the document", i)
				}
			}
			if n := strings.Count(document, "[the whole message](http"); n < attack.messages {
				t.Errorf("%d links to whole messages, want %d", n, attack.messages)
			}
			log := p.output.String()
			for outcome, want := range map[string]int{"outcome=unsent": 0, "outcome=unmade": 0, "outcome=not_written": 0, "effect=enrich ": 1} {
				if got := strings.Count(log, outcome); got != want {
					t.Errorf("%d effects with %s, want %d", got, outcome, want)
				}
			}
		})
	}
}

// TestIntricateDocumentIsLeftAloneAndTheProcessEnds closes a discussion over a document
// of a megabyte that would keep a parser busy for minutes, and ends the process while
// it is at it: it ends within its drain time, and the next one, or it itself before,
// has put a note beside the document (I8).
func TestIntricateDocumentIsLeftAloneAndTheProcessEnds(t *testing.T) {
	t.Parallel()
	artifacts := filepath.Join(t.TempDir(), "docs")
	hostile := "# Notes\n\n" + strings.Repeat("[a](", 250_000) + "\n"
	writeTree(t, filepath.Join(artifacts, "hostile-notes"), map[string]string{"elaboration-notes.md": hostile})
	args := []string{"demo", "--artifacts", artifacts, "--address", "127.0.0.1:0", "--pace", "50ms", "--gather", "200ms", "--log-level", "info"}
	for _, waits := range []bool{false, true} {
		p := start(t, t.TempDir(), nil, args...)
		d := person{demoWorkspace(t, p, ""), priya, product}.open("Hostile notes")
		opening(t, d)
		d.say("done")
		synthesis := d.until("", "the synthesis is there", containing("Elaboration Insights"))
		if waits {
			d.until(synthesis.TS, "the note is written", containing("elaboration-notes.md.elaborations.md"))
		}
		if got := p.terminate(); got != 0 {
			t.Errorf("exit code %d after SIGTERM, want 0", got)
		}
		p.calm()
	}
	now := readTree(t, filepath.Join(artifacts, "hostile-notes"))
	if now["elaboration-notes.md"] != hostile {
		t.Error("the document was changed")
	}
	if note := now["elaboration-notes.md.elaborations.md"]; !strings.Contains(note, "Elaboration: step") {
		t.Errorf("got the note %q", note)
	}
}
