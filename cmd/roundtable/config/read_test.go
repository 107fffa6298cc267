package config

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// told is what a command is told: arguments, environment, configuration file.
type told struct {
	args []string
	env  map[string]string
	file string
}

// configured runs configure in a folder of its own.
func configured(t *testing.T, told told, v Variant) (c Config, rest []string, out string, err error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if told.file != "" {
		if err := os.WriteFile(configFile, []byte(told.file), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var printed bytes.Buffer
	s := Surroundings{Out: &printed, Environ: func(k string) (string, bool) { v, ok := told.env[k]; return v, ok }}
	c, rest, err = Read(s, Command{Name: "serve"}, told.args, v)
	return c, rest, printed.String(), err
}

func TestConfigurePrecedence(t *testing.T) {
	file, env, args := "max-turns: 20\n", map[string]string{"ROUNDTABLE_MAX_TURNS": "30"}, []string{"--max-turns", "40"}
	initial := Variant{Initial: map[string]string{"max-turns": "15"}}
	tests := []struct {
		name string
		told told
		v    Variant
		want int
	}{
		{"the default", told{}, Variant{}, 10},
		{"a command's own default", told{}, initial, 15},
		{"the file beats the default", told{file: file}, initial, 20},
		{"the environment beats the file", told{file: file, env: env}, Variant{}, 30},
		{"the flag beats the environment", told{file: file, env: env, args: args}, Variant{}, 40},
		{"the flag beats the file", told{file: file, args: args}, Variant{}, 40},
		{"a later flag beats an earlier one", told{args: []string{"--max-turns=5", "--max-turns=6"}}, Variant{}, 6},
		{"a value that is beaten need not be good", told{file: "max-turns: 1\n", args: args}, Variant{}, 40},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, _, _, err := configured(t, tt.told, tt.v)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.MaxTurns; got != tt.want {
				t.Errorf("got %d turns, want %d", got, tt.want)
			}
		})
	}
}

func TestConfigureValues(t *testing.T) {
	c, rest, _, err := configured(t, told{
		args: []string{"--may-extend=false", "--allow-guests", "--listen", "", "--log-level", "debug", "DIR", "--not-a-flag"},
		env:  map[string]string{"ROUNDTABLE_LINK_HOSTS": "a.example, b.example", "SLACK_BOT_TOKEN": "", "REDIS_URL": "redis://u:p@h:1/2", "SLACK_API_URL": "http://127.0.0.1:1/api/"},
		file: "channels: [C1, C2]\ngather: 0s\nallow-shared: true\n",
	}, Variant{})
	if err != nil {
		t.Fatal(err)
	}
	var want Config
	for _, x := range Settings(&want) {
		if err := x.Set(x.Initial); err != nil {
			t.Fatal(err)
		}
	}
	want.AllowGuests, want.AllowShared, want.MayExtend, want.Gather, want.Listen, want.LogLevel = true, true, false, 0, "", -4
	want.LinkHosts, want.Channels = []string{"a.example", "b.example"}, []string{"C1", "C2"}
	want.RedisURL, want.SlackAPIURL = "redis://u:p@h:1/2", "http://127.0.0.1:1/api/"
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"DIR", "--not-a-flag"}, rest); diff != "" {
		t.Errorf("arguments (-want +got)\n%s", diff)
	}
}

