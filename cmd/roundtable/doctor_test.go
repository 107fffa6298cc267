package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/cmd/roundtable/doctor"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// doctorWith runs doctor inside the test with an environment, and holds what it
// prints to I11.
func doctorWith(t *testing.T, env map[string]string, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	s := streams{in: strings.NewReader(""), out: &out, err: &errs, environ: func(k string) (string, bool) { v, ok := env[k]; return v, ok }}
	code := run(context.Background(), s, append([]string{"doctor"}, args...))
	for _, secret := range []string{canaryToken, canaryPassword} {
		if strings.Contains(out.String()+errs.String(), secret) {
			t.Errorf("a secret was printed (I11):\n%s%s", out.String(), errs.String())
		}
	}
	return ran{code, out.String(), errs.String()}
}

const canaryPassword = "hunter2hunter2"

// reported is what doctor says with --json.
type reported struct {
	Worst    string
	Counts   map[string]int
	Findings []struct {
		Area, Check, Level, Found, Means, Do string
		Where                                []string
		Promises                             []int
	}
}

// check is the worst level at which something was reported, and all that was said
// of it.
func (r reported) check(area, check string) (level string, lines string) {
	order := []string{"", "ok", "advice", "warning", "failure"}
	for _, f := range r.Findings {
		if f.Area == area && f.Check == check {
			if slices.Index(order, f.Level) > slices.Index(order, level) {
				level = f.Level
			}
			lines += fmt.Sprintf("%s %s: %s | %s %v | %s\n", f.Level, strings.Join(f.Where, ","), f.Found, f.Means, f.Promises, f.Do)
		}
	}
	return level, lines
}

// examined runs doctor with --json.
func examined(t *testing.T, env map[string]string, args ...string) reported {
	t.Helper()
	got := doctorWith(t, env, append(args, "--json")...)
	var r reported
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatalf("%v in\n%s%s", err, got.out, got.err)
	}
	if (got.code != 0) != (r.Worst == "failure") {
		t.Errorf("exit code %d with %s as the worst", got.code, r.Worst)
	}
	return r
}

// expect wants a check at a level, with some words in what is said.
func (r reported) expect(t *testing.T, area, check, level string, words ...string) {
	t.Helper()
	got, lines := r.check(area, check)
	if got != level {
		t.Errorf("%s, %s: got %q, want %q:\n%s", area, check, got, level, lines)
	}
	for _, w := range words {
		if !strings.Contains(lines, w) {
			t.Errorf("%s, %s: %q is missing in:\n%s", area, check, w, lines)
		}
	}
}

// healthy is an environment in which nothing is wrong. The user of Redis may do what
// doctor says that it must be allowed, and nothing else.
func healthy(t *testing.T) map[string]string {
	t.Helper()
	w := localSlack(t, slacksim.Options{Scopes: manifestScopes(t)})
	server := storagetest.RedisTCP(t, slices.Concat([]string{"--appendonly", "yes", "--appendfsync", "always", "--user", "default", "off", "--user", "app", "on", ">" + canaryPassword}, strings.Fields(doctor.RedisRights))...)
	return map[string]string{
		"SLACK_BOT_TOKEN": "xoxb-" + canaryToken, "SLACK_APP_TOKEN": "xapp-" + canaryToken, "SLACK_API_URL": w.url + "/api/",
		"REDIS_URL": strings.Replace(server.URL, "redis://", "redis://app:"+canaryPassword+"@", 1),
	}
}

// TestDoctorOfTheHealthy says that all is well, in text and in JSON, and leaves no
// goroutine behind.
func TestDoctorOfTheHealthy(t *testing.T) {
	t.Chdir(t.TempDir())
	env := healthy(t)
	got := doctorWith(t, env, "--strict")
	if got.code != 0 || got.err != "" || !strings.HasSuffix(got.out, "\nall is well\n") {
		t.Errorf("got %+v", got)
	}
	for _, want := range []string{"configuration\n", "files\n", "redis\n", "slack\n", "model\n", "appendfsync is always", "accepted a write in", "speaks for @roundtable in Local workspace", "offline"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is missing in\n%s", want, got.out)
		}
	}
	before := goleak.IgnoreCurrent() // the servers are all there by now
	r := examined(t, env)
	if err := goleak.Find(before); err != nil {
		t.Error(err)
	}
	if r.Worst != "ok" || r.Counts["ok"] != len(r.Findings) || len(r.Findings) < 12 {
		t.Errorf("got %+v", r)
	}
}

// TestDoctorOfNothing is run where nothing is configured: it says so, and that is
// a warning.
func TestDoctorOfNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	r := examined(t, nil)
	r.expect(t, "redis", "address", "warning", "REDIS_URL is not set")
	r.expect(t, "slack", "tokens", "warning", "no token is set")
	r.expect(t, "model", "model", "ok", "offline")
	r.expect(t, "files", "manifests", "ok", "3 personas", "built in")
	if got := doctorWith(t, nil); got.code != 0 || !strings.Contains(got.out, "\n2 warnings\n") {
		t.Errorf("got %+v, want success with two warnings", got)
	}
	if got := doctorWith(t, nil, "--strict"); got.code != exitFailure || !strings.Contains(got.err, "see above") {
		t.Errorf("with --strict: got %+v, want a failure", got)
	}
}

