package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
)

const catalogue = `{"object":"list","data":[{"id":"gpt-other","object":"model","created":1,"owned_by":"x"}]}`

// TestCheck asks servers of every kind whether their model would do. A catalogue
// that lacks the model proves nothing; what the model does with a form does.
func TestCheck(t *testing.T) {
	listed := reply(200, "application/json", catalogue)
	form := say(`{"ready":`) + say(`true}`) + finish("stop") + counted + done
	for name, c := range map[string]struct {
		profile       string
		models, chat  http.HandlerFunc
		want          llm.Support
		kind          llm.Kind
		detail        string
		asked, formed int // chat requests, and those that name a form
	}{
		"the form is kept":             {models: listed, chat: stream(form), want: llm.Supported, asked: 1, formed: 1},
		"the form is ignored":          {models: listed, chat: stream(say("Yes, I am."), finish("stop"), done), want: llm.Ignored, asked: 1, formed: 1},
		"the form is refused":          {models: listed, chat: refusingForms, want: llm.Unsupported, asked: 2, formed: 1},
		"the form is told in words":    {profile: "minimal", models: listed, chat: stream(form), want: llm.Supported, asked: 1},
		"more than the form":           {models: listed, chat: stream(say("```\n{\"ready\":true}\n```"), finish("stop"), done), want: llm.Ignored, asked: 1, formed: 1},
		"cut at its limit":             {models: listed, chat: stream(say(`{"rea`), finish("length"), done), want: llm.Untold, asked: 1, formed: 1},
		"no catalogue":                 {models: reply(404, "application/json", `{"detail":"Not Found"}`), chat: stream(form), want: llm.Supported, asked: 1, formed: 1},
		"the key is refused":           {models: reply(401, "application/json", `{"error":{"message":"bad key `+key+`","type":"invalid_request_error","code":"invalid_api_key"}}`), kind: llm.Auth, detail: "invalid_api_key"},
		"the model is not there":       {models: listed, chat: reply(404, "application/json", `{"error":{"message":"no","type":"invalid_request_error","code":"model_not_found"}}`), kind: llm.Unknown, detail: "model_not_found", asked: 1, formed: 1},
		"the path is wrong":            {models: reply(404, "text/html", "<html>"), chat: reply(404, "text/html", "<html>"), kind: llm.Unknown, asked: 1, formed: 1},
		"a page at 200":                {models: reply(200, "text/html", "<html>"), kind: llm.Transient, detail: llm.NotJSON},
		"a page for the answer":        {models: listed, chat: reply(200, "text/html", "<html>"), kind: llm.Transient, detail: llm.NoStream, asked: 1, formed: 1},
		"a redirect to a login":        {models: reply(302, "text/html", "", "Location", "/login"), chat: reply(302, "text/html", "", "Location", "/login"), kind: llm.Config, asked: 2, formed: 1},
		"too many requests":            {models: reply(429, "application/json", `{"error":{"type":"requests","code":"rate_limit_exceeded"}}`, "retry-after", "7"), kind: llm.RateLimited, detail: "rate_limit_exceeded"},
		"any request would be refused": {models: listed, chat: reply(400, "application/json", `{"error":{"type":"invalid_request_error","param":"model"}}`), kind: llm.Config, asked: 2, formed: 1, detail: "invalid_request_error model"},
	} {
		t.Run(name, func(t *testing.T) {
			profile, err := ParseProfile(c.profile)
			if err != nil {
				t.Fatal(err)
			}
			asked, formed := 0, 0
			m := serve(t, Options{Profile: profile}, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/models") {
					c.models(w, r)
					return
				}
				var body struct {
					Format json.RawMessage `json:"response_format"`
				}
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
					t.Error(err)
				}
				asked++
				if body.Format != nil {
					formed++
					r.Header.Set("X-Formed", "yes")
				}
				c.chat(w, r)
			})
			got, err := m.Check(t.Context())
			if asked != c.asked || formed != c.formed {
				t.Errorf("asked %d times, %d with a form, want %d and %d", asked, formed, c.asked, c.formed)
			}
			if c.kind == "" {
				if err != nil || got.Structured != c.want {
					t.Errorf("got %+v, %v, want structured output %s", got, err, c.want)
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

// refusingForms is a server that does not know response_format.
func refusingForms(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Formed") != "" {
		reply(400, "application/json", `{"error":{"type":"invalid_request_error","param":"response_format"}}`)(w, r)
		return
	}
	stream(say("Yes."), finish("stop"), done)(w, r)
}
