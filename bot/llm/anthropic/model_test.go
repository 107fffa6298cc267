package anthropic

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/llmtest"
)

// TestContract: what all providers' models promise (I11).
func TestContract(t *testing.T) { llmtest.RunContract(t, protocol()) }

// TestStream reads what only this protocol has, and takes nothing for an answer
// that does not say that it is complete.
func TestStream(t *testing.T) {
	for name, a := range map[string]llmtest.Answer{
		"thoughts before the text":    {From: llmtest.Stream(start, think, say("Hi"), reason("end_turn"), stop), Text: "Hi", Stop: llm.StopEnd, Sent: true},
		"a reason without the marker": {From: llmtest.Stream(start, say("Hi"), reason("end_turn")), Text: "Hi", Sent: true, Err: &llm.Error{Kind: llm.Transient, Detail: "no_end"}},
		"a marker without a reason":   {From: llmtest.Stream(start, say("Hi"), stop), Text: "Hi", Sent: true, Err: &llm.Error{Kind: llm.Transient, Detail: "no_reason"}},
		"an error as JSON, 200":       {From: llmtest.JSON(200, `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`), Err: &llm.Error{Kind: llm.Overloaded, Detail: "overloaded_error"}},
		"a message as JSON, 200":      {From: llmtest.JSON(200, `{"type":"message","content":[]}`), Sent: true, Err: &llm.Error{Kind: llm.Transient, Detail: llm.NoStream}},
		"overloaded in the middle":    {From: llmtest.Stream(start, say("Hi"), event("error", `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`)), Text: "Hi", Sent: true, Err: &llm.Error{Kind: llm.Overloaded, Detail: "overloaded_error"}},
		"an error that is no JSON":    {From: llmtest.Stream(start, event("error", llmtest.Key)), Sent: true, Err: &llm.Error{Kind: llm.Transient}},
		"an event that is no JSON":    {From: llmtest.Stream(start, event("message_delta", "{"+llmtest.Key)), Sent: true, Err: &llm.Error{Kind: llm.Transient, Detail: "unreadable"}},
		"the length limit":            {From: llmtest.Stream(start, say("Hi"), reason("max_tokens"), stop), Text: "Hi", Stop: llm.StopLength, Sent: true, Err: &llm.Error{Kind: llm.Truncated, Detail: "max_tokens"}},
		"the context's end":           {From: llmtest.Stream(start, reason("model_context_window_exceeded"), stop), Stop: llm.StopLength, Sent: true, Err: &llm.Error{Kind: llm.Truncated, Detail: "model_context_window_exceeded"}},
		"a refusal":                   {From: llmtest.Stream(start, reason("refusal"), stop), Stop: llm.StopRefusal, Sent: true, Err: &llm.Error{Kind: llm.Refused, Detail: "cyber"}},
		"a tool nobody offered":       {From: llmtest.Stream(start, reason("tool_use"), stop), Sent: true, Err: &llm.Error{Kind: llm.Malformed, Detail: "tool_use"}},
		"a prompt's words as a fault": {From: llmtest.JSON(400, `{"error":{"type":"SECRETTALK","code":"layoffs","param":"bob.smith"}}`), Err: &llm.Error{Kind: llm.Config, Status: 400}},
		"429 with a date far off":     {From: llmtest.JSON(429, `{"error":{"type":"rate_limit_error"}}`, "retry-after", "3600"), Err: &llm.Error{Kind: llm.RateLimited, Status: 429, Detail: "rate_limit_error", After: time.Hour}},
		"529":                         {From: llmtest.JSON(529, `{"error":{"type":"overloaded_error"}}`, "retry-after-ms", "1500"), Err: &llm.Error{Kind: llm.Overloaded, Status: 529, Detail: "overloaded_error", After: 1500 * time.Millisecond}},
		"401":                         {From: llmtest.JSON(401, `{"error":{"type":"authentication_error","message":"`+llmtest.Key+`"}}`), Err: &llm.Error{Kind: llm.Auth, Status: 401, Detail: "authentication_error"}},
		"no credit":                   {From: llmtest.JSON(400, `{"error":{"type":"billing_error"}}`), Err: &llm.Error{Kind: llm.RateLimited, Status: 400, Detail: "billing_error", After: time.Hour}},
		"404":                         {From: llmtest.JSON(404, `{"error":{"type":"not_found_error"}}`), Err: &llm.Error{Kind: llm.Unknown, Status: 404, Detail: "not_found_error"}},
		"400 that repeats all":        {From: llmtest.JSON(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt was: hello, key `+llmtest.Key+`"}}`, "request-id", llmtest.Key), Err: &llm.Error{Kind: llm.Config, Status: 400, Detail: "invalid_request_error"}},
		"a key where a type belongs":  {From: llmtest.JSON(400, `{"error":{"type":"`+llmtest.Key+`"}}`), Err: &llm.Error{Kind: llm.Config, Status: 400}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a.Check(t, model(t, llmtest.Serve(t, a.From), Options{}))
		})
	}
}

// TestUsage takes the kinds of input apart; the API counts them apart, too, and
// its totals grow.
func TestUsage(t *testing.T) {
	m := model(t, llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("request-id", "req_1")
		llmtest.Stream(start, say("Hi"), reason("end_turn"), stop)(w, r)
	}), Options{})
	_, got, err := llmtest.Ask(t.Context(), m, llmtest.Request())
	if err != nil {
		t.Fatal(err)
	}
	if got.First <= 0 {
		t.Errorf("the time to the first text is %v", got.First)
	}
	got.First = 0
	want := llm.Result{Stop: llm.StopEnd, Model: "claude-test-1", RequestID: "req_1", Sent: true, Usage: used}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRequest shows what is sent, byte for byte, and what is not.
