package llm

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Model answers a request in a stream. Implementations are safe for concurrent
// use, retry nothing, and take an answer for complete only if the provider's
// terminal marker arrived.
type Model interface {
	// Stream sends the request and calls text with each piece of visible text as
	// it arrives; an error from text ends the call and is returned as it is. Every
	// other error is an *Error, and every answer that did not end with StopEnd has
	// one: Refused, Truncated, or Transient if its end never arrived. The result is
	// filled as far as it is known, also with an error: what was used is charged,
	// whatever came of it.
	Stream(ctx context.Context, r Request, text func(string) error) (Result, error)
	// Name is "provider:model", as the configuration wrote it.
	Name() string
}

// Request is one question. System and Messages in this order are the prompt; all
// of it up to the last block with Cache set is expected to come again, byte for
// byte, in later requests.
type Request struct {
	System   []Block
	Messages []Message
	// Schema is the JSON schema that the answer must fit, with its properties in
	// the order in which they are to be written; SchemaName is a short identifier.
	Schema     json.RawMessage
	SchemaName string
	// MaxTokens bounds the answer, thinking included.
	MaxTokens int
	Effort    Effort
	// CacheKey is the same for requests that share a prefix: the discussion.
	CacheKey string
}

// Check reports what no provider would take: no question, one that ends with the
// model's own words (which current models refuse to go on from), no room for an
// answer.
func (r Request) Check() error {
	switch {
	case len(r.Messages) == 0:
		return errors.New("a request needs a message")
	case r.Messages[len(r.Messages)-1].Role != User:
		return errors.New("a request ends with a message to the model")
	case r.MaxTokens <= 0:
		return errors.New("a request needs room for an answer")
	}
	return nil
}

// Block is a piece of text, and whether a cache may end its prefix after it.
type Block struct {
	Text  string
	Cache bool
}

// Message is a turn of the conversation with the model.
type Message struct {
	Role   Role
	Blocks []Block
}

// Role is who speaks in a conversation with a model.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Effort is how long a model that can think should do so.
type Effort string

// The efforts; empty is the provider's own choice.
const (
	EffortLow    Effort = "low"
	EffortMedium Effort = "medium"
)

// Result is what is known of an answer besides its text.
type Result struct {
	// Stop is why the answer ended; empty if its end never arrived.
	Stop Stop
	// Usage is what was used; Estimated when the provider did not say. A Model
	// leaves zero what it was not told, and its Chain estimates it.
	Usage Usage
	// Sent is set once the request has left and the provider has not refused it:
	// it may be charged even if nothing came back.
	Sent bool
	// Model is the model that answered, by the provider's account; RequestID the
	// provider's name for the request.
	Model     string
	RequestID string
	// First is the time from the request to the first piece of text.
	First time.Duration
	// Asked is the model that was asked, by its configured name: what a provider calls
	// it is the provider's to choose, and goes into no error. Set by an Asker.
	Asked string
	// Engine names the model that answered where it is not the one that was to
	// answer, else it is empty. Set by Chain.
	Engine string
	// Spent is what the discussion has cost so far, this call included: what
	// Framing, Ending and Draft report. Set by Chain, also with an error.
	Spent thread.Spend
}

// Stop is why an answer ended.
type Stop string

// The reasons.
const (
	StopEnd     Stop = "end"     // the answer is complete
	StopLength  Stop = "length"  // MaxTokens or the context window was reached
	StopRefusal Stop = "refusal" // the model or a filter refused
)

// Usage counts tokens. The kinds of input do not overlap: Input was read anew,
// CacheRead came from a cache, CacheWrite5m and CacheWrite1h were read anew and
// kept. Reasoning is a part of Output.
type Usage struct {
	Input        int64 `json:"input"`
	CacheRead    int64 `json:"cache_read,omitempty"`
	CacheWrite5m int64 `json:"cache_write_5m,omitempty"`
	CacheWrite1h int64 `json:"cache_write_1h,omitempty"`
	Output       int64 `json:"output"`
	Reasoning    int64 `json:"reasoning,omitempty"`
	// Estimated is true when the provider did not say and the length of the texts
	// stands for the count.
	Estimated bool `json:"estimated,omitempty"`
}

// Prompt is all input, wherever it came from.
func (u Usage) Prompt() int64 { return u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h }

// Total is all tokens.
func (u Usage) Total() int64 { return u.Prompt() + u.Output }

// sane bounds what a provider counted: nothing is negative, or so large that sums
// of it overflow.
func (u Usage) sane() Usage {
	for _, n := range []*int64{&u.Input, &u.CacheRead, &u.CacheWrite5m, &u.CacheWrite1h, &u.Output, &u.Reasoning} {
		*n = min(max(*n, 0), tokensCounted)
	}
	u.Reasoning = min(u.Reasoning, u.Output)
	return u
}

// Add is the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, CacheRead: u.CacheRead + v.CacheRead,
		CacheWrite5m: u.CacheWrite5m + v.CacheWrite5m, CacheWrite1h: u.CacheWrite1h + v.CacheWrite1h,
		Output: u.Output + v.Output, Reasoning: u.Reasoning + v.Reasoning,
		Estimated: u.Estimated || v.Estimated,
	}
}
