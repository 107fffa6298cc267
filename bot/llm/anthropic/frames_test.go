package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/llmtest"
)

// model makes one that asks at url.
func model(t testing.TB, url string, o Options) *Model {
	t.Helper()
	o.Model, o.Key, o.BaseURL = "claude-test", llmtest.Key, url
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// protocol is Anthropic's, for what all providers have in common.
func protocol() llmtest.Protocol {
	return llmtest.Protocol{
		New: func(t testing.TB, url string, l llmtest.Limits) llm.Model {
			return model(t, url, Options{Idle: l.Idle, Timeout: l.Timeout})
		},
		Begin: start, Alive: event("ping", `{"type":"ping"}`), Say: say, Last: reason("end_turn") + stop,
		Overloaded:  `{"type":"error","error":{"type":"overloaded_error"}}`,
		Environment: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_CUSTOM_HEADERS"},
	}
}

// event is one server-sent event.
func event(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

var (
	start = event("message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-1","content":[],"stop_reason":null,"usage":{"input_tokens":100,"cache_read_input_tokens":40,"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},"output_tokens":1}}}`)
	think = event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`) +
		event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"`+llmtest.Thought+`"}}`)
	stop = event("message_stop", `{"type":"message_stop"}`)
)

// used is what start and reason count.
var used = llm.Usage{Input: 100, CacheRead: 40, CacheWrite5m: 10, CacheWrite1h: 20, Output: 25, Reasoning: 12}

func say(s string) string {
	b, _ := json.Marshal(s)
	return event("content_block_delta", `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":`+string(b)+`}}`)
}

func reason(r string) string {
	return event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"`+r+`","stop_details":{"type":"refusal","category":"cyber","explanation":"no"}},"usage":{"output_tokens":25,"output_tokens_details":{"thinking_tokens":12}}}`)
}
