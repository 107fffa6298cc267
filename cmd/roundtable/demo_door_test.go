package main

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestDemoTokensAreItsOwn shows that every run draws its tokens: what the source code
// tells opens no workspace, and neither does the page tell what would.
func TestDemoTokensAreItsOwn(t *testing.T) {
	t.Parallel()
	configured := func() demo {
		t.Helper()
		s := streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}, environ: func(string) (string, bool) { return "", false }}
		d, err := configureDemo(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	one, two := configured(), configured()
	if one.BotToken == two.BotToken || one.AppToken == two.AppToken || one.BotToken[5:] == one.AppToken[5:] {
		t.Error("two runs, or two tokens of a run, are alike")
	}

	p := start(t, t.TempDir(), nil, "demo", "--address", "127.0.0.1:0")
	w := demoWorkspace(t, p, "")
	for _, token := range []string{"xoxb-local-workspace", "xapp-local-workspace"} {
		resp, err := http.PostForm(w.url+"/api/auth.test", url.Values{"token": {token}})
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if !strings.Contains(string(body), "invalid_auth") {
			t.Errorf("%s: got %s", token, body)
		}
	}
	for _, path := range []string{"/", "/sim/state", "/sim/calls"} {
		resp, err := http.Get(w.url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if strings.Contains(string(body), "xoxb-") || strings.Contains(string(body), "xapp-") {
			t.Errorf("%s tells a token", path)
		}
	}
	p.terminate()
	p.calm()
}

// TestDemoIsExposedOnlyOnPurpose shows that the page is given to other machines only
// with --expose, that the demo then says loudly what that means, whatever the level of
// the log, and that the bot finds its way to a workspace that listens everywhere.
func TestDemoIsExposedOnlyOnPurpose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--address", "0.0.0.0:0"}, "--address 0.0.0.0:0: other machines could reach the page there, and anyone who does can act as any member of the workspace; if you want that, add --expose"},
		{[]string{"--address", ":0"}, "add --expose"},
		{[]string{"--address", "[::]:0"}, "add --expose"},
		{[]string{"--address", "192.0.2.7:0"}, "add --expose"},
		{[]string{"--address", "localhost.example:0"}, "add --expose"},
		{[]string{"--expose"}, "--expose: add the address at which"},
		{[]string{"--expose", "--address", "127.0.0.1:0"}, "--expose: add the address at which"},
		{[]string{"--address", "7420"}, "--address: address 7420: missing port"},
	} {
		code, _, errs := execute(t, nil, nil, append([]string{"demo"}, c.args...)...)
		if code != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit code %d, want 2 and %q in:\n%s", c.args, code, c.want, errs)
		}
	}

	p := start(t, t.TempDir(), nil, "demo", "--address", "0.0.0.0:0", "--expose", "--log-level", "error", "--pace", "50ms", "--gather", "200ms")
	w := demoWorkspace(t, p, "")
	if got := p.output.String(); !strings.Contains(got, "WARNING: other machines can reach this workspace") {
		t.Errorf("there is no warning in:\n%s", got)
	}
	person{w, priya, product}.open("offline mode for notes")
	p.terminate()
	p.calm()
}
