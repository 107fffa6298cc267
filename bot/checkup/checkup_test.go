package checkup_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/checkup"
	"github.com/roundtable-chat/app/bot/slacksim"
)

// Tokens of the workspace, which no error may show (I11).
const (
	simBot = "xoxb-local-workspace"
	simApp = "xapp-local-workspace"
)

// local is one of a local workspace.
func local(t *testing.T, sim slacksim.Options, o checkup.Options) *checkup.Client {
	t.Helper()
	ws, err := slacksim.New(sim)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(ws.Handler())
	t.Cleanup(s.Close)
	o.APIURL = s.URL + "/api" // without the slash at the end
	return newCheckup(t, o)
}

func newCheckup(t *testing.T, o checkup.Options) *checkup.Client {
	t.Helper()
	if o.BotToken == "" {
		o.BotToken = simBot
	}
	if o.AppToken == "" {
		o.AppToken = simApp
	}
	c := checkup.New(o)
	t.Cleanup(c.Close)
	return c
}

// TestCheckup asks a healthy workspace everything.
func TestCheckup(t *testing.T) {
	c := local(t, slacksim.Options{Scopes: []string{"chat:write", "channels:read", "users:read"}, Channels: []slacksim.Channel{
		{ID: "C0WITH001", Name: "with"}, {ID: "C0LESS001", Name: "without", WithoutBot: true}, {ID: "C0PRIV001", Name: "private", Private: true},
	}}, checkup.Options{})
	who, err := c.Identity(t.Context())
	want := checkup.Identity{TeamID: "T0ROUND01", Team: "Local workspace", UserID: "U0ROUND01", User: "roundtable", BotID: "B0ROUND01", Scopes: []string{"chat:write", "channels:read", "users:read"}}
	if diff := cmp.Diff(want, who); diff != "" || err != nil {
		t.Errorf("Identity: %v (-want +got):\n%s", err, diff)
	}
	if app, err := c.App(t.Context(), who.BotID); app != "A0ROUND01" || err != nil {
		t.Errorf("App = %q, %v", app, err)
	}
	if l, err := c.Line(t.Context()); err != nil || l != (checkup.Line{AppID: "A0ROUND01"}) {
		t.Errorf("Line = %+v, %v", l, err)
	}
	in, err := c.Channels(t.Context())
	if diff := cmp.Diff(checkup.Membership{Channels: []string{"C0WITH001", "C0PRIV001"}}, in); diff != "" || err != nil {
		t.Errorf("Channels: %v (-want +got):\n%s", err, diff)
	}
}

func TestCheckupSeesSocketModeOff(t *testing.T) {
	c := local(t, slacksim.Options{SocketModeOff: true}, checkup.Options{})
	if l, err := c.Line(t.Context()); err != nil || !l.Off {
		t.Errorf("Line = %+v, %v, want Socket Mode off", l, err)
	}
}

// TestCheckupReadsPages has the bot in more channels than one page holds.
func TestCheckupReadsPages(t *testing.T) {
	var channels []slacksim.Channel
	for i := range 450 {
		channels = append(channels, slacksim.Channel{ID: fmt.Sprintf("C%08d", i), Name: fmt.Sprintf("room-%d", i)})
	}
	c := local(t, slacksim.Options{Channels: channels}, checkup.Options{})
	in, err := c.Channels(t.Context())
	if err != nil || len(in.Channels) != len(channels) || in.More {
		t.Errorf("Channels = %d, %v, %v, want %d and no more", len(in.Channels), in.More, err, len(channels))
	}
}

