package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
)

// key is a canary: no error and no log line may repeat it.
const key = "sk-proj-canary-0123456789"

func request() llm.Request {
	return llm.Request{
		System:   []llm.Block{{Text: "rules", Cache: true}},
		Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "hello"}}}},
		Schema:   json.RawMessage(`{"type":"object","properties":{"stance":{"type":"string"},"speaker":{"type":"string"}}}`), SchemaName: "round",
		MaxTokens: 4096, Effort: llm.EffortLow, CacheKey: "D1",
	}
}

// serve answers every request with handle and returns a model that asks there.
func serve(t *testing.T, o Options, handle http.HandlerFunc) *Model {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	o.BaseURL = s.URL + "/v1"
	return model(t, o)
}

func model(t *testing.T, o Options) *Model {
	t.Helper()
	o.Model, o.Key = "gpt-test", key
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// ask streams a request and returns the text that came.
func ask(ctx context.Context, m *Model, r llm.Request) (string, llm.Result, error) {
	var b strings.Builder
	result, err := m.Stream(ctx, r, func(s string) error { b.WriteString(s); return nil })
	return b.String(), result, err
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

func stream(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/event-stream")
		w.Header().Set("x-request-id", "req_1")
		for _, e := range events {
			io.WriteString(w, e)
			w.(http.Flusher).Flush()
		}
	}
}

func reply(status int, media, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", media)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// raw answers with these bytes and closes the connection, hard if reset is set.
func raw(reset bool, answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		io.WriteString(conn, answer)
		if reset {
			_ = conn.(*net.TCPConn).SetLinger(0)
		}
		_ = conn.Close()
	}
}

const chunkedHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

// TestStream reads one stream of every kind, and takes none for an answer that
// does not say that it is complete.
func TestStream(t *testing.T) {
	const asJSON = "application/json"
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		text   string
		kind   llm.Kind
		stop   llm.Stop
		after  time.Duration
		status int
		detail string
		sent   bool
	}{
		"a whole answer":              {stream(say("Hi, "), ": keep-alive\n\n", say("all."), finish("stop"), counted, done), "Hi, all.", "", llm.StopEnd, 0, 0, "", true},
		"no count of tokens":          {stream(say("Hi"), finish("stop"), done), "Hi", "", llm.StopEnd, 0, 0, "", true},
		"a cut after the end":         {stream(say("Hi"), finish("stop"), "data: {"), "Hi", "", llm.StopEnd, 0, 0, "", true},
		"an id that changes":          {stream(chunk("a", `{"content":"Hi"}`, ""), chunk("b", `{"content":" all"}`, ""), chunk("", `{}`, "stop"), done), "Hi all", "", llm.StopEnd, 0, 0, "", true},
		"thoughts in their own field": {stream(chunk("a", `{"reasoning_content":"secret thought"}`, ""), say("Hi"), finish("stop"), done), "Hi", "", llm.StopEnd, 0, 0, "", true},
		"text in the last chunk":      {stream(chunk("a", `{"content":"Hi"}`, "stop"), counted, done), "Hi", "", llm.StopEnd, 0, 0, "", true},
		"an end without a marker":     {stream(say("Hi")), "Hi", llm.Transient, "", 0, 0, "no_end", true},
		"done without a reason":       {stream(say("Hi"), done), "Hi", llm.Transient, "", 0, 0, "no_end", true},
		"nothing at all":              {stream(), "", llm.Transient, "", 0, 0, "no_end", true},
		"a page of HTML, status 200":  {reply(200, "text/html", "<html>login"), "", llm.Transient, "", 0, 0, "no_stream", true},
		"SSE that calls itself JSON":  {reply(200, asJSON, say("Hi")+finish("stop")+done), "Hi", "", llm.StopEnd, 0, 0, "", true},
		"an error as plain text, 200": {reply(200, "text/plain", `{"error":{"code":"model_not_found"}}`), "", llm.Unknown, "", 0, 0, "model_not_found", false},
		"an error as JSON, 200":       {reply(200, asJSON, `{"error":{"type":"server_error","message":"x"}}`), "", llm.Transient, "", 0, 0, "server_error", false},
		"a completion as JSON, 200":   {reply(200, asJSON, `{"choices":[{"message":{"content":"Hi"}}]}`), "", llm.Transient, "", 0, 0, "no_stream", true},
		"an error in the middle":      {stream(say("Hi"), `data: {"error":{"message":"`+key+`","code":502}}`+"\n\n"), "Hi", llm.Transient, "", 0, 0, "", true},
		"a limit in the middle":       {stream(say("Hi"), `data: {"error":{"message":"x","type":"rate_limit_error","code":"rate_limit_exceeded"}}`+"\n\n"), "Hi", llm.RateLimited, "", 0, 0, "rate_limit_exceeded", true},
		"an error as a string":        {stream(`data: {"error":"hello"}` + "\n\n"), "", llm.Transient, "", 0, 0, "unspecified", true},
		"a chunk that is no JSON":     {stream(say("Hi"), "data: {"+key+"\n\n"), "Hi", llm.Transient, "", 0, 0, "unreadable", true},
		"a reset in the middle":       {raw(true, chunkedHead+"5\r\ndata:\r\n"), "", llm.Transient, "", 0, 0, "connection", true},
		"a malformed piece":           {raw(false, chunkedHead+"zz\r\nwhat\r\n"), "", llm.Transient, "", 0, 0, "unreadable", true},
		"a piece that is too short":   {raw(false, chunkedHead+"ff\r\ndata: {}"), "", llm.Transient, "", 0, 0, "connection", true},
		"no HTTP":                     {raw(false, "SSH-2.0-OpenSSH\r\n"), "", llm.Transient, "", 0, 0, "unreadable", true},
		"hung up on":                  {raw(false, ""), "", llm.Transient, "", 0, 0, "connection", true},
		"the length limit":            {stream(say("Hi"), finish("length"), done), "Hi", llm.Truncated, llm.StopLength, 0, 0, "length", true},
		"a filter":                    {stream(finish("content_filter"), done), "", llm.Refused, llm.StopRefusal, 0, 0, "content_filter", true},
		"a refusal in its own field":  {stream(chunk("a", `{"refusal":"no"}`, ""), finish("stop"), done), "", llm.Refused, llm.StopRefusal, 0, 0, "stop", true},
		"a tool nobody offered":       {stream(finish("tool_calls"), done), "", llm.Malformed, "", 0, 0, "tool_calls", true},
		"429":                         {reply(429, asJSON, `{"error":{"message":"x","type":"requests","code":"rate_limit_exceeded"}}`, "retry-after", "2"), "", llm.RateLimited, "", 2 * time.Second, 429, "rate_limit_exceeded", false},
		"no credit":                   {reply(429, asJSON, `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`), "", llm.RateLimited, "", time.Hour, 429, "insufficient_quota", false},
		"402":                         {reply(402, asJSON, `{"error":{"message":"x","code":402}}`), "", llm.RateLimited, "", time.Hour, 402, "", false},
		"503 in plain text":           {reply(503, "text/plain", "busy"), "", llm.Overloaded, "", 0, 503, "", false},
		"502 in HTML":                 {reply(502, "text/html", "<h1>bad gateway"), "", llm.Transient, "", 0, 502, "", false},
		"401":                         {reply(401, asJSON, `{"error":{"message":"Incorrect API key `+key+`","code":"invalid_api_key"}}`), "", llm.Auth, "", 0, 401, "invalid_api_key", false},
		"404 with a string":           {reply(404, asJSON, `{"error":"model 'hello' not found"}`), "", llm.Unknown, "", 0, 404, "unspecified", false},
		"404 of vLLM":                 {reply(404, asJSON, `{"object":"error","message":"hello","type":"NotFoundError","param":null,"code":404}`), "", llm.Unknown, "", 0, 404, "NotFoundError", false},
		"503 of Gemini, in a list":    {reply(503, asJSON, `[{"error":{"code":503,"message":"hello","status":"UNAVAILABLE"}}]`), "", llm.Overloaded, "", 0, 503, "UNAVAILABLE", false},
		"a filter of Azure":           {reply(400, asJSON, `{"error":{"code":"content_filter","message":"hello"}}`), "", llm.Refused, "", 0, 400, "content_filter", false},
		"400 that names a parameter":  {reply(400, asJSON, `{"error":{"message":"hello","type":"invalid_request_error","param":"reasoning_effort","code":null}}`), "", llm.Config, "", 0, 400, "invalid_request_error reasoning_effort", false},
		"a redirect":                  {reply(307, "text/plain", "", "location", "http://127.0.0.1:1/"), "", llm.Config, "", 0, 307, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, result, err := ask(t.Context(), serve(t, Options{}, c.handle), request())
			if text != c.text || result.Stop != c.stop || result.Sent != c.sent {
				t.Errorf("got text %q, stop %q, sent %v, want %q, %q, %v", text, result.Stop, result.Sent, c.text, c.stop, c.sent)
			}
			checkError(t, err, c.kind, c.status, c.detail, c.after)
		})
	}
}

