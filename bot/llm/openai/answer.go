package openai

import (
	sdk "github.com/openai/openai-go/v3"

	"github.com/roundtable-chat/app/bot/llm"
)

// answer takes in the chunks of a stream. The library's own accumulator drops
// text when a server changes the id from chunk to chunk.
type answer struct {
	x      *llm.Exchange
	result *llm.Result
	finish string
	// declined is set once the model says no in the field meant for it.
	declined bool
	counted  bool
}

// done reports whether all has come that is worth waiting for.
func (a *answer) done(usage bool) bool { return a.finish != "" && (a.counted || !usage) }

// chunk takes in one chunk. Thinking, which some servers send in a field of their
// own, is no text.
func (a *answer) chunk(c sdk.ChatCompletionChunk, text func(string) error) error {
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

// outcome says how a finished answer ended.
func (a *answer) outcome() error {
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
