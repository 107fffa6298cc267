package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// slackEnv is an environment with tokens for a Web API.
func slackEnv(api string) map[string]string {
	return map[string]string{"SLACK_BOT_TOKEN": "xoxb-" + canaryToken, "SLACK_APP_TOKEN": "xapp-" + canaryToken, "SLACK_API_URL": api}
}

// TestDoctorOfSlack examines local workspaces in which something is amiss.
func TestDoctorOfSlack(t *testing.T) {
	t.Chdir(t.TempDir())
	all := manifestScopes(t)
	without := func(scopes ...string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(scopes, s) })
	}
	for name, c := range map[string]struct {
		o            slacksim.Options
		flags        []string
		check, level string
		words        []string
	}{
		"well":                 {slacksim.Options{Scopes: all}, nil, "scopes", "ok", []string{fmt.Sprintf("all %d", len(all))}},
		"the tokens fit":       {slacksim.Options{Scopes: all}, nil, "app-level token", "ok", []string{"opens Socket Mode connections"}},
		"nothing can be said":  {slacksim.Options{Scopes: without("chat:write")}, nil, "scopes", "failure", []string{"chat:write is not granted", "nothing can be posted", "reinstall"}},
		"no names":             {slacksim.Options{Scopes: without("chat:write.customize")}, nil, "scopes", "warning", []string{"under the app's name"}},
		"an optional scope":    {slacksim.Options{Scopes: without("files:write")}, nil, "scopes", "advice", []string{"exported"}},
		"too many scopes":      {slacksim.Options{Scopes: append(slices.Clone(all), "channels:manage")}, nil, "scopes", "advice", []string{"granted, but not needed: channels:manage"}},
		"in no channel":        {slacksim.Options{Scopes: all, Channels: []slacksim.Channel{{ID: "C0ROOM001", Name: "room", WithoutBot: true}}}, nil, "channels", "warning", []string{"in no channel", "/invite @roundtable"}},
		"in a channel":         {slacksim.Options{Scopes: all, Channels: []slacksim.Channel{{ID: "C0ROOM001", Name: "room"}}}, nil, "channels", "ok", []string{"in 1 channel"}},
		"not where it is told": {slacksim.Options{Scopes: all}, []string{"--channels", "C0GENERAL,C0NOWHERE"}, "channels", "warning", []string{"not in C0NOWHERE, which --channels names"}},
		"Socket Mode is off":   {slacksim.Options{Scopes: all, SocketModeOff: true}, nil, "Socket Mode", "warning", []string{"not turned on", "Enable Socket Mode"}},
		"cannot be asked":      {slacksim.Options{Scopes: all}, nil, "not asked", "ok", []string{"Delayed Events", "how long messages are kept"}},
	} {
		t.Run(name, func(t *testing.T) {
			examined(t, slackEnv(localSlack(t, c.o).url+"/api/"), c.flags...).expect(t, "slack", c.check, c.level, c.words...)
		})
	}
}