// TestConfigureProblems wants every problem at once, each with its place, and a
// usage error.
func TestConfigureProblems(t *testing.T) {
	all := Variant{Needs: []string{"slack-bot-token", "slack-app-token", "redis-url"}}
	tests := []struct {
		name string
		told told
		v    Variant
		want []string // in the order of the lines
	}{
		{"what is missing", told{}, all, []string{"SLACK_BOT_TOKEN is missing", "SLACK_APP_TOKEN is missing", "REDIS_URL is missing"}},
		{"one of every kind", told{
			args: []string{"--max-turns", "2", "--log-level=loud", "--unheard-of", "--drain", "5"},
			env:  map[string]string{"ROUNDTABLE_PACE": "-1s", "ROUNDTABLE_SETTLE": "10s", "ROUNDTABLE_MAY_EXTEND": "perhaps", "SLACK_APP_TOKEN": "xoxb-1"},
			file: "nonsense: 1\nworkers: 0\n\nlease: {a: b}\nworkers: 3\nredis-url: redis://h\nmodel: gpt\nsilence: soon\n",
		}, Variant{}, []string{
			"flag provided but not defined: -unheard-of",
			`roundtable.yaml:1: there is no setting "nonsense"`,
			"roundtable.yaml:4: lease: expected a plain value",
			"roundtable.yaml:5: workers is given twice",
			"roundtable.yaml:6: redis-url is a secret; give it as REDIS_URL or REDIS_URL_FILE",
			"SLACK_APP_TOKEN: this is not a token that begins with xapp-",
			`roundtable.yaml:7: model: "gpt" is not known; it can be offline`,
			"ROUNDTABLE_PACE: -1s is too short; the minimum is 0s",
			`--log-level: "loud" is not one of debug, info, warn or error`,
			`--max-turns: "2" is not a whole number of at least 3`,
			`roundtable.yaml:8: silence: "soon" is not a duration`,
			`ROUNDTABLE_MAY_EXTEND: "perhaps" is neither true nor false`,
			`roundtable.yaml:2: workers: "0" is not a whole number of at least 1`,
			"ROUNDTABLE_SETTLE: 10s is too short; the minimum is 10.001s",
		}},
		{"lists hold plain values", told{file: "channels:\n- C1\n- [C2]\n"}, Variant{}, []string{"roundtable.yaml:1: channels: a list may hold only plain values"}},
		{"no alias stands for a value", told{file: "listen: &a x\nmodel: *a\n"}, Variant{}, []string{"roundtable.yaml:2: model: expected a plain value"}},
		{"one document", told{file: "model: offline\n---\nmodel: offline\n"}, Variant{}, []string{"roundtable.yaml: expected one document"}},
		{"a mapping", told{file: "- model\n"}, Variant{}, []string{"roundtable.yaml: line 1: expected one setting per line"}},
		{"yaml", told{file: "a: b: c\n"}, Variant{}, []string{"roundtable.yaml: yaml: "}},
		{"a file that was named must exist", told{args: []string{"--config", "other.yaml"}}, Variant{}, []string{"configuration file: open other.yaml"}},
		{"a secret in two places", told{env: map[string]string{"REDIS_URL": "redis://h", "REDIS_URL_FILE": "f"}}, Variant{}, []string{"REDIS_URL and REDIS_URL_FILE are both set"}},
		{"a secret's file must exist", told{env: map[string]string{"REDIS_URL_FILE": "nowhere"}}, Variant{}, []string{"REDIS_URL_FILE: open nowhere"}},
		{"a password is no part of an address that is shown", told{env: map[string]string{"SLACK_API_URL": "http://u:p@h/api/"}}, Variant{}, []string{"SLACK_API_URL: the address contains a user name or a password"}},
		{"secrets have no flags", told{args: []string{"--slack-bot-token=xoxb-1"}}, Variant{}, []string{"flag provided but not defined: -slack-bot-token"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, _, err := configured(t, tt.told, tt.v)
			if wrong := (UsageError{}); !errors.As(err, &wrong) {
				t.Fatalf("got %v, want a usage error", err)
			}
			got := strings.Split(err.Error(), "\n")
			for i, want := range tt.want {
				if i < len(got) && !strings.HasPrefix(got[i], want) {
					t.Errorf("problem %d: got %q, want %q", i+1, got[i], want)
				}
			}
			if len(got) != len(tt.want) {
				t.Errorf("got %d problems, want %d:\n%v", len(got), len(tt.want), err)
			}
		})
	}
}