func checkError(t *testing.T, err error, kind llm.Kind, status int, detail string, after time.Duration) {
	t.Helper()
	if kind == "" {
		if err != nil {
			t.Errorf("got error %v, want none", err)
		}
		return
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		t.Fatalf("got %v (%T), want an *llm.Error", err, err)
	}
	if e.Kind != kind || e.Status != status || e.Detail != detail || e.After != after {
		t.Errorf("got %q status %d detail %q after %v, want %q %d %q %v", e.Kind, e.Status, e.Detail, e.After, kind, status, detail, after)
	}
	noSecret(t, err)
}

// noSecret walks the tree of an error: nothing in it may hold the key, the prompt
// or the answer (I11).
func noSecret(t *testing.T, err error) {
	t.Helper()
	for _, s := range []string{key, "hello", "rules", "secret thought"} {
		if strings.Contains(fmt.Sprintf("%v %+v", err, err), s) {
			t.Errorf("%q shows %q", err, s)
		}
	}
	switch e := err.(type) { //nolint:errorlint // the tree is walked by hand
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			noSecret(t, inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			noSecret(t, inner)
		}
	}
}

// TestUsage takes apart what the API counts within each other.
func TestUsage(t *testing.T) {
	m := serve(t, Options{}, stream(say("Hi"), finish("stop"), counted, done))
	_, got, err := ask(t.Context(), m, request())
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Result{
		Stop: llm.StopEnd, Model: "gpt-test-1", RequestID: "req_1", Sent: true,
		Usage: llm.Usage{Input: 10, CacheRead: 60, CacheWrite5m: 30, Output: 25, Reasoning: 12},
	}
	if got.First <= 0 {
		t.Errorf("the time to the first text is %v", got.First)
	}
	got.First = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCountIsNotWaitedForLong: a server that ends its text and then says nothing
// holds nobody up, and the text is complete.
func TestCountIsNotWaitedForLong(t *testing.T) {
	m := serve(t, Options{Idle: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		stream(say("Hi"), finish("stop"))(w, r)
		<-r.Context().Done()
	})
	if text, result, err := ask(t.Context(), m, request()); err != nil || text != "Hi" || result.Stop != llm.StopEnd {
		t.Errorf("got %q, %q, %v", text, result.Stop, err)
	}
}

// TestRequest shows what is sent to servers of each kind.
func TestRequest(t *testing.T) {
	schema := `"schema":{"type":"object","properties":{"stance":{"type":"string"},"speaker":{"type":"string"}}}`
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
			m := serve(t, Options{Profile: profile}, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				body, path, auth = string(b), r.URL.Path, r.Header.Get("authorization")
				stream(finish("stop"), done)(w, r)
			})
			if _, _, err := ask(t.Context(), m, request()); err != nil {
				t.Fatal(err)
			}
			for _, want := range c.has {
				if !strings.Contains(body, want) {
					t.Errorf("the request lacks %s:\n%s", want, body)
				}
			}
			for _, unwanted := range append(c.lack, "temperature", "top_p", "tool_choice", key) {
				if strings.Contains(body, unwanted) {
					t.Errorf("the request holds %s:\n%s", unwanted, body)
				}
			}
			if path != "/v1/chat/completions" || auth != "Bearer "+key {
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

// TestEnvironmentIsNotRead: the program reads it, once.
func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "from-the-environment")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_ORG_ID", "from-the-environment")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "x-from: the-environment")
	var header http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		stream(finish("stop"), done)(w, r)
	}))
	defer s.Close()
	m, err := New(Options{Model: "local", BaseURL: s.URL}) // a local server needs no key
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := ask(t.Context(), m, request()); err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		if strings.Contains(strings.Join(values, ""), "environment") || name == "Authorization" {
			t.Errorf("%s is %v", name, values)
		}
	}
}

