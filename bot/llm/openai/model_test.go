package openai

import (
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

// TestStream reads what only this protocol has, in the dialects of its servers,
// and takes nothing for an answer that does not say that it is complete.
func TestStream(t *testing.T) {
	for name, a := range map[string]llmtest.Answer{
		"no count of tokens":          {From: llmtest.Stream(say("Hi"), finish("stop"), done), Text: "Hi", Stop: llm.StopEnd, Sent: true},
		"a cut after the end":         {From: llmtest.Stream(say("Hi"), finish("stop"), "data: {"), Text: "Hi", Stop: llm.StopEnd, Sent: true},
		"an id that changes":          {From: llmtest.Stream(chunk("a", `{"content":"Hi"}`, ""), chunk("b", `{"content":" all"}`, ""), chunk("", `{}`, "stop"), done), Text: "Hi all", Stop: llm.StopEnd, Sent: true},
		"thoughts in their own field": {From: llmtest.Stream(chunk("a", `{"reasoning_content":"`+llmtest.Thought+`"}`, ""), say("Hi"), finish("stop"), done), Text: "Hi", Stop: llm.StopEnd, Sent: true},
		"text in the last chunk":      {From: llmtest.Stream(chunk("a", `{"content":"Hi"}`, "stop"), counted, done), Text: "Hi", Stop: llm.StopEnd, Sent: true},
		"done without a reason":       {From: llmtest.Stream(say("Hi"), done), Text: "Hi", Sent: true, Err: &llm.Error{Kind: llm.Transient, Detail: "no_end"}},
		"an error as plain text, 200": {From: llmtest.Reply(200, "text/plain", `{"error":{"code":"model_not_found"}}`), Err: &llm.Error{Kind: llm.Unknown, Detail: "model_not_found"}},
		"an error as JSON, 200":       {From: llmtest.JSON(200, `{"error":{"type":"server_error","message":"x"}}`), Err: &llm.Error{Kind: llm.Transient, Detail: "server_error"}},
		"a completion as JSON, 200":   {From: llmtest.JSON(200, `{"choices":[{"message":{"content":"Hi"}}]}`), Sent: true, Err: &llm.Error{Kind: llm.Transient, Detail: llm.NoStream}},
		"an error in the middle":      {From: llmtest.Stream(say("Hi"), `data: {"error":{"message":"`+llmtest.Key+`","code":502}}`+"\n\n"), Text: "Hi", Sent: true, Err: &llm.Error{Kind: llm.Transient}},
		"a limit in the middle":       {From: llmtest.Stream(say("Hi"), `data: {"error":{"message":"x","type":"rate_limit_error","code":"rate_limit_exceeded"}}`+"\n\n"), Text: "Hi", Sent: true, Err: &llm.Error{Kind: llm.RateLimited, Detail: "rate_limit_exceeded"}},
		"an error as a string":        {From: llmtest.Stream(`data: {"error":"hello"}` + "\n\n"), Sent: true, Err: &llm.Error{Kind: llm.Transient, Detail: "unspecified"}},
		"a chunk that is no JSON":     {From: llmtest.Stream(say("Hi"), "data: {"+llmtest.Key+"\n\n"), Text: "Hi", Sent: true, Err: &llm.Error{Kind: llm.Transient, Detail: "unreadable"}},
		"the length limit":            {From: llmtest.Stream(say("Hi"), finish("length"), done), Text: "Hi", Stop: llm.StopLength, Sent: true, Err: &llm.Error{Kind: llm.Truncated, Detail: "length"}},
		"a filter":                    {From: llmtest.Stream(finish("content_filter"), done), Stop: llm.StopRefusal, Sent: true, Err: &llm.Error{Kind: llm.Refused, Detail: "content_filter"}},
		"a refusal in its own field":  {From: llmtest.Stream(chunk("a", `{"refusal":"no"}`, ""), finish("stop"), done), Stop: llm.StopRefusal, Sent: true, Err: &llm.Error{Kind: llm.Refused, Detail: "stop"}},
		"a tool nobody offered":       {From: llmtest.Stream(finish("tool_calls"), done), Sent: true, Err: &llm.Error{Kind: llm.Malformed, Detail: "tool_calls"}},
		"a prompt's words as a fault": {From: llmtest.JSON(400, `{"error":{"type":"SECRETTALK","code":"layoffs","param":"bob.smith"}}`), Err: &llm.Error{Kind: llm.Config, Status: 400}},
		"a prompt's word as an end":   {From: llmtest.Stream(say("Hi"), finish("layoffs"), done), Text: "Hi", Sent: true, Err: &llm.Error{Kind: llm.Malformed}},
		"429":                         {From: llmtest.JSON(429, `{"error":{"message":"x","type":"requests","code":"rate_limit_exceeded"}}`, "retry-after", "2"), Err: &llm.Error{Kind: llm.RateLimited, Status: 429, Detail: "rate_limit_exceeded", After: 2 * time.Second}},
		"no credit":                   {From: llmtest.JSON(429, `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`), Err: &llm.Error{Kind: llm.RateLimited, Status: 429, Detail: "insufficient_quota", After: time.Hour}},
		"402":                         {From: llmtest.JSON(402, `{"error":{"message":"x","code":402}}`), Err: &llm.Error{Kind: llm.RateLimited, Status: 402, After: time.Hour}},
		"401":                         {From: llmtest.JSON(401, `{"error":{"message":"Incorrect API key `+llmtest.Key+`","code":"invalid_api_key"}}`), Err: &llm.Error{Kind: llm.Auth, Status: 401, Detail: "invalid_api_key"}},
		"404 with a string":           {From: llmtest.JSON(404, `{"error":"model 'hello' not found"}`), Err: &llm.Error{Kind: llm.Unknown, Status: 404, Detail: "unspecified"}},
		"404 of vLLM":                 {From: llmtest.JSON(404, `{"object":"error","message":"hello","type":"NotFoundError","param":null,"code":404}`), Err: &llm.Error{Kind: llm.Unknown, Status: 404, Detail: "NotFoundError"}},
		"503 of Gemini, in a list":    {From: llmtest.JSON(503, `[{"error":{"code":503,"message":"hello","status":"UNAVAILABLE"}}]`), Err: &llm.Error{Kind: llm.Overloaded, Status: 503, Detail: "UNAVAILABLE"}},
		"a filter of Azure":           {From: llmtest.JSON(400, `{"error":{"code":"content_filter","message":"hello"}}`), Err: &llm.Error{Kind: llm.Refused, Status: 400, Detail: "content_filter"}},
		"400 that names a parameter":  {From: llmtest.JSON(400, `{"error":{"message":"hello","type":"invalid_request_error","param":"reasoning_effort","code":null}}`), Err: &llm.Error{Kind: llm.Config, Status: 400, Detail: "invalid_request_error reasoning_effort"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a.Check(t, model(t, llmtest.Serve(t, a.From), Options{}))
		})
	}
}

// TestUsage takes apart what the API counts within each other.
func TestUsage(t *testing.T) {
	m := model(t, llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("x-request-id", "req_1")
		llmtest.Stream(say("Hi"), finish("stop"), counted, done)(w, r)
	}), Options{})
	_, got, err := llmtest.Ask(t.Context(), m, llmtest.Request())
	if err != nil {
		t.Fatal(err)
	}
	if got.First <= 0 {
		t.Errorf("the time to the first text is %v", got.First)
	}
	got.First = 0
	want := llm.Result{Stop: llm.StopEnd, Model: "gpt-test-1", RequestID: "req_1", Sent: true, Usage: used}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestContradictingUsage: more cannot have come from a cache than was asked.
