package anthropic

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/llmtest"
)

func described(lifecycle, retires, structured string) string {
	return `{"type":"model","id":"claude-test-20261101","display_name":"T","created_at":"2026-11-01T00:00:00Z","max_input_tokens":200000,"max_tokens":64000,` +
		`"lifecycle":"` + lifecycle + `","retires_at":` + retires + `,"capabilities":{"structured_outputs":{"supported":` + structured + `}}}`
}

// TestCheck reads the catalogue, which costs nothing; only an endpoint of others
// that has none is tried.
func TestCheck(t *testing.T) {
	json := func(body string) http.HandlerFunc { return llmtest.JSON(200, body) }
	answer := llmtest.Stream(start, say(`{"ready":true}`), reason("end_turn"), stop)
	for name, c := range map[string]struct {
		models, messages http.HandlerFunc
		want             llm.Capability
		err              *llm.Error
	}{
		"fit":                       {models: json(described("active", "null", "true")), want: llm.Capability{Model: "claude-test-20261101", Structured: llm.Supported, MaxTokens: 64000}},
		"without structured output": {models: json(described("active", "null", "false")), want: llm.Capability{Model: "claude-test-20261101", Structured: llm.Unsupported, MaxTokens: 64000}},
		"going": {models: json(described("deprecated", `"2026-11-30T00:00:00Z"`, "true")),
			want: llm.Capability{Model: "claude-test-20261101", Structured: llm.Supported, MaxTokens: 64000, Retiring: true, Retires: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}},
		"capabilities untold": {models: json(`{"type":"model","id":"m"}`), want: llm.Capability{Model: "m", Structured: llm.Untold}},
		"no catalogue": {models: llmtest.JSON(404, `{"error":"not found"}`), messages: answer,
			want: llm.Capability{Model: "claude-test-1", Structured: llm.Supported, Usage: used}},
		"neither":              {models: llmtest.JSON(404, `{"error":"not found"}`), messages: llmtest.JSON(404, `{"type":"error","error":{"type":"not_found_error","message":"model: claude-test"}}`), err: &llm.Error{Kind: llm.Unknown, Status: 404, Detail: "not_found_error"}},
		"the key is refused":   {models: llmtest.JSON(401, `{"type":"error","error":{"type":"authentication_error","message":"`+llmtest.Key+`"}}`), err: &llm.Error{Kind: llm.Auth, Status: 401, Detail: "authentication_error"}},
		"a page at 200":        {models: llmtest.Reply(200, "text/html", "<html>"), err: &llm.Error{Kind: llm.Transient, Detail: llm.NotJSON}},
		"a document of others": {models: json(`{"ok":true}`), err: &llm.Error{Kind: llm.Transient, Detail: llm.NotJSON}},
		"overloaded":           {models: llmtest.JSON(529, `{"type":"error","error":{"type":"overloaded_error"}}`), err: &llm.Error{Kind: llm.Overloaded, Status: 529, Detail: "overloaded_error"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := model(t, llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/v1/models/") {
					c.models(w, r)
					return
				}
				if c.messages == nil {
					t.Errorf("asked at %s", r.URL.Path)
					return
				}
				c.messages(w, r)
			}), Options{})
			got, err := m.Check(t.Context())
			llmtest.CheckError(t, err, c.err)
			if diff := cmp.Diff(c.want, got); diff != "" && c.err == nil {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