// TestDoctorReadsABrokenConfiguration goes on with what can be read, and names all
// that cannot.
func TestDoctorReadsABrokenConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("roundtable.yaml", []byte("max-turns: many\nnonsense: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := examined(t, map[string]string{"REDIS_URL": "http://u:" + canaryPassword + "@h", "SLACK_APP_TOKEN_FILE": "/nowhere", "SLACK_BOT_TOKEN": canaryToken}, "--lease", "1ms")
	r.expect(t, "configuration", "setting", "failure", `"many" is not a whole number`, "roundtable.yaml:2: there is no setting", "the Redis URL must begin with", "SLACK_APP_TOKEN_FILE: open /nowhere", "SLACK_BOT_TOKEN: this is not a token that begins with xoxb-", "--lease: 1ms is too short")
	if got := doctorWith(t, nil, "--brew"); got.code != exitUsage || !strings.Contains(got.err, "flag provided but not defined: -brew") {
		t.Errorf("a wrong flag: got %+v, want a usage error", got)
	}
	if got := doctorWith(t, nil, "now"); got.code != exitUsage {
		t.Errorf("an argument: got %+v, want a usage error", got)
	}
}

// TestDoctorTellsTokensApart never shows more of a token than its kind (I11).
func TestDoctorTellsTokensApart(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		bot, app string
		check    string
		want     []string
	}{
		"swapped":           {"xapp-", "xoxb-", "tokens", []string{"are swapped", "swap them back"}},
		"a person's":        {"xoxp-", "xapp-", "token", []string{"SLACK_BOT_TOKEN holds a token of the wrong kind: user token", "OAuth & Permissions"}},
		"one for both":      {"xoxb-", "xoxb-", "token", []string{"SLACK_APP_TOKEN holds a token of the wrong kind: bot token", "connections:write"}},
		"of a rotating app": {"xoxe.xoxb-", "xapp-", "token", []string{"token rotation", "anew"}},
		"of a browser":      {"xoxc-", "xapp-", "token", []string{"browser session"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := examined(t, map[string]string{"SLACK_BOT_TOKEN": c.bot + canaryToken, "SLACK_APP_TOKEN": c.app + canaryToken, "SLACK_API_URL": "http://127.0.0.1:1/api/"})
			r.expect(t, "configuration", c.check, "failure", c.want...)
			if _, lines := r.check("configuration", "setting"); lines != "" {
				t.Errorf("said twice:\n%s", lines)
			}
		})
	}
}

// TestDoctorReadsManifests names every problem of a directory, and a step that
// would be lost.
func TestDoctorReadsManifests(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	writeTree(t, folder, map[string]string{"m/personas/business-analyst.yaml": "key: business-analyst\nnonsense: 1\n", "m/personas/system-designer.yaml": "key: [\n"})
	r := examined(t, nil, "--manifests", "m")
	r.expect(t, "files", "manifests", "failure", "business-analyst.yaml:2:", "system-designer.yaml:", "roundtable check m")
	r = examined(t, nil, "--manifests", filepath.Join(folder, "no"))
	r.expect(t, "files", "manifests", "failure", "no such file or directory")
	writeTree(t, folder, map[string]string{"s/steps/00-quick-scan/01-scope-estimation.md": "no front matter\n"})
	r = examined(t, nil, "--manifests", "s")
	r.expect(t, "files", "manifests", "warning", "01-scope-estimation.md", "leave this step out")
}

// TestServeWarnsOfRedis logs at its start what the settings do not keep, and
// nothing where they keep it all.
func TestServeWarnsOfRedis(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"nothing is kept": {nil, []string{"level=WARN", "append-only file", "in memory only", "breaks “nothing is lost”, “crashes do no harm”, “documents only grow”, “weeks later it goes on”", "CONFIG SET appendonly yes"}},
		"all is kept":     {[]string{"--appendonly", "yes", "--appendfsync", "always"}, nil},
		"everybody gets in": {[]string{"--appendonly", "yes", "--appendfsync", "always", "--protected-mode", "no"},
			[]string{"level=WARN", "check=password", "none is required, and protected-mode is off", "speak as the bot (breaks “nothing is lost”, “documents only grow”, “nothing leaks”)", "ACL SETUSER roundtable"}},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			doctor.WarnOfRedis(t.Context(), config.Config{RedisURL: storagetest.Redis(t, c.args...).URL}, slog.New(slog.NewTextHandler(&log, nil)))
			if len(c.want) == 0 && log.Len() > 0 {
				t.Errorf("it says\n%s", &log)
			}
			for _, w := range c.want {
				if !strings.Contains(log.String(), w) {
					t.Errorf("%q is missing in\n%s", w, &log)
				}
			}
		})
	}
}

// manifestScopes are the scopes that our manifest asks for.
func manifestScopes(t *testing.T) []string {
	t.Helper()
	set, err := loadManifests("")
	if err != nil {
		t.Fatal(err)
	}
	must, optional, err := doctor.ScopesOf(set.SlackApp)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(must, optional)
}

// with is an environment with changes.
func with(env map[string]string, change map[string]string) map[string]string {
	out := maps.Clone(env)
	maps.Copy(out, change)
	return out
}
