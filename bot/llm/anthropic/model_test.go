package anthropic

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
const key = "sk-ant-canary-0123456789"

func request() llm.Request {
	return llm.Request{
		System:   []llm.Block{{Text: "rules", Cache: true}},
		Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "hello"}}}},
		Schema:   json.RawMessage(`{"type":"object","properties":{"stance":{"type":"string"},"speaker":{"type":"string"},"text":{"type":"string"}},"required":["stance"]}`), SchemaName: "round",
		MaxTokens: 4096, Effort: llm.EffortLow,
	}
}

// serve answers every request with handle and returns a model that asks there.
func serve(t *testing.T, o Options, handle http.HandlerFunc) *Model {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	o.BaseURL = s.URL
	return model(t, o)
}

func model(t *testing.T, o Options) *Model {
	t.Helper()
	o.Model, o.Key = "claude-test", key
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

// event is one server-sent event.
func event(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

const (
	startData = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-test-1","content":[],"stop_reason":null,"usage":{"input_tokens":100,"cache_read_input_tokens":40,"cache_creation_input_tokens":30,"cache_creation":{"ephemeral_5m_input_tokens":10,"ephemeral_1h_input_tokens":20},"output_tokens":1}}}`
	stopData  = `{"type":"message_stop"}`
)

func textDelta(s string) string {
	b, _ := json.Marshal(s)
	return event("content_block_delta", `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":`+string(b)+`}}`)
}

func reason(r string) string {
	return event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"`+r+`","stop_details":{"type":"refusal","category":"cyber","explanation":"no"}},"usage":{"output_tokens":25,"output_tokens_details":{"thinking_tokens":12}}}`)
}

func stream(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/event-stream; charset=utf-8")
		w.Header().Set("request-id", "req_1")
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

// cut ends the connection in the middle of what was promised.
func cut(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		stream(events...)(w, r)
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
	}
}

var (
	start  = event("message_start", startData)
	think  = event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`) + event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"secret thought"}}`)
	stop   = event("message_stop", stopData)
	danger = `{"type":"error","error":{"type":"invalid_request_error","message":"prompt was: hello, key ` + key + `"}}`
)

// TestStream reads one stream of every kind, and takes none for an answer that
// does not say that it is complete.
func TestStream(t *testing.T) {
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
		"a whole answer":              {stream(start, think, textDelta("Hi, "), event("ping", `{"type":"ping"}`), textDelta("all."), reason("end_turn"), stop), "Hi, all.", "", llm.StopEnd, 0, 0, "", true},
		"an end without a marker":     {stream(start, textDelta("Hi")), "Hi", llm.Transient, "", 0, 0, "no_end", true},
		"a reason without the marker": {stream(start, textDelta("Hi"), reason("end_turn")), "Hi", llm.Transient, "", 0, 0, "no_end", true},
		"a marker without a reason":   {stream(start, textDelta("Hi"), stop), "Hi", llm.Transient, "", 0, 0, "no_reason", true},
		"nothing at all":              {stream(), "", llm.Transient, "", 0, 0, "no_end", true},
		"a page of HTML, status 200":  {reply(200, "text/html", "<html>login"), "", llm.Transient, "", 0, 0, "no_stream", true},
		"HTML that calls itself SSE":  {reply(200, "text/event-stream", "<html>login"), "", llm.Transient, "", 0, 0, "no_stream", true},
		"SSE that calls itself JSON":  {reply(200, "application/json", start+textDelta("Hi")+reason("end_turn")+stop), "Hi", "", llm.StopEnd, 0, 0, "", true},
		"an error as JSON, 200":       {reply(200, "application/json", `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`), "", llm.Overloaded, "", 0, 0, "overloaded_error", false},
		"a message as JSON, 200":      {reply(200, "application/json", `{"type":"message","content":[]}`), "", llm.Transient, "", 0, 0, "no_stream", true},
		"overloaded in the middle":    {stream(start, textDelta("Hi"), event("error", `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`)), "Hi", llm.Overloaded, "", 0, 0, "overloaded_error", true},
		"an error that is no JSON":    {stream(start, event("error", key)), "", llm.Transient, "", 0, 0, "", true},
		"an event that is no JSON":    {stream(start, event("message_delta", "{"+key)), "", llm.Transient, "", 0, 0, "unreadable", true},
		"a cut":                       {cut(start, textDelta("Hi")), "Hi", llm.Transient, "", 0, 0, "connection", true},
		"the length limit":            {stream(start, textDelta("Hi"), reason("max_tokens"), stop), "Hi", llm.Truncated, llm.StopLength, 0, 0, "max_tokens", true},
		"the context's end":           {stream(start, reason("model_context_window_exceeded"), stop), "", llm.Truncated, llm.StopLength, 0, 0, "model_context_window_exceeded", true},
		"a refusal":                   {stream(start, reason("refusal"), stop), "", llm.Refused, llm.StopRefusal, 0, 0, "cyber", true},
		"a tool nobody offered":       {stream(start, reason("tool_use"), stop), "", llm.Malformed, "", 0, 0, "tool_use", true},
		"429 with a date far off":     {reply(429, "application/json", `{"error":{"type":"rate_limit_error"}}`, "retry-after", "3600"), "", llm.RateLimited, "", time.Hour, 429, "rate_limit_error", false},
		"529":                         {reply(529, "application/json", `{"error":{"type":"overloaded_error"}}`, "retry-after-ms", "1500"), "", llm.Overloaded, "", 1500 * time.Millisecond, 529, "overloaded_error", false},
		"502 in HTML":                 {reply(502, "text/html", "<h1>bad gateway"), "", llm.Transient, "", 0, 502, "", false},
		"401":                         {reply(401, "application/json", `{"error":{"type":"authentication_error","message":"`+key+`"}}`), "", llm.Auth, "", 0, 401, "authentication_error", false},
		"no credit":                   {reply(400, "application/json", `{"error":{"type":"billing_error"}}`), "", llm.RateLimited, "", time.Hour, 400, "billing_error", false},
		"404":                         {reply(404, "application/json", `{"error":{"type":"not_found_error"}}`), "", llm.Unknown, "", 0, 404, "not_found_error", false},
		"400 that repeats all":        {reply(400, "application/json", danger, "request-id", key), "", llm.Config, "", 0, 400, "invalid_request_error", false},
		"a key where a type belongs":  {reply(400, "application/json", `{"error":{"type":"`+key+`"}}`), "", llm.Config, "", 0, 400, "", false},
		"a redirect":                  {reply(302, "text/plain", "", "location", "http://127.0.0.1:1/v1/messages"), "", llm.Config, "", 0, 302, "", false},
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

// TestUsage takes the kinds of input apart; the API counts them apart, too, and
// its totals grow.
func TestUsage(t *testing.T) {
	m := serve(t, Options{}, stream(start, textDelta("Hi"), reason("end_turn"), stop))
	_, got, err := ask(t.Context(), m, request())
	if err != nil {
		t.Fatal(err)
	}
	want := llm.Result{
		Stop: llm.StopEnd, Model: "claude-test-1", RequestID: "req_1", Sent: true,
		Usage: llm.Usage{Input: 100, CacheRead: 40, CacheWrite5m: 10, CacheWrite1h: 20, Output: 25, Reasoning: 12},
	}
	if got.First <= 0 {
		t.Errorf("the time to the first text is %v", got.First)
	}
	got.First = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRequest shows what is sent, byte for byte, and what is not.
func TestRequest(t *testing.T) {
	var body, path, auth string
	m := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, path, auth = string(b), r.URL.Path, r.Header.Get("x-api-key")
		stream(start, reason("end_turn"), stop)(w, r)
	})
	r := request()
	r.Messages = []llm.Message{
		{Role: llm.User, Blocks: []llm.Block{{Text: "one", Cache: true}, {Text: ""}, {Text: "two", Cache: true}}},
		{Role: llm.Assistant, Blocks: []llm.Block{{Text: "three", Cache: true}}},
		{Role: llm.User, Blocks: []llm.Block{{Text: "four", Cache: true}, {Text: "reminder"}}},
	}
	if _, _, err := ask(t.Context(), m, r); err != nil {
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
	for _, refused := range []string{"temperature", "top_p", "tool_choice", "thinking", key} {
		if strings.Contains(body, refused) {
			t.Errorf("the request holds %q", refused)
		}
	}
	if path != "/v1/messages" || auth != key {
		t.Errorf("got path %q and key %q", path, auth)
	}
	if got := strings.Count(body, `"ephemeral"`); got != 4 {
		t.Errorf("got %d breakpoints, want the last 4", got)
	}
}

func TestRequestsThatAreNotSent(t *testing.T) {
	m := serve(t, Options{}, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for name, change := range map[string]func(*llm.Request){
		"no message":        func(r *llm.Request) { r.Messages = nil },
		"a prefilled one":   func(r *llm.Request) { r.Messages[0].Role = llm.Assistant },
		"no room":           func(r *llm.Request) { r.MaxTokens = 0 },
		"an empty message":  func(r *llm.Request) { r.Messages[0].Blocks = []llm.Block{{Text: ""}} },
		"no schema in JSON": func(r *llm.Request) { r.Schema = json.RawMessage(`{`) },
	} {
		t.Run(name, func(t *testing.T) {
			r := request()
			change(&r)
			_, _, err := ask(t.Context(), m, r)
			checkError(t, err, llm.Config, 0, "", 0)
		})
	}
}

// TestSilence: an answer that stops coming is given up, also before its beginning;
// signs of life that hold no text count.
func TestSilence(t *testing.T) {
	for name, before := range map[string][]string{"before the headers": nil, "in the middle": {start, textDelta("Hi")}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := serve(t, Options{Idle: 30 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				if before != nil {
					stream(before...)(w, r)
				}
				<-r.Context().Done()
			})
			_, result, err := ask(t.Context(), m, request())
			checkError(t, err, llm.Transient, 0, "", 0)
			if !strings.Contains(err.Error(), "silent") || !result.Sent {
				t.Errorf("got %v, sent %v", err, result.Sent)
			}
		})
	}
	t.Run("pings", func(t *testing.T) {
		t.Parallel()
		m := serve(t, Options{Idle: 300 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
			stream(start)(w, r)
			for range 25 {
				<-time.After(20 * time.Millisecond)
				stream(event("ping", `{"type":"ping"}`))(w, r)
			}
			stream(reason("end_turn"), stop)(w, r)
		})
		if _, _, err := ask(t.Context(), m, request()); err != nil {
			t.Error(err)
		}
	})
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		m := serve(t, Options{Timeout: 30 * time.Millisecond}, func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() })
		_, _, err := ask(t.Context(), m, request())
		checkError(t, err, llm.Transient, 0, "", 0)
	})
}

// TestSize: an answer that never ends is given up.
func TestSize(t *testing.T) {
	flood := event("ping", strings.Repeat("x", 1<<16))
	m := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			stream(flood)(w, r)
		}
	})
	_, _, err := ask(t.Context(), m, request())
	checkError(t, err, llm.Transient, 0, "", 0)
}

func TestCancelled(t *testing.T) {
	cause := errors.New("moved on")
	ctx, cancel := context.WithCancelCause(t.Context())
	m := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		stream(start, textDelta("Hi"))(w, r)
		<-r.Context().Done()
	})
	_, err := m.Stream(ctx, request(), func(string) error { cancel(cause); return nil })
	checkError(t, err, llm.Cancelled, 0, "", 0)
	if !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
}

// TestReaderStops: an error of whoever reads ends the call and comes back as it is.
func TestReaderStops(t *testing.T) {
	enough := errors.New("enough")
	m := serve(t, Options{}, stream(start, textDelta("Hi"), reason("end_turn"), stop))
	if _, err := m.Stream(t.Context(), request(), func(string) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v, want %v", err, enough)
	}
}

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, result, err := ask(t.Context(), model(t, Options{BaseURL: "http://" + l.Addr().String() + "/?token=" + key}), request())
	checkError(t, err, llm.Transient, 0, "connection", 0)
	if result.Sent {
		t.Error("nothing was sent, and it may be charged")
	}
}

// TestOneAttempt: whoever retries is the chain.
func TestOneAttempt(t *testing.T) {
	attempts := 0
	m := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		attempts++
		reply(529, "application/json", `{"error":{"type":"overloaded_error"}}`, "x-should-retry", "true")(w, r)
	})
	if _, _, err := ask(t.Context(), m, request()); err == nil || attempts != 1 {
		t.Errorf("got %d attempts and %v, want 1 and an error", attempts, err)
	}
}

// TestEnvironmentIsNotRead: the program reads it, once.
func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "from-the-environment")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "from-the-environment")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "x-from: the-environment")
	var header http.Header
	m := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		stream(start, reason("end_turn"), stop)(w, r)
	})
	if _, _, err := ask(t.Context(), m, request()); err != nil {
		t.Fatal(err)
	}
	if header.Get("x-api-key") != key || header.Get("authorization") != "" || header.Get("x-from") != "" {
		t.Errorf("the environment was read: %v", header)
	}
}

func TestNew(t *testing.T) {
	for name, o := range map[string]Options{"no model": {Key: key}, "no key": {Model: "m"}} {
		if m, err := New(o); err == nil {
			t.Errorf("%s: got %v, want an error", name, m.Name())
		}
	}
}

// FuzzStream: whatever a server sends, an answer counts as complete only if the
// marker of its end and a reason came, and no failure shows the key.
func FuzzStream(f *testing.F) {
	for _, s := range []string{
		"", start + textDelta("Hi") + reason("end_turn") + stop, start + stop, reason("end_turn"), event("error", key), "data: {}\n\n",
		event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"stop_sequence"},"usage":{"output_tokens":-9e99}}`) + stop,
		start + event("content_block_delta", `{"type":"content_block_delta","delta":{"type":"text_delta","text":"\ud800"}}`), "event: message_stop\n\n",
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
		if err == nil && (result.Stop != llm.StopEnd || !strings.Contains(sent, "message_stop") || !strings.Contains(sent, "stop_reason")) {
			t.Errorf("%q counts as an answer", sent)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("%v shows the key", err)
		}
	})
}
