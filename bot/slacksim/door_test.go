package slacksim_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// caller is how a request introduces itself at the door.
type caller struct {
	name, host, origin, site, mode, dest string
}

func (c caller) on(r *http.Request) *http.Request {
	if c.host != "" {
		r.Host = c.host
	}
	for key, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, "Sec-Fetch-Mode": c.mode, "Sec-Fetch-Dest": c.dest} {
		if value != "" {
			r.Header.Set(key, value)
		}
	}
	return r
}

// strangers are web pages of other origins, and names that were re-pointed here.
func strangers() []caller {
	return []caller{
		{name: "another origin", origin: "https://example.org"},
		{name: "an opaque origin", origin: "null"},
		{name: "another port of this machine", origin: "http://127.0.0.1:1", site: "same-site"},
		{name: "another scheme", origin: "file://"},
		{name: "Slack's origin", origin: "https://api.slack.com"},
		{name: "a picture of another site", site: "cross-site", mode: "no-cors", dest: "image"},
		{name: "a picture of another port", site: "same-site", mode: "no-cors", dest: "image"},
		{name: "a frame of another site", site: "cross-site", mode: "navigate", dest: "iframe"},
		{name: "a rebound name", host: "rebind.example"},
		{name: "a rebound name, of its own origin", host: "rebind.example:80", origin: "http://rebind.example:80", site: "same-origin"},
		{name: "a name that looks like loopback", host: "127.0.0.1.rebind.example"},
		{name: "an address of another machine", host: "192.0.2.7:7420"},
		{name: "every address", host: "0.0.0.0:7420"},
	}
}

// paths are one of everything that the workspace serves.
func paths() []struct{ method, path string } {
	return []struct{ method, path string }{
		{http.MethodGet, "/"}, {http.MethodGet, "/js/app.js"}, {http.MethodGet, "/archives/C0GENERAL/p1"}, {http.MethodGet, "/no/such/path"},
		{http.MethodPost, "/api/chat.postMessage"}, {http.MethodGet, "/api/conversations.history"}, {http.MethodPost, "/api/apps.connections.open"},
		{http.MethodGet, "/files/F1/a.txt"}, {http.MethodGet, "/docs/T0ROUND01/F1"}, {http.MethodPost, "/respond/x"}, {http.MethodPost, "/upload/x"},
		{http.MethodGet, "/link/"}, {http.MethodGet, "/sim/state"}, {http.MethodGet, "/sim/events"}, {http.MethodPost, "/sim/say"}, {http.MethodOptions, "/sim/say"},
	}
}

