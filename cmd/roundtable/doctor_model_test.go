package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// provider is a server that speaks as OpenAI and Anthropic do.
type provider struct{ models, answer http.HandlerFunc }

func (p provider) serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/models") {
			p.models(w, r)
			return
		}
		p.answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func answering(status int, media, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// saying streams a text as OpenAI does.
func saying(text string) http.HandlerFunc {
	const chunk = `data: {"id":"c","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}` + "\n\n"
	return answering(200, "text/event-stream", fmt.Sprintf(chunk, fmt.Sprintf(`{"content":%q}`, text), "null")+fmt.Sprintf(chunk, "{}", `"stop"`)+
		`data: {"id":"c","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[],"usage":{"prompt_tokens":40,"completion_tokens":8,"total_tokens":48}}`+"\n\ndata: [DONE]\n\n")
}

const jsonMedia = "application/json"

// TestDoctorOfModels asks doubles of providers in every state.
func TestDoctorOfModels(t *testing.T) {
	t.Chdir(t.TempDir())
	listed := answering(200, jsonMedia, `{"object":"list","data":[]}`)
	described := func(lifecycle, structured string) http.HandlerFunc {
		return answering(200, jsonMedia, `{"type":"model","id":"claude-x","lifecycle":"`+lifecycle+`","retires_at":"2026-11-30T00:00:00Z","capabilities":{"structured_outputs":{"supported":`+structured+`}}}`)
	}
	refusal := func(status int, kind string) http.HandlerFunc {
		return answering(status, jsonMedia, `{"type":"error","error":{"type":"`+kind+`","code":"`+kind+`","message":"`+canaryToken+`"}}`)
	}
	for name, c := range map[string]struct {
		model string
		p     provider
		level string
		words []string
	}{
		"openai is well":         {"openai:gpt-x", provider{listed, saying(`{"ready":true}`)}, "ok", []string{"answers as gpt-x-2026", "using 48 tokens", "with structured output"}},
		"openai ignores forms":   {"openai:gpt-x", provider{listed, saying(`Yes.`)}, "warning", []string{"ignores the requested output format", "OPENAI_PROFILE"}},
		"openai key":             {"openai:gpt-x", provider{refusal(401, "invalid_api_key"), nil}, "failure", []string{"refuses the key", "correct OPENAI_API_KEY", "the endpoint of OPENAI_BASE_URL"}},
		"openai model":           {"openai:gpt-x", provider{listed, refusal(404, "model_not_found")}, "failure", []string{"knows no model of this name", "correct --model"}},
		"openai wrong path":      {"openai:gpt-x", provider{answering(404, "text/html", "no"), answering(404, "text/html", "no")}, "failure", []string{"something other than a model's API answers", "correct OPENAI_BASE_URL", "end in /v1"}},
		"openai page at 200":     {"openai:gpt-x", provider{answering(200, "text/html", "<html>"), nil}, "failure", []string{"something other than a model's API answers"}},
		"openai credit":          {"openai:gpt-x", provider{refusal(429, "insufficient_quota"), nil}, "warning", []string{"what is left"}},
		"openai refuses all":     {"openai:gpt-x", provider{listed, refusal(400, "invalid_request_error")}, "failure", []string{"ROUNDTABLE_OPENAI_PROFILE=compatible"}},
		"anthropic is well":      {"anthropic:claude-x", provider{described("active", "true"), nil}, "ok", []string{"answers, with structured output"}},
		"anthropic without form": {"anthropic:claude-x", provider{described("active", "false"), nil}, "failure", []string{"does not support structured output"}},
		"anthropic withdraws it": {"anthropic:claude-x", provider{described("deprecated", "true"), nil}, "warning", []string{"withdraws it on 2026-11-30"}},
		"anthropic key":          {"anthropic:claude-x", provider{refusal(401, "authentication_error"), nil}, "failure", []string{"correct ANTHROPIC_API_KEY"}},
		"anthropic is busy":      {"anthropic:claude-x", provider{refusal(529, "overloaded_error"), nil}, "warning", []string{"trouble of its own"}},
		"anthropic page at 200":  {"anthropic:claude-x", provider{answering(200, "text/html", "<html>"), nil}, "failure", []string{"correct ANTHROPIC_BASE_URL", "must not end in /v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			url := c.p.serve(t)
			env := map[string]string{"OPENAI_API_KEY": canaryToken, "OPENAI_BASE_URL": url + "/v1", "ANTHROPIC_API_KEY": canaryToken, "ANTHROPIC_BASE_URL": url}
			r := examined(t, env, "--model", c.model)
			r.expect(t, "model", c.model, c.level, c.words...)
			r.expect(t, "model", "budgets", "advice", "no budget limits")
		})
	}
}

// TestDoctorOfSeveralModels asks each, whatever becomes of the others, those of
// personas too.
func TestDoctorOfSeveralModels(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	url := provider{answering(200, jsonMedia, `{"object":"list","data":[]}`), saying(`{"ready":false}`)}.serve(t)
	r := examined(t, map[string]string{"OPENAI_BASE_URL": url + "/v1"}, "--model", "anthropic:claude-x,openai:gpt-x,offline", "--budget-day", "1000")
	r.expect(t, "model", "anthropic:claude-x", "failure", "ANTHROPIC_API_KEY is missing")
	r.expect(t, "model", "openai:gpt-x", "ok")
	r.expect(t, "model", "budgets", "ok")
	r = examined(t, map[string]string{"OPENAI_BASE_URL": "http://" + freeAddress(t) + "/v1"}, "--model", "openai:gpt-x")
	r.expect(t, "model", "openai:gpt-x", "failure", "connection refused", "the endpoint of OPENAI_BASE_URL does not answer")
	if _, lines := r.check("model", "openai:gpt-x"); strings.Count(lines, "connection refused") != 1 {
		t.Errorf("it says more than once that the connection was refused:\n%s", lines)
	}
}