func TestContradictingUsage(t *testing.T) {
	count := `data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":12}}}` + "\n\n"
	m := model(t, llmtest.Serve(t, llmtest.Stream(say("Hi"), finish("stop"), count, done)), Options{})
	_, got, err := llmtest.Ask(t.Context(), m, llmtest.Request())
	if want := (llm.Usage{CacheRead: 12, Output: 1}); err != nil || got.Usage != want {
		t.Errorf("got %+v, %v, want %+v", got.Usage, err, want)
	}
}

// TestCountIsNotWaitedForLong: a server that ends its text and then says nothing
// holds nobody up, and the text is complete.
func TestCountIsNotWaitedForLong(t *testing.T) {
	m := model(t, llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		llmtest.Stream(say("Hi"), finish("stop"))(w, r)
		<-r.Context().Done()
	}), Options{Idle: 50 * time.Millisecond})
	if text, result, err := llmtest.Ask(t.Context(), m, llmtest.Request()); err != nil || text != "Hi" || result.Stop != llm.StopEnd {
		t.Errorf("got %q, %q, %v", text, result.Stop, err)
	}
}

// TestRequest shows what is sent to servers of each kind.
func TestRequest(t *testing.T) {
	schema := `"schema":` + string(llmtest.Request().Schema)
	for name, c := range map[string]struct {
		profile   string
		has, lack []string
	}{
		"OpenAI": {"openai",
			[]string{`"max_completion_tokens":4096`, `"strict":true`, schema, `"include_usage":true`, `"reasoning_effort":"low"`, `"prompt_cache_key":"D1"`, `{"content":"rules","role":"system"}`, `"stream":true`},
			[]string{`"max_tokens"`}},
		"one with a grammar": {"compatible",
			[]string{`"max_tokens":4096`, schema, `"include_usage":true`},
			[]string{`"max_completion_tokens"`, `"strict"`, `"reasoning_effort"`, `"prompt_cache_key"`}},
		"the least": {"minimal,system_role=user",
			[]string{`"max_tokens":4096`, `rules\n\nAnswer with one JSON object that fits this schema, and with nothing else:\n{\"type\"`, `"role":"user"},{"content":"hello","role":"user"}`},
			[]string{`"response_format"`, `"include_usage"`, `"reasoning_effort"`}},
		"a developer": {"openai,system_role=developer,reasoning_effort=false",
			[]string{`{"content":"rules","role":"developer"}`}, []string{`"reasoning_effort"`}},
	} {
		t.Run(name, func(t *testing.T) {
			profile, err := ParseProfile(c.profile)
			if err != nil {
				t.Fatal(err)
			}
			var body, path, auth string
			m := model(t, llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				body, path, auth = string(b), r.URL.Path, r.Header.Get("authorization")
				llmtest.Stream(finish("stop"), done)(w, r)
			}), Options{Profile: profile})
			if _, _, err := llmtest.Ask(t.Context(), m, llmtest.Request()); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.has {
				if !strings.Contains(body, want) {
					t.Errorf("the request lacks %s:\n%s", want, body)
				}
			}
			for _, unwanted := range append(c.lack, "temperature", "top_p", "tool_choice", llmtest.Key) {
				if strings.Contains(body, unwanted) {
					t.Errorf("the request holds %s:\n%s", unwanted, body)
				}
			}
			if path != "/v1/chat/completions" || auth != "Bearer "+llmtest.Key {
				t.Errorf("got path %q and authorization %q", path, auth)
			}
		})
	}
}