// TestConfigureSecretFiles reads secrets from files, as orchestrators mount them.
func TestConfigureSecretFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("xoxb-1\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, _, err := configured(t, told{env: map[string]string{"SLACK_BOT_TOKEN_FILE": file, "SLACK_BOT_TOKEN": ""}}, Variant{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.BotToken, "xoxb-1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestConfigureKeepsSecrets lets no secret out, good or bad, in whatever is
// printed (I11).
func TestConfigureKeepsSecrets(t *testing.T) {
	const secret = "s3cr3t"
	good := map[string]string{"SLACK_BOT_TOKEN": "xoxb-" + secret, "SLACK_APP_TOKEN": "xapp-" + secret, "REDIS_URL": "redis://u:" + secret + "@h", "ANTHROPIC_API_KEY": secret, "OPENAI_API_KEY": secret}
	bad := map[string]string{"SLACK_BOT_TOKEN": secret, "SLACK_APP_TOKEN": secret, "REDIS_URL": "redis://u:" + secret + "#@h:" + secret, "ANTHROPIC_API_KEY": secret + "\n", "OPENAI_API_KEY": " " + secret, "OPENAI_BASE_URL": "http://h/?key=" + secret}
	for name, env := range map[string]map[string]string{"good": good, "bad": bad} {
		for _, args := range [][]string{{}, {"--print-config"}, {"--help"}, {"--max-turns", "x"}, {"--redis-url", "redis://:" + secret + "@h"}} {
			t.Run(name+strings.Join(args, " "), func(t *testing.T) {
				_, _, out, err := configured(t, told{args: args, env: env, file: "redis-url: " + secret + "\n"}, Variant{})
				if err != nil {
					out += err.Error()
				}
				if strings.Contains(out, secret) {
					t.Errorf("the secret is in\n%s", out)
				}
			})
		}
	}
	_, _, out, err := configured(t, told{args: []string{"--print-config"}, env: map[string]string{"REDIS_URL": good["REDIS_URL"]}}, Variant{Needs: []string{"slack-bot-token"}})
	if !errors.Is(err, ErrAnswered) || !strings.Contains(out, "# SLACK_BOT_TOKEN is not set\n") || !strings.Contains(out, "# REDIS_URL is set\n") {
		t.Errorf("got %v and\n%s", err, out)
	}
}

// TestPrintConfigReadsBack feeds what --print-config shows to --config.
func TestPrintConfigReadsBack(t *testing.T) {
	args := []string{"--max-turns", "12", "--listen", ":0", "--channels", "C1,C2", "--gather", "0s", "--may-extend=false", "--log-format", "json", "--silence", "36h", "--manifests", "# a: 'b' \"c\"",
		"--model", "anthropic:m-1,openai:org/m:2,offline", "--budget-day", "2000000,$1.5", "--prices", "- {model: 'anthropic:m-1', since: 2026-11-01, input: 2, output: .5}", "--openai-profile", "compatible,json_schema=none"}
	want, _, _, err := configured(t, told{args: args}, Variant{})
	if err != nil {
		t.Fatal(err)
	}
	_, _, shown, err := configured(t, told{args: append(args, "--print-config")}, Variant{})
	if !errors.Is(err, ErrAnswered) {
		t.Fatal(err)
	}
	got, _, _, err := configured(t, told{file: shown}, Variant{})
	if err != nil {
		t.Fatalf("%v in\n%s", err, shown)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, shown)
	}
}

// TestConfigureHelp names every setting, its variable and its default, and the
// flags that a command adds.
func TestConfigureHelp(t *testing.T) {
	_, _, out, err := configured(t, told{args: []string{"--help", "--bogus"}}, Variant{
		Initial: map[string]string{"pace": "7s"},
		Flags:   func(f *flag.FlagSet) { f.String("own", "", "its own") },
	})
	if !errors.Is(err, ErrAnswered) {
		t.Fatalf("got %v, want that help was given", err)
	}
	for _, x := range Settings(&Config{}) {
		if !x.Secret && !strings.Contains(out, "--"+x.Name+" ") || !strings.Contains(out, x.Env) {
			t.Errorf("%s or %s is missing", x.Name, x.Env)
		}
	}
	for _, want := range []string{"--own ", "its own", "(default 7s) [ROUNDTABLE_PACE]", "VARIABLE_FILE"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

// TestSettingsReachEveryField wants each field of the configuration to have a
// setting, and each setting a name, a variable and a default that is good.
func TestSettingsReachEveryField(t *testing.T) {
	var c Config
	seen := map[string]bool{}
	for _, x := range Settings(&c) {
		if seen[x.Name] || seen[x.Env] || x.Name == "" || x.Env == "" || x.Help == "" {
			t.Errorf("%q, %q: empty or twice", x.Name, x.Env)
		}
		seen[x.Name], seen[x.Env] = true, true
		if err := x.Set(x.Initial); err != nil {
			t.Errorf("the default of %s: %v", x.Name, err)
		}
	}
	other := map[string]string{
		"slack-bot-token": "xoxb-1", "slack-app-token": "xapp-1", "slack-api-url": "http://h/", "redis-url": "redis://h", "manifests": "d", "artifacts": "d", "channels": "C", "link-hosts": "h",
		"redis-replicas": "1", "pace": "1s", "may-close": "opener", "may-choose": "opener", "may-forget": "everybody", "allow-shared": "true", "allow-guests": "true", "log-level": "warn",
		"anthropic-api-key": "k", "anthropic-base-url": "http://h/", "openai-api-key": "k", "openai-base-url": "http://h/v1",
		"budget-discussion": "1", "budget-analysis": "1", "length": "terse", "budget-day": "$1", "budget-deployment": "1,$1", "prices": "[{model: m, input: 1, output: 1}]",
	}
	for _, x := range Settings(&c) {
		if v, ok := other[x.Name]; ok {
			if err := x.Set(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, v := 0, reflect.ValueOf(c); i < v.NumField(); i++ {
		if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "PostRate" { // which only the demo sets
			t.Errorf("no setting reaches config.%s", name)
		}
	}
	if got, want := c.Settle-PostTimeout, 3*time.Second; got != want {
		t.Errorf("settling goes on for %s after the time-out of a post, want %s", got, want)
	}
}
