package openai

import (
	"errors"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/wire"
)

// answer takes in the chunks of a stream. The library's own accumulator drops
// text when a server changes the id from chunk to chunk.
type answer struct {
	x      *wire.Exchange
	result *llm.Result
	finish string
	// declined is set once the model says no in the field meant for it.
	declined bool
	// usage is set where a count is expected, counted once it came.
	usage, counted bool
}

var _ wire.Reading[sdk.ChatCompletionChunk] = (*answer)(nil)

// Ended implements llm.Reading.
func (a *answer) Ended() bool { return a.finish != "" }

// Done implements llm.Reading: the count may follow the end of the text.
func (a *answer) Done() bool { return a.finish != "" && (a.counted || !a.usage) }

// Announced implements llm.Reading.
func (a *answer) Announced(err error) ([]byte, bool) {
	said, ok := errors.AsType[*ssestream.StreamError](err)
	if !ok {
		return nil, false
	}
	return said.Event.Data, true
}

// Take implements llm.Reading. Thinking, which some servers send in a field of their
// own, is no text.
func (a *answer) Take(c sdk.ChatCompletionChunk, text func(string) error) error {
	if c.Model != "" {
		a.result.Model = c.Model
	}
	if c.JSON.Usage.Valid() {
		a.result.Usage, a.counted = usage(c.Usage), true
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.Delta.Refusal != "" {
			a.declined = true
		}
		if choice.Delta.Content != "" && a.finish == "" {
			a.x.Arrived()
			if err := text(choice.Delta.Content); err != nil {
				return err
			}
		}
		if choice.FinishReason != "" && a.finish == "" {
			a.finish = choice.FinishReason
			a.x.Hasten(usageGrace)
		}
	}
	return nil
}

// usage takes the kinds of input apart, which the API counts within each other.
// What was written to a cache was written for a short time.
func usage(u sdk.CompletionUsage) llm.Usage {
	read, wrote := u.PromptTokensDetails.CachedTokens, u.PromptTokensDetails.CacheWriteTokens
	return llm.Usage{
		Input: max(0, u.PromptTokens-read-wrote), CacheRead: read, CacheWrite5m: wrote,
		Output: u.CompletionTokens, Reasoning: u.CompletionTokensDetails.ReasoningTokens,
	}
}

// Outcome implements llm.Reading.
func (a *answer) Outcome() error {
	switch {
	case a.declined, a.finish == "content_filter":
		a.result.Stop = llm.StopRefusal
		return a.x.Problem(llm.Refused, a.x.Word(a.finish))
	case a.finish == "length":
		a.result.Stop = llm.StopLength
		return a.x.Problem(llm.Truncated, a.finish)
	case a.finish == "stop", a.finish == "eos":
		a.result.Stop = llm.StopEnd
		return nil
	case a.finish == "error":
		return a.x.Problem(llm.Transient, a.finish)
	}
	// Tools were not offered, and what else there may be is no end of a text.
	return a.x.Problem(llm.Malformed, a.x.Word(a.finish))
}
