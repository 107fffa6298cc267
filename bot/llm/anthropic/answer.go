package anthropic

import (
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/wire"
)

// answer takes in the events of a stream.
type answer struct {
	x      *wire.Exchange
	result *llm.Result
	reason sdk.StopReason
	// why is the category of a refusal.
	why string
	// ended is set by the one event that ends an answer.
	ended bool
}

var _ wire.Reading[sdk.MessageStreamEventUnion] = (*answer)(nil)

// Take implements llm.Reading. Thinking is read past; only text is text.
func (a *answer) Take(e sdk.MessageStreamEventUnion, text func(string) error) error {
	switch e.Type {
	case "message_start":
		a.result.Model = e.Message.Model
		a.result.Usage = started(e.Message.Usage)
	case "content_block_delta":
		if e.Delta.Type != "text_delta" || e.Delta.Text == "" {
			return nil
		}
		a.x.Arrived()
		return text(e.Delta.Text)
	case "message_delta":
		if e.Delta.StopReason != "" {
			a.reason, a.why = e.Delta.StopReason, string(e.Delta.StopDetails.Category)
		}
		grow(&a.result.Usage, e.Usage)
	case "message_stop":
		a.ended = true
	}
	return nil
}

// started is the usage at the beginning. What was written to a cache without a
// word on how long was written for the hour that we ask for.
func started(u sdk.Usage) llm.Usage {
	hour := u.CacheCreation.Ephemeral1hInputTokens
	if rest := u.CacheCreationInputTokens - hour - u.CacheCreation.Ephemeral5mInputTokens; rest > 0 {
		hour += rest
	}
	return llm.Usage{
		Input: u.InputTokens, CacheRead: u.CacheReadInputTokens,
		CacheWrite5m: u.CacheCreation.Ephemeral5mInputTokens, CacheWrite1h: hour,
		Output: u.OutputTokens, Reasoning: u.OutputTokensDetails.ThinkingTokens,
	}
}

// grow takes in later counts, which are totals and of which some are left out.
func grow(u *llm.Usage, d sdk.MessageDeltaUsage) {
	u.Input = max(u.Input, d.InputTokens)
	u.CacheRead = max(u.CacheRead, d.CacheReadInputTokens)
	u.CacheWrite1h = max(u.CacheWrite1h, d.CacheCreationInputTokens-u.CacheWrite5m)
	u.Output = max(u.Output, d.OutputTokens)
	u.Reasoning = max(u.Reasoning, d.OutputTokensDetails.ThinkingTokens)
}

// Ended implements llm.Reading.
func (a *answer) Ended() bool { return a.ended }

// Done implements llm.Reading.
func (a *answer) Done() bool { return a.ended }

// Announced implements llm.Reading. An "error" event is an error of the library's with
// the status of the stream, which is 200.
func (a *answer) Announced(err error) ([]byte, bool) {
	said, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return nil, false
	}
	return []byte(said.RawJSON()), true
}

// Outcome implements llm.Reading.
func (a *answer) Outcome() error {
	switch a.reason {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
		a.result.Stop = llm.StopEnd
		return nil
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		a.result.Stop = llm.StopLength
		return a.x.Problem(llm.Truncated, string(a.reason))
	case sdk.StopReasonRefusal:
		a.result.Stop = llm.StopRefusal
		return a.x.Problem(llm.Refused, a.x.Word(a.why))
	case sdk.StopReasonToolUse, sdk.StopReasonPauseTurn:
		// Nothing was offered that could be used or paused for.
		return a.x.Problem(llm.Malformed, string(a.reason))
	}
	return a.x.Problem(llm.Transient, "no_reason")
}