// TestCheckupNamesRefusals lets Slack, or whatever stands in its place, refuse.
func TestCheckupNamesRefusals(t *testing.T) {
	answer := func(status int, media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			w.Header().Set("Retry-After", "7")
			w.Header().Set("Location", "/login")
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	const js = "application/json; charset=utf-8"
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   checkup.Error
		text   string
	}{
		"a bad token":     {answer(200, js, `{"ok":false,"error":"invalid_auth"}`), checkup.Error{Code: "invalid_auth", Status: 200}, "auth.test: invalid_auth"},
		"a missing scope": {answer(200, js, `{"ok":false,"error":"missing_scope","needed":"a:read","provided":"b:read"}`), checkup.Error{Code: "missing_scope", Status: 200, Needed: "a:read"}, "auth.test: missing_scope: needs a:read"},
		"a page":          {answer(200, "text/html", `<html>`), checkup.Error{Status: 200}, "auth.test: the answer is not Slack's"},
		"a bare string":   {answer(200, js, `"fine"`), checkup.Error{Status: 200}, "auth.test: the answer is not Slack's"},
		"other JSON":      {answer(200, js, `{"status":"up"}`), checkup.Error{Status: 200}, "auth.test: the answer is not Slack's"},
		"other types":     {answer(200, js, `{"ok":true,"team_id":7}`), checkup.Error{Status: 200}, "auth.test: the answer is not Slack's"},
		"a login":         {answer(302, "text/html", ``), checkup.Error{Status: 302}, "auth.test: status 302"},
		"a wrong path":    {answer(404, "text/plain", `404`), checkup.Error{Status: 404}, "auth.test: status 404"},
		"trouble":         {answer(503, "text/html", ``), checkup.Error{Status: 503}, "auth.test: status 503"},
		"too often":       {answer(429, js, `{"ok":false,"error":"ratelimited"}`), checkup.Error{Status: 429}, "auth.test: status 429"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(c.handle)
			defer s.Close()
			_, err := newCheckup(t, checkup.Options{APIURL: s.URL + "/api/"}).Identity(t.Context())
			var got *checkup.Error
			if !errors.As(err, &got) {
				t.Fatalf("got %v", err)
			}
			c.want.Method, c.want.After = "auth.test", 7*time.Second
			if diff := cmp.Diff(c.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Error() != c.text {
				t.Errorf("text = %q, want %q", got, c.text)
			}
		})
	}
}

// TestCheckupWithSwappedTokens gives each token the other's work.
func TestCheckupWithSwappedTokens(t *testing.T) {
	c := local(t, slacksim.Options{}, checkup.Options{BotToken: simApp, AppToken: simBot})
	_, err := c.Identity(t.Context())
	_, lineErr := c.Line(t.Context())
	for _, err := range []error{err, lineErr} {
		var got *checkup.Error
		if !errors.As(err, &got) || got.Code != "not_allowed_token_type" {
			t.Errorf("got %v, want not_allowed_token_type", err)
		}
	}
}

// TestCheckupOfNobody shows no token and no address, and ends in time.
func TestCheckupOfNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, err = newCheckup(t, checkup.Options{APIURL: "http://" + l.Addr().String() + "/api/"}).Line(t.Context())
	var got *checkup.Error
	if !errors.As(err, &got) || got.Err == nil || got.Status != 0 || strings.Contains(err.Error(), "local-workspace") || strings.Contains(err.Error(), "/api/") {
		t.Errorf("got %v, want that nobody answers", err)
	}
	_, err = newCheckup(t, checkup.Options{APIURL: "http://[", BotToken: "xoxb-canary"}).Identity(t.Context())
	if err == nil || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v, want an error without the token", err)
	}
}

func TestKindOf(t *testing.T) {
	for token, want := range map[string]checkup.TokenKind{
		"xoxb-1": checkup.BotToken, "xapp-1-A1": checkup.AppLevelToken, "xoxp-1": checkup.UserToken, "xoxe.xoxb-1": checkup.RotatingToken, "xoxe-1": checkup.RotatingToken,
		"xoxc-1": checkup.BrowserToken, "": checkup.NoToken, "sk-1": checkup.NoToken, "Bearer xoxb-1": checkup.NoToken,
	} {
		if got := checkup.KindOf(token); got != want {
			t.Errorf("KindOf(%q) = %q, want %q", token, got, want)
		}
	}
}

// TestCheckupNeedsNoScopeOfItsOwn holds the questions to what the manifest asks
// for anyway, by Slack's documentation of each method.
func TestCheckupNeedsNoScopeOfItsOwn(t *testing.T) {
	var contracts struct {
		Methods map[string]struct {
			BotScopes []string `json:"bot_scopes"`
		} `json:"methods"`
	}
	var manifest struct {
		OAuth struct {
			Scopes struct {
				Bot []string `json:"bot"`
			} `json:"scopes"`
		} `json:"oauth_config"`
	}
	for file, into := range map[string]any{"../../manifests/testdata/contracts.json": &contracts, "../../manifests/slack-app.json": &manifest} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
	for method, needs := range map[string][]string{
		"auth.test": nil, "apps.connections.open": nil, "bots.info": {"users:read"}, "users.conversations": {"channels:read", "groups:read"},
	} {
		contract, ok := contracts.Methods[method]
		if !ok {
			t.Errorf("Slack documents no method %s", method)
		}
		if (len(contract.BotScopes) == 0) != (len(needs) == 0) {
			t.Errorf("%s needs one of %v, not %v", method, contract.BotScopes, needs)
		}
		for _, scope := range needs {
			if !slices.Contains(contract.BotScopes, scope) || !slices.Contains(manifest.OAuth.Scopes.Bot, scope) {
				t.Errorf("%s: the scope %s is not of the method's %v, or not asked for", method, scope, contract.BotScopes)
			}
		}
	}
}
