package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
)

// Key is a canary: no error may repeat it. Thought is one, too, for what a model
// thinks before it speaks.
const (
	Key     = "sk-canary-0123456789"
	Thought = "secret thought"
)

// What Request asks, word by word: no error may repeat that either.
const (
	rules    = "rules"
	question = "hello"
)

// Request is a question with everything that a request can have.
func Request() llm.Request {
	return llm.Request{
		System:     []llm.Block{{Text: rules, Cache: true}},
		Messages:   []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: question}}}},
		Schema:     json.RawMessage(`{"type":"object","properties":{"stance":{"type":"string"},"speaker":{"type":"string"},"text":{"type":"string"}},"required":["stance"]}`),
		SchemaName: "round", MaxTokens: 4096, Effort: llm.EffortLow, CacheKey: "D1",
	}
}

// Ask streams a request and returns the text that came, as far as it came.
func Ask(ctx context.Context, m llm.Model, r llm.Request) (string, llm.Result, error) {
	var b strings.Builder
	result, err := m.Stream(ctx, r, func(s string) error { b.WriteString(s); return nil })
	return b.String(), result, err
}

// Answer is what a server answers, and what must be read of it.
type Answer struct {
	From http.HandlerFunc
	// Text is what was said, Stop why it ended, Sent whether it may be charged.
	Text string
	Stop llm.Stop
	Sent bool
	// Err is the failure that it counts as, by kind, status, detail and wait; nil is
	// none.
	Err *llm.Error
}

// Check asks a model whose server answers so.
func (a Answer) Check(t *testing.T, m llm.Model) {
	t.Helper()
	text, result, err := Ask(t.Context(), m, Request())
	if text != a.Text || result.Stop != a.Stop || result.Sent != a.Sent {
		t.Errorf("got text %q, stop %q, sent %v, want %q, %q, %v", text, result.Stop, result.Sent, a.Text, a.Stop, a.Sent)
	}
	CheckError(t, err, a.Err)
}

// CheckError compares a failure with what it should be, by kind, status, detail and
// wait, and holds it to I11.
func CheckError(t *testing.T, err error, want *llm.Error) {
	t.Helper()
	if want == nil {
		if err != nil {
			t.Errorf("got error %v, want none", err)
		}
		return
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		t.Fatalf("got %v (%T), want an *llm.Error", err, err)
	}
	if e.Kind != want.Kind || e.Status != want.Status || e.Detail != want.Detail || e.After != want.After {
		t.Errorf("got %q status %d detail %q after %v, want %q %d %q %v", e.Kind, e.Status, e.Detail, e.After, want.Kind, want.Status, want.Detail, want.After)
	}
	checkSecrets(t, err)
}

// checkSecrets walks the tree of an error: nothing in it may hold the key, the
// prompt or the answer (I11).
func checkSecrets(t *testing.T, err error) {
	t.Helper()
	shown := fmt.Sprintf("%v %+v", err, err)
	for _, s := range []string{Key, question, rules, Thought} {
		if strings.Contains(shown, s) {
			t.Errorf("%q shows %q", err, s)
		}
	}
	switch e := err.(type) { //nolint:errorlint // the tree is walked by hand
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			checkSecrets(t, inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			checkSecrets(t, inner)
		}
	}
}