func TestRequest(t *testing.T) {
	var body, path, auth string
	m := model(t, llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, path, auth = string(b), r.URL.Path, r.Header.Get("x-api-key")
		llmtest.Stream(start, reason("end_turn"), stop)(w, r)
	}), Options{})
	r := llmtest.Request()
	r.Messages = []llm.Message{
		{Role: llm.User, Blocks: []llm.Block{{Text: "one", Cache: true}, {Text: ""}, {Text: "two", Cache: true}}},
		{Role: llm.Assistant, Blocks: []llm.Block{{Text: "three", Cache: true}}},
		{Role: llm.User, Blocks: []llm.Block{{Text: "four", Cache: true}, {Text: "reminder"}}},
	}
	if _, _, err := llmtest.Ask(t.Context(), m, r); err != nil {
		t.Fatal(err)
	}
	kept := `"cache_control":{"ttl":"1h","type":"ephemeral"},`
	for _, want := range []string{
		`"system":[{"text":"rules","type":"text"}]`,
		`{"content":[{"text":"one",` + kept + `"type":"text"},{"text":"two",` + kept + `"type":"text"}],"role":"user"}`,
		`{"text":"reminder","type":"text"}`,
		`"properties":{"stance":{"type":"string"},"speaker":{"type":"string"},"text":{"type":"string"}}`,
		`"effort":"low"`, `"max_tokens":4096`, `"stream":true`, `"model":"claude-test"`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the request lacks %s:\n%s", want, body)
		}
	}
	for _, refused := range []string{"temperature", "top_p", "tool_choice", "thinking", llmtest.Key} {
		if strings.Contains(body, refused) {
			t.Errorf("the request holds %q", refused)
		}
	}
	if path != "/v1/messages" || auth != llmtest.Key {
		t.Errorf("got path %q and key %q", path, auth)
	}
	if got := strings.Count(body, `"ephemeral"`); got != 4 {
		t.Errorf("got %d breakpoints, want the last 4", got)
	}
}

// TestBrokenSchema: a schema that is no JSON does not leave.
func TestBrokenSchema(t *testing.T) {
	m := model(t, llmtest.Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }), Options{})
	r := llmtest.Request()
	r.Schema = json.RawMessage(`{`)
	_, _, err := llmtest.Ask(t.Context(), m, r)
	llmtest.CheckError(t, err, &llm.Error{Kind: llm.Config})
}

func TestNew(t *testing.T) {
	for name, o := range map[string]Options{"no model": {Key: llmtest.Key}, "no key": {Model: "m"}} {
		if m, err := New(o); err == nil {
			t.Errorf("%s: got %v, want an error", name, m.Name())
		}
	}
}

// FuzzStream: an answer is complete only if the marker of its end and a reason
// came.
func FuzzStream(f *testing.F) {
	llmtest.FuzzStream(f, protocol(),
		func(sent string) bool {
			return strings.Contains(sent, "message_stop") && strings.Contains(sent, "stop_reason")
		},
		start+stop, reason("end_turn"), event("error", llmtest.Key),
		event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"stop_sequence"},"usage":{"output_tokens":-9e99}}`)+stop,
		start+event("content_block_delta", `{"type":"content_block_delta","delta":{"type":"text_delta","text":"\ud800"}}`), "event: message_stop\n\n",
	)
}