func TestNew(t *testing.T) {
	for name, o := range map[string]Options{"no model": {Key: key}, "no key for OpenAI": {Model: "m"}} {
		if m, err := New(o); err == nil {
			t.Errorf("%s: got %v, want an error", name, m.Name())
		}
	}
}

// FuzzStream: whatever a server sends, an answer counts as complete only if the
// reason of its end came, and no failure shows the key.
func FuzzStream(f *testing.F) {
	for _, s := range []string{
		"", say("Hi") + finish("stop") + counted + done, done, finish("length"), `data: {"error":"` + key + `"}` + "\n\n", "data: {}\n\n", "data: [1]\n\n",
		`data: {"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"stop"}]}` + "\n\n", `data: {"usage":{"prompt_tokens":-1}}` + "\n\n",
	} {
		f.Add(s)
	}
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stream(body)(w, r) }))
	f.Cleanup(s.Close)
	m, err := New(Options{Model: "m", Key: key, BaseURL: s.URL})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sent string) {
		body = sent
		_, result, err := ask(t.Context(), m, request())
		if err == nil && (result.Stop != llm.StopEnd || !strings.Contains(sent, "finish_reason")) {
			t.Errorf("%q counts as an answer", sent)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("%v shows the key", err)
		}
		if u := result.Usage; u.Input < 0 || u.CacheRead < 0 || u.CacheWrite5m < 0 || u.Output < 0 {
			t.Errorf("got usage %+v", u)
		}
	})
}
