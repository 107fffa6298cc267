package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"go.uber.org/goleak"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
)

// TestFailedStartLeavesByTheSameDoor fails a start at each of its steps: the store
// and the listeners are closed, and no goroutine is left behind.
func TestFailedStartLeavesByTheSameDoor(t *testing.T) {
	const bot = `{"ok":true,"team_id":"T1","user_id":"U1","bot_id":"B1","url":"https://x.example/"}`
	tests := []struct {
		name  string
		slack string // the answer to auth.test
		spoil func(t *testing.T, c *config.Config)
		want  string
	}{
		{"the address of the health checks is taken", bot, func(t *testing.T, c *config.Config) {
			l, err := net.Listen("tcp", c.Listen)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			c.Listen = l.Addr().String()
		}, "listen for health checks"},
		{"the manifests are not there", bot, func(_ *testing.T, c *config.Config) { c.Manifests = "/nowhere" }, "read the manifests"},
		{"Redis does not answer", bot, func(_ *testing.T, c *config.Config) { c.RedisURL = "redis://127.0.0.1:1" }, "open store"},
		{"Slack refuses the token", `{"ok":false,"error":"invalid_auth"}`, func(*testing.T, *config.Config) {}, "invalid_auth"},
		{"the token is a person's", `{"ok":true,"team_id":"T1","user_id":"U1"}`, func(*testing.T, *config.Config) {}, "the token is not a bot's"},
		{"Slack does not answer in JSON", "<html>", func(*testing.T, *config.Config) {}, "ask Slack who we are"},
		{"the engine refuses its options", bot, func(_ *testing.T, c *config.Config) { c.Settle = time.Second }, "Settle"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			mini := miniredis.RunT(t)
			slack := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, tt.slack) }))
			// What serves the test is not the program's.
			before := goleak.IgnoreCurrent()
			var c config.Config
			for _, x := range config.Settings(&c) {
				if err := x.Set(x.Initial); err != nil {
					t.Fatal(err)
				}
			}
			c.BotToken, c.AppToken, c.SlackAPIURL = "xoxb-"+canaryToken, "xapp-"+canaryToken, slack.URL+"/api/"
			c.RedisURL, c.Listen = "redis://"+mini.Addr(), freeAddress(t)
			tt.spoil(t, &c)

			err := serveReplica(context.Background(), c, slog.New(slog.DiscardHandler), func() { t.Error("it says that it is ready") })
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			} else if strings.Contains(err.Error(), canaryToken) {
				t.Errorf("a token is in the error (I11): %v", err)
			}
			slack.Close()
			if err := goleak.Find(before); err != nil {
				t.Error(err)
			}
			eventually(t, "no connection to Redis is open", func() string { return "" }, func() bool { return mini.CurrentConnectionCount() == 0 })
			if !strings.HasPrefix(tt.want, "listen") {
				l, err := net.Listen("tcp", c.Listen)
				if err != nil {
					t.Fatalf("the address of the health checks is still taken: %v", err)
				}
				l.Close()
			}
		})
	}
}

// TestFailedDemoLeavesByTheSameDoor starts the demo with a Redis that is not there.
func TestFailedDemoLeavesByTheSameDoor(t *testing.T) {
	t.Chdir(t.TempDir())
	before := goleak.IgnoreCurrent()
	address := freeAddress(t)
	if got := runWith("", "demo", "--address", address, "--redis", "redis://127.0.0.1:1"); got.code != exitFailure || !strings.Contains(got.err, "open store") {
		t.Errorf("got %+v", got)
	}
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the page's address is still taken: %v", err)
	}
	l.Close()
}

// TestToldToStopBeforeItHadBegun cancels a start: that is no failure.
func TestToldToStopBeforeItHadBegun(t *testing.T) {
	var c config.Config
	for _, x := range config.Settings(&c) {
		if err := x.Set(x.Initial); err != nil {
			t.Fatal(err)
		}
	}
	c.RedisURL, c.Listen = "redis://"+miniredis.RunT(t).Addr(), ""
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := serveReplica(ctx, c, slog.New(slog.DiscardHandler), func() {}); err != nil {
		t.Errorf("got %v, want nothing", err)
	}
}

// freeAddress is a loopback address on which nobody listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