// TestDoctorOfWhatIsNotSlack lets other things answer, and Slack refuse.
func TestDoctorOfWhatIsNotSlack(t *testing.T) {
	t.Chdir(t.TempDir())
	refusal := func(code string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"ok":false,"error":%q,"needed":"connections:write"}`, code)
		}
	}
	status := func(code int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		level  string
		words  []string
	}{
		"a page":             {status(200, "<html>welcome"), "failure", []string{"the answer is not Slack's", "something other than Slack's Web API answers", "correct SLACK_API_URL"}},
		"a wrong path":       {status(404, ""), "failure", []string{"status 404", "correct SLACK_API_URL"}},
		"a login":            {status(302, ""), "failure", []string{"status 302", "a login, a proxy"}},
		"Slack has trouble":  {status(503, ""), "warning", []string{"status 503", "slack-status.com"}},
		"too many requests":  {status(429, ""), "warning", []string{"run doctor again in 30s"}},
		"an unknown token":   {refusal("invalid_auth"), "failure", []string{"Slack does not know the token", "copy it again"}},
		"a revoked token":    {refusal("token_revoked"), "failure", []string{"reinstall the app"}},
		"an expired token":   {refusal("token_expired"), "failure", []string{"token rotation"}},
		"another kind":       {refusal("not_allowed_token_type"), "failure", []string{"are the two swapped?"}},
		"a scope is missing": {refusal("missing_scope"), "failure", []string{"needs connections:write", "Basic Information"}},
		"something new":      {refusal("brand_new_error"), "failure", []string{"brand_new_error", "documentation of the method"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(c.handle)
			defer s.Close()
			r := examined(t, slackEnv(s.URL+"/api/"))
			r.expect(t, "slack", "bot token", c.level, c.words...)
			r.expect(t, "slack", "app-level token", c.level, c.words...)
		})
	}
	t.Run("nobody", func(t *testing.T) {
		examined(t, slackEnv("http://"+freeAddress(t)+"/api/")).expect(t, "slack", "bot token", "failure", "connection refused", "the endpoint of SLACK_API_URL does not answer")
	})
}

// TestDoctorOfStrangeTokens answers as Slack does for tokens that are none of one
// app's bot.
func TestDoctorOfStrangeTokens(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		who, bot     string
		check, level string
		words        []string
	}{
		"a person's":           {`{"ok":true,"team_id":"T1","user_id":"U1","user":"ada"}`, ``, "bot token", "failure", []string{"speaks for a person"}},
		"scopes untold":        {`{"ok":true,"team_id":"T1","user_id":"U1","bot_id":"B1"}`, `{"ok":true,"bot":{"app_id":"A1"}}`, "scopes", "advice", []string{"did not say"}},
		"of two apps":          {`{"ok":true,"team_id":"T1","user_id":"U1","bot_id":"B1"}`, `{"ok":true,"bot":{"app_id":"A2"}}`, "app", "failure", []string{"the bot token of A2, the app-level token of A1"}},
		"of an app that hides": {`{"ok":true,"team_id":"T1","user_id":"U1","bot_id":"B1"}`, `{"ok":false,"error":"bot_not_found"}`, "app", "failure", []string{"bots.info: bot_not_found"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch {
				case strings.HasSuffix(r.URL.Path, "auth.test"):
					io.WriteString(w, c.who)
				case strings.HasSuffix(r.URL.Path, "bots.info"):
					io.WriteString(w, c.bot)
				case strings.HasSuffix(r.URL.Path, "apps.connections.open"):
					io.WriteString(w, `{"ok":true,"url":"wss://x.example/link/?ticket=`+canaryToken+`&app_id=A1"}`)
				default:
					io.WriteString(w, `{"ok":true,"channels":[{"id":"C1"}]}`)
				}
			}))
			defer s.Close()
			examined(t, slackEnv(s.URL+"/api/")).expect(t, "slack", c.check, c.level, c.words...)
		})
	}
}

// TestDoctorWithHalfOfTheTokens checks the one that is there.
func TestDoctorWithHalfOfTheTokens(t *testing.T) {
	t.Chdir(t.TempDir())
	env := slackEnv(localSlack(t, slacksim.Options{Scopes: manifestScopes(t)}).url + "/api/")
	one := map[string]string{"SLACK_API_URL": env["SLACK_API_URL"]}
	r := examined(t, with(one, map[string]string{"SLACK_BOT_TOKEN": env["SLACK_BOT_TOKEN"]}))
	r.expect(t, "slack", "bot token", "ok", "speaks for @roundtable")
	r.expect(t, "slack", "app-level token", "warning", "SLACK_APP_TOKEN is not set")
	r = examined(t, with(one, map[string]string{"SLACK_APP_TOKEN": env["SLACK_APP_TOKEN"]}))
	r.expect(t, "slack", "bot token", "warning", "SLACK_BOT_TOKEN is not set")
	r.expect(t, "slack", "app-level token", "ok")
}
