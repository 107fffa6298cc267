package llm

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"
)

// Checker is a Model that can be asked, outside any discussion, whether it would
// do: does the key open, is the model there, do its answers take the form that
// they are told.
type Checker interface {
	// Check asks the provider. An error is an *Error: the model cannot be used as
	// it is configured, or nobody answered.
	Check(ctx context.Context) (Capability, error)
}

// Capability is what a provider says of a model, or what a trial showed.
type Capability struct {
	// Model is the provider's id of what answers to the configured name.
	Model string
	// Structured says whether answers take the form that they are told.
	Structured Support
	// MaxTokens is the longest answer, 0 if the provider does not say.
	MaxTokens int64
	// Retiring is set when the provider is going to withdraw the model, or has;
	// Retires is when, zero if it does not say.
	Retiring bool
	Retires  time.Time
	// Usage is what finding out cost; nothing where the provider's catalogue tells.
	Usage Usage
}

// Support says whether something is supported.
type Support string

// The answers.
const (
	Untold      Support = "untold"
	Supported   Support = "supported"
	Ignored     Support = "ignored"     // it is taken, and has no effect
	Unsupported Support = "unsupported" // whoever asks for it is refused
)

// Details of an *Error that say that something else than the provider's API
// answered: a page in place of a document, or of a stream.
const (
	NotJSON  = "no_document"
	NoStream = "no_stream"
)

// trialForm is the form that a trial's answer is told, and that its question,
// which asks for a word, would not suggest.
const trialForm = `{"type":"object","properties":{"ready":{"type":"boolean"}},"required":["ready"],"additionalProperties":false}`

// trialTokens leaves room for a model that thinks first.
const trialTokens = 2048

// Try asks a model a question of a few words that has to be answered in a form. It
// costs what such a question costs. Forms are Unsupported where the question is
// refused with one and answered without.
func Try(ctx context.Context, m Model) (Capability, error) {
	request := Request{
		Messages: []Message{{Role: User, Blocks: []Block{{Text: "Are you ready to take part in a discussion? Answer yes or no."}}}},
		Schema:   json.RawMessage(trialForm), SchemaName: "readiness", MaxTokens: trialTokens, Effort: EffortLow,
	}
	c, answer, err := try(ctx, m, request)
	if err == nil {
		c.Structured = Ignored
		if fitsTrial(answer) {
			c.Structured = Supported
		}
		return c, nil
	}
	e, ok := errors.AsType[*Error](err)
	if ok && (e.Kind == Truncated || e.Kind == Refused) {
		return c, nil // it answers, and that is all that this shows
	}
	if ok && e.Kind == Config {
		request.Schema = nil
		if formless, _, again := try(ctx, m, request); again == nil {
			formless.Structured = Unsupported
			return formless, nil
		}
	}
	return c, err
}

// modelForm is how providers name models.
var modelForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,99}$`)

func try(ctx context.Context, m Model, r Request) (Capability, string, error) {
	var answer strings.Builder
	result, err := m.Stream(ctx, r, func(piece string) error {
		answer.WriteString(piece)
		return nil
	})
	if !modelForm.MatchString(result.Model) {
		result.Model = "" // whatever it is, it is no name that a terminal should show
	}
	return Capability{Model: result.Model, Structured: Untold, Usage: result.Usage}, answer.String(), err
}

// fitsTrial reports whether an answer has the form of a trial's, as a whole.
func fitsTrial(answer string) bool {
	var fields map[string]json.RawMessage
	var ready bool
	return json.Unmarshal([]byte(answer), &fields) == nil && len(fields) == 1 && json.Unmarshal(fields["ready"], &ready) == nil
}
