package openai

import (
	"encoding/json"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/llmtest"
)

// model makes one that asks at url.
func model(t testing.TB, url string, o Options) *Model {
	t.Helper()
	o.Model, o.Key, o.BaseURL = "gpt-test", llmtest.Key, url+"/v1"
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// protocol is that of chat completions, for what all providers have in common.
func protocol() llmtest.Protocol {
	return llmtest.Protocol{
		New: func(t testing.TB, url string, l llmtest.Limits) llm.Model {
			return model(t, url, Options{Idle: l.Idle, Timeout: l.Timeout})
		},
		Alive: ": keep-alive\n\n", Say: say, Last: finish("stop") + counted + done,
		Overloaded:  `{"error":{"message":"x","type":"server_error","code":"overloaded"}}`,
		Environment: []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_CUSTOM_HEADERS"},
	}
}

// chunk is one chunk of a stream with a choice.
func chunk(id, delta, finish string) string {
	if finish != "" {
		finish = `"` + finish + `"`
	} else {
		finish = "null"
	}
	return "data: " + `{"id":"` + id + `","object":"chat.completion.chunk","created":1,"model":"gpt-test-1","choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}],"usage":null}` + "\n\n"
}

func say(s string) string {
	b, _ := json.Marshal(s)
	return chunk("c1", `{"content":`+string(b)+`}`, "")
}

func finish(why string) string { return chunk("c1", `{}`, why) }

const (
	counted = "data: " + `{"id":"c1","object":"chat.completion.chunk","model":"gpt-test-1","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":25,"total_tokens":125,"prompt_tokens_details":{"cached_tokens":60,"cache_write_tokens":30},"completion_tokens_details":{"reasoning_tokens":12}}}` + "\n\n"
	done    = "data: [DONE]\n\n"
)

// used is what counted says.
var used = llm.Usage{Input: 10, CacheRead: 60, CacheWrite5m: 30, Output: 25, Reasoning: 12}
