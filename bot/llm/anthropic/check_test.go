package anthropic

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
)

func described(lifecycle, retires, structured string) string {
	return `{"type":"model","id":"claude-test-20261101","display_name":"T","created_at":"2026-11-01T00:00:00Z","max_input_tokens":200000,"max_tokens":64000,` +
		`"lifecycle":"` + lifecycle + `","retires_at":` + retires + `,"capabilities":{"structured_outputs":{"supported":` + structured + `}}}`
}

// TestCheck reads the catalogue, which costs nothing; only an endpoint of others
// that has none is tried.
func TestCheck(t *testing.T) {
	json := func(body string) http.HandlerFunc { return reply(200, "application/json", body) }
	answer := stream(start, textDelta(`{"ready":true}`), reason("end_turn"), stop)
	for name, c := range map[string]struct {
		models, messages http.HandlerFunc
		want             llm.Capability
		kind             llm.Kind
		detail           string
	}{
		"fit":                       {models: json(described("active", "null", "true")), want: llm.Capability{Model: "claude-test-20261101", Structured: llm.Supported, MaxTokens: 64000}},
		"without structured output": {models: json(described("active", "null", "false")), want: llm.Capability{Model: "claude-test-20261101", Structured: llm.Unsupported, MaxTokens: 64000}},
		"going": {models: json(described("deprecated", `"2026-11-30T00:00:00Z"`, "true")),
			want: llm.Capability{Model: "claude-test-20261101", Structured: llm.Supported, MaxTokens: 64000, Retiring: true, Retires: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}},
		"capabilities untold": {models: json(`{"type":"model","id":"m"}`), want: llm.Capability{Model: "m", Structured: llm.Untold}},
		"no catalogue": {models: reply(404, "application/json", `{"error":"not found"}`), messages: answer,
			want: llm.Capability{Model: "claude-test-1", Structured: llm.Supported, Usage: llm.Usage{Input: 100, CacheRead: 40, CacheWrite5m: 10, CacheWrite1h: 20, Output: 25, Reasoning: 12}}},
		"neither":              {models: reply(404, "application/json", `{"error":"not found"}`), messages: reply(404, "application/json", `{"type":"error","error":{"type":"not_found_error","message":"model: claude-test"}}`), kind: llm.Unknown, detail: "not_found_error"},
		"the key is refused":   {models: reply(401, "application/json", `{"type":"error","error":{"type":"authentication_error","message":"`+key+`"}}`), kind: llm.Auth, detail: "authentication_error"},
		"a page at 200":        {models: reply(200, "text/html", "<html>"), kind: llm.Transient, detail: llm.NotJSON},
		"a document of others": {models: json(`{"ok":true}`), kind: llm.Transient, detail: llm.NotJSON},
		"overloaded":           {models: reply(529, "application/json", `{"type":"error","error":{"type":"overloaded_error"}}`), kind: llm.Overloaded, detail: "overloaded_error"},
	} {
		t.Run(name, func(t *testing.T) {
			m := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/v1/models/") {
					c.models(w, r)
					return
				}
				if c.messages == nil {
					t.Errorf("asked at %s", r.URL.Path)
					return
				}
				c.messages(w, r)
			})
			got, err := m.Check(t.Context())
			if c.kind == "" {
				if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				return
			}
			e, ok := errors.AsType[*llm.Error](err)
			if !ok || e.Kind != c.kind || e.Detail != c.detail {
				t.Errorf("got %v, want %s: %s", err, c.kind, c.detail)
			}
			if err != nil && strings.Contains(err.Error(), key) {
				t.Errorf("the key is in the error (I11): %v", err)
			}
		})
	}
}
