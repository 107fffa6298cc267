// Package injection is the corpus of texts with which people, documents and models
// try to be more than data (NFR-103), read the same by the tests of all packages
// that such a text passes through. It is for tests, says only what an attempt looks
// like and what it tries, and judges nothing.
package injection

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"strings"
	"testing"
)

// Kind says in which place an attempt stands.
type Kind string

// The places.
const (
	Message  Kind = "message"  // what somebody writes in a thread
	Pasted   Kind = "pasted"   // a document that they paste
	Name     Kind = "name"     // what they are called
	Topic    Kind = "topic"    // what they want to discuss
	Item     Kind = "item"     // what they call an item
	Artifact Kind = "artifact" // what they call a document of it
	Output   Kind = "output"   // what a model returns
)

// Attempt is an entry of the corpus.
type Attempt struct {
	Kind Kind
	// Name is unique within its kind; Tries says what the attempt is after.
	Name, Tries string
	// Text is what is written, in full.
	Text string
	// Intent is what the rules must take a message for; empty for other kinds.
	Intent string
}

// fewest is how many attempts the corpus has at the least: a reader that stops
// early must not pass.
const fewest = 119

//go:embed corpus.jsonl
var corpus string

// Attempts reads the corpus, in the order of the file.
func Attempts(t testing.TB) []Attempt {
	t.Helper()
	var all []Attempt
	lines := bufio.NewScanner(strings.NewReader(corpus))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var line struct {
			Attempt
			// Repeat says how often Text stands there, between Before and After; 0 is
			// once.
			Repeat        int
			Before, After string
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("attempt %d of the corpus: %v", len(all)+1, err)
		}
		line.Text = line.Before + strings.Repeat(line.Text, max(line.Repeat, 1)) + line.After
		all = append(all, line.Attempt)
	}
	if err := lines.Err(); err != nil || len(all) < fewest {
		t.Fatalf("%d attempts, %v; want at least %d", len(all), err, fewest)
	}
	return all
}