// send makes a request as a caller and gives the answer, of which only the head counts.
func (r *running) send(c caller, method, path string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer xoxb-local-workspace")
	web := &http.Client{Transport: r.web.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := web.Do(c.on(req))
	if err != nil {
		r.t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

// TestStrangersAreTurnedAwayEverywhere holds every path to the door: a page of another
// origin and a name re-pointed to this machine get nothing, tokens or not.
func TestStrangersAreTurnedAwayEverywhere(t *testing.T) {
	r := start(t, slacksim.Options{})
	for _, c := range strangers() {
		for _, p := range paths() {
			if got := r.send(c, p.method, p.path).StatusCode; got != http.StatusForbidden {
				t.Errorf("%s, %s %s: got %d, want 403", c.name, p.method, p.path, got)
			}
		}
	}
}

// TestProgramsAndThePagePass shows that the door is open for those it is there for.
func TestProgramsAndThePagePass(t *testing.T) {
	r := start(t, slacksim.Options{})
	here := strings.TrimPrefix(r.url, "http://")
	_, port, _ := strings.Cut(here, ":")
	for _, c := range []caller{
		{name: "a program"},
		{name: "a program that calls it localhost", host: "localhost:" + port},
		{name: "a program that calls it by IPv6", host: "[::1]:" + port},
		{name: "Node's fetch", mode: "cors"},
		{name: "the page", origin: r.url, site: "same-origin", mode: "cors", dest: "empty"},
		{name: "the page as localhost", host: "localhost:" + port, origin: "http://localhost:" + port, site: "same-origin"},
		{name: "the address bar", site: "none", mode: "navigate", dest: "document"},
	} {
		for _, p := range paths() {
			if got := r.send(c, p.method, p.path).StatusCode; got == http.StatusForbidden && p.path != "/link/" {
				t.Errorf("%s, %s %s: got 403", c.name, p.method, p.path)
			}
		}
	}
}

// TestLinksFromElsewhereOpenThePage shows that a link in a mail or on a site may lead
// to the page, and to nothing that does or tells anything.
func TestLinksFromElsewhereOpenThePage(t *testing.T) {
	r := start(t, slacksim.Options{})
	link := caller{site: "cross-site", mode: "navigate", dest: "document"}
	for _, p := range paths() {
		got := r.send(link, p.method, p.path).StatusCode
		if opens := p.path == "/" || strings.HasPrefix(p.path, "/archives/"); opens != (got != http.StatusForbidden) {
			t.Errorf("%s %s: got %d", p.method, p.path, got)
		}
	}
	posted := caller{origin: "https://example.org", site: "cross-site", mode: "navigate", dest: "document"}
	if got := r.send(posted, http.MethodPost, "/").StatusCode; got != http.StatusForbidden {
		t.Errorf("a form sent to the page: got %d, want 403", got)
	}
}

// TestEveryAnswerForbidsFramesAndGuesses looks at the headers of every answer, refusals
// included.
func TestEveryAnswerForbidsFramesAndGuesses(t *testing.T) {
	r := start(t, slacksim.Options{})
	for _, c := range []caller{{name: "a program"}, {name: "a stranger", origin: "https://example.org"}} {
		for _, p := range paths() {
			h := r.send(c, p.method, p.path).Header
			if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "default-src 'self'") {
				t.Errorf("%s, %s: the policy is %q", c.name, p.path, csp)
			}
			if got := h.Get("X-Content-Type-Options"); got != "nosniff" {
				t.Errorf("%s, %s: X-Content-Type-Options is %q", c.name, p.path, got)
			}
			if got := h.Get("Cross-Origin-Resource-Policy"); got != "same-origin" {
				t.Errorf("%s, %s: Cross-Origin-Resource-Policy is %q", c.name, p.path, got)
			}
		}
	}
}

// TestSocketsAreForClientsOnly shows that a web page opens no connection even with a
// ticket, does not use the ticket up, and that slack-go, which sends Slack's origin,
// connects with it.
func TestSocketsAreForClientsOnly(t *testing.T) {
	r := start(t, slacksim.Options{})
	address := r.method("apps.connections.open", map[string]string{"token": "xapp-local-workspace"})["url"].(string)
	connect := func(c caller) (*websocket.Conn, int) {
		t.Helper()
		head := c.on(&http.Request{Header: http.Header{}})
		ws, resp, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPClient: r.web, HTTPHeader: head.Header, Host: c.host})
		if err != nil && resp == nil {
			t.Fatal(err)
		}
		return ws, resp.StatusCode
	}
	for _, c := range append(strangers(), caller{name: "a page of Slack's", origin: "https://api.slack.com", site: "cross-site", mode: "websocket"}) {
		if c.name == "Slack's origin" {
			continue
		}
		if _, got := connect(c); got != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403", c.name, got)
		}
	}
	ws, got := connect(caller{origin: "https://api.slack.com"})
	if got != http.StatusSwitchingProtocols {
		t.Fatalf("slack-go: got %d, want 101", got)
	}
	_ = ws.CloseNow()
}

// TestExposedAnswersToAddresses shows what exposing changes: the workspace answers to
// the addresses of its machine, and still to no name but its own and to no other page.
func TestExposedAnswersToAddresses(t *testing.T) {
	r := start(t, slacksim.Options{Exposed: true, BaseURL: "http://Workspace.test:7420"})
	for _, c := range []struct {
		caller
		want int
	}{
		{caller{host: "192.0.2.7:7420"}, http.StatusOK},
		{caller{host: "[2001:db8::7]:7420"}, http.StatusOK},
		{caller{host: "workspace.test:7420"}, http.StatusOK},
		{caller{host: "192.0.2.7:7420", origin: "http://192.0.2.7:7420"}, http.StatusOK},
		{caller{host: "192.0.2.7:7420", origin: "http://192.0.2.7:8080"}, http.StatusForbidden},
		{caller{host: "192.0.2.7:7420", origin: "https://example.org"}, http.StatusForbidden},
		{caller{host: "rebind.example:7420"}, http.StatusForbidden},
	} {
		if got := r.send(c.caller, http.MethodGet, "/sim/state").StatusCode; got != c.want {
			t.Errorf("Host %s, Origin %s: got %d, want %d", c.host, c.origin, got, c.want)
		}
	}
}
