package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// occupied is a Redis that a workspace was the first to start on.
func occupied(t *testing.T, team string) *storagetest.Server {
	t.Helper()
	server := storagetest.RedisTCP(t)
	if whose, err := storagetest.Open(t, server, storage.Options{}).Occupy(t.Context(), team); err != nil || whose.Team != team {
		t.Fatalf("Occupy = %+v, %v", whose, err)
	}
	return server
}

// says wants all of some words in what an operator sees.
func says(t *testing.T, seen string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(seen, w) {
			t.Errorf("%q is missing in\n%s", w, seen)
		}
	}
}

// TestSecondWorkspaceIsRefused starts replicas of two workspaces on one Redis, and a
// demo: the first workspace has it, whoever comes later is told what to do, and its
// own database number is all that the second needs.
func TestSecondWorkspaceIsRefused(t *testing.T) {
	t.Parallel()
	server := storagetest.RedisTCP(t)
	one := localSlack(t, slacksim.Options{TeamID: "T0ONE"})
	two := localSlack(t, slacksim.Options{TeamID: "T0TWO"})
	first := start(t, t.TempDir(), serveEnv(one, server), "serve")
	ready(t, first)

	refused := start(t, t.TempDir(), serveEnv(two, server), "serve")
	if got := refused.wait(patience); got != exitFailure {
		t.Errorf("exit code %d, want %d:\n%s", got, exitFailure, &refused.output)
	}
	says(t, refused.output.String(),
		"this Redis belongs to the Slack workspace T0ONE, but these tokens belong to T0TWO", "take each other's discussions",
		"give T0TWO a Redis of its own or a database number of its own", "/1", "a Cluster of its own", "if T0ONE is gone for good, delete the key {rt1:0}:team\n")
	refused.calm()

	folder := t.TempDir()
	demo := start(t, folder, nil, "demo", "--redis", server.URL, "--state", filepath.Join(folder, "state.json"), "--address", "127.0.0.1:0")
	if got := demo.wait(patience); got != exitFailure {
		t.Errorf("the demo: exit code %d, want %d:\n%s", got, exitFailure, &demo.output)
	}
	says(t, demo.output.String(), "this Redis belongs to the Slack workspace T0ONE, but these tokens belong to T0ROUND01 (the demo's)", "--redis of the demo")

	ready(t, start(t, t.TempDir(), serveEnv(one, server), "serve"))
	other := *server
	other.URL = strings.TrimSuffix(server.URL, "/") + "/1"
	ready(t, start(t, t.TempDir(), serveEnv(two, &other), "serve"))
	if got := first.terminate(); got != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0", got)
	}
	first.calm()
}

// TestDoctorOfTheOccupant says whose the Redis is, and does not take it.
func TestDoctorOfTheOccupant(t *testing.T) {
	t.Chdir(t.TempDir())
	slack := localSlack(t, slacksim.Options{TeamID: "T0ONE", Scopes: manifestScopes(t)})
	tokens := map[string]string{"SLACK_BOT_TOKEN": "xoxb-" + canaryToken, "SLACK_APP_TOKEN": "xapp-" + canaryToken, "SLACK_API_URL": slack.url + "/api/"}
	free := storagetest.RedisTCP(t)
	for range 2 {
		examined(t, with(tokens, map[string]string{"REDIS_URL": free.URL})).expect(t, "redis", "workspace", "ok", "belongs to no Slack workspace yet")
	}
	for name, c := range map[string]struct {
		team  string
		env   map[string]string
		level string
		words []string
	}{
		"ours":            {"T0ONE", tokens, "ok", []string{"belongs to the Slack workspace T0ONE, as the tokens do"}},
		"another's":       {"T0TWO", tokens, "failure", []string{"belongs to the Slack workspace T0TWO, but these tokens belong to T0ONE", "Roundtable does not start here", "delete the key {rt1:0}:team"}},
		"the demo's":      {config.DemoTeam, tokens, "failure", []string{"T0ROUND01 (the demo's)"}},
		"no token":        {"T0TWO", map[string]string{}, "ok", []string{"T0TWO; doctor could not tell which workspace the tokens belong to"}},
		"Slack is silent": {"T0TWO", with(tokens, map[string]string{"SLACK_API_URL": "http://127.0.0.1:1/api/"}), "ok", []string{"T0TWO; doctor could not tell which workspace the tokens belong to"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := occupied(t, c.team)
			examined(t, with(c.env, map[string]string{"REDIS_URL": server.URL})).expect(t, "redis", "workspace", c.level, c.words...)
		})
	}
	nobody := free.Client(t)
	defer nobody.Close()
	if n, err := nobody.Exists(t.Context(), "{rt1:0}:team").Result(); err != nil || n != 0 {
		t.Errorf("doctor has left %d keys, %v", n, err)
	}
}
