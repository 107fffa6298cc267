package openai

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/llmtest"
)

const catalogue = `{"object":"list","data":[{"id":"gpt-other","object":"model","created":1,"owned_by":"x"}]}`

// TestCheck asks servers of every kind whether their model would do. A catalogue
// that lacks the model proves nothing; what the model does with a form does.
func TestCheck(t *testing.T) {
	listed := llmtest.JSON(200, catalogue)
	form := say(`{"ready":`) + say(`true}`) + finish("stop") + counted + done
	for name, c := range map[string]struct {
		profile       string
		models, chat  http.HandlerFunc
		want          llm.Support
		err           *llm.Error
		asked, formed int // chat requests, and those that name a form
	}{
		"the form is kept":             {models: listed, chat: llmtest.Stream(form), want: llm.Supported, asked: 1, formed: 1},
		"the form is ignored":          {models: listed, chat: llmtest.Stream(say("Yes, I am."), finish("stop"), done), want: llm.Ignored, asked: 1, formed: 1},
		"the form is refused":          {models: listed, chat: refusingForms, want: llm.Unsupported, asked: 2, formed: 1},
		"the form is told in words":    {profile: "minimal", models: listed, chat: llmtest.Stream(form), want: llm.Supported, asked: 1},
		"more than the form":           {models: listed, chat: llmtest.Stream(say("```\n{\"ready\":true}\n```"), finish("stop"), done), want: llm.Ignored, asked: 1, formed: 1},
		"cut at its limit":             {models: listed, chat: llmtest.Stream(say(`{"rea`), finish("length"), done), want: llm.Untold, asked: 1, formed: 1},
		"no catalogue":                 {models: llmtest.JSON(404, `{"detail":"Not Found"}`), chat: llmtest.Stream(form), want: llm.Supported, asked: 1, formed: 1},
		"the key is refused":           {models: llmtest.JSON(401, `{"error":{"message":"bad key `+llmtest.Key+`","type":"invalid_request_error","code":"invalid_api_key"}}`), err: &llm.Error{Kind: llm.Auth, Status: 401, Detail: "invalid_api_key"}},
		"the model is not there":       {models: listed, chat: llmtest.JSON(404, `{"error":{"message":"no","type":"invalid_request_error","code":"model_not_found"}}`), asked: 1, formed: 1, err: &llm.Error{Kind: llm.Unknown, Status: 404, Detail: "model_not_found"}},
		"the path is wrong":            {models: llmtest.Reply(404, "text/html", "<html>"), chat: llmtest.Reply(404, "text/html", "<html>"), asked: 1, formed: 1, err: &llm.Error{Kind: llm.Unknown, Status: 404}},
		"a page at 200":                {models: llmtest.Reply(200, "text/html", "<html>"), err: &llm.Error{Kind: llm.Transient, Detail: llm.NotJSON}},
		"a page for the answer":        {models: listed, chat: llmtest.Reply(200, "text/html", "<html>"), asked: 1, formed: 1, err: &llm.Error{Kind: llm.Transient, Detail: llm.NoStream}},
		"a redirect to a login":        {models: llmtest.Reply(302, "text/html", "", "Location", "/login"), chat: llmtest.Reply(302, "text/html", "", "Location", "/login"), asked: 2, formed: 1, err: &llm.Error{Kind: llm.Config, Status: 302}},
		"too many requests":            {models: llmtest.JSON(429, `{"error":{"type":"requests","code":"rate_limit_exceeded"}}`, "retry-after", "7"), err: &llm.Error{Kind: llm.RateLimited, Status: 429, Detail: "rate_limit_exceeded", After: 7 * time.Second}},
		"any request would be refused": {models: listed, chat: llmtest.JSON(400, `{"error":{"type":"invalid_request_error","param":"model"}}`), asked: 2, formed: 1, err: &llm.Error{Kind: llm.Config, Status: 400, Detail: "invalid_request_error model"}},
	} {
		t.Run(name, func(t *testing.T) {
			profile, err := ParseProfile(c.profile)
			if err != nil {
				t.Fatal(err)
			}
			asked, formed := 0, 0
			m := model(t, llmtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
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
			}), Options{Profile: profile})
			got, err := m.Check(t.Context())
			if asked != c.asked || formed != c.formed {
				t.Errorf("asked %d times, %d with a form, want %d and %d", asked, formed, c.asked, c.formed)
			}
			llmtest.CheckError(t, err, c.err)
			if c.err == nil && got.Structured != c.want {
				t.Errorf("got %+v, want structured output %s", got, c.want)
			}
		})
	}
}

// refusingForms is a server that does not know response_format.
func refusingForms(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Formed") != "" {
		llmtest.JSON(400, `{"error":{"type":"invalid_request_error","param":"response_format"}}`)(w, r)
		return
	}
	llmtest.Stream(say("Yes."), finish("stop"), done)(w, r)
}