// TestPrefix: blocks make one text, and what was cached stays the beginning of it.
func TestPrefix(t *testing.T) {
	one := []llm.Block{{Text: "a", Cache: true}, {Text: ""}, {Text: "b", Cache: true}}
	two := append(one[:2:2], llm.Block{Text: "b"}, llm.Block{Text: "c"})
	if got := join(two); got != "a\n\nb\n\nc" || !strings.HasPrefix(got, join(one)) {
		t.Errorf("got %q, want it to begin with %q", got, join(one))
	}
}

func TestParseProfile(t *testing.T) {
	for _, bad := range []string{"ollama", "openai,", "openai,json_schema=yaml", "openai,stream_usage=perhaps", "openai,temperature=1", "compatible,max_tokens_field=n"} {
		if p, err := ParseProfile(bad); err == nil {
			t.Errorf("%q: got %+v, want an error", bad, p)
		}
	}
	got, err := ParseProfile("compatible, json_schema=none, prompt_cache_key=true")
	want := Profile{MaxTokensField: "max_tokens", JSONSchema: SchemaNone, StreamUsage: true, PromptCacheKey: true, SystemRole: "system"}
	if err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got, err := ParseProfile(""); err != nil || got != presets()[DefaultProfile] {
		t.Errorf("empty: got %+v, %v", got, err)
	}
}

// TestNoKey: a local server needs none, and none is sent, not even another's.
func TestNoKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "from-the-environment")
	var header http.Header
	m, err := New(Options{Model: "local", BaseURL: llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		llmtest.Stream(finish("stop"), done)(w, r)
	})})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := llmtest.Ask(t.Context(), m, llmtest.Request()); err != nil {
		t.Fatal(err)
	}
	if got := header.Values("Authorization"); len(got) != 0 {
		t.Errorf("got authorization %q, want none", got)
	}
}

func TestNew(t *testing.T) {
	for name, o := range map[string]Options{"no model": {Key: llmtest.Key}, "no key for OpenAI": {Model: "m"}} {
		if m, err := New(o); err == nil {
			t.Errorf("%s: got %v, want an error", name, m.Name())
		}
	}
}

// FuzzStream: an answer is complete only if the reason of its end came.
func FuzzStream(f *testing.F) {
	llmtest.FuzzStream(f, protocol(), func(sent string) bool { return strings.Contains(sent, "finish_reason") },
		done, finish("length"), `data: {"error":"`+llmtest.Key+`"}`+"\n\n",
		`data: {"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"stop"}]}`+"\n\n", `data: {"usage":{"prompt_tokens":-1}}`+"\n\n",
	)
}
