package main

import (
	"flag"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// config is everything the program can be told.
type config struct {
	BotToken, AppToken, SlackAPIURL string

	RedisURL      string
	RedisReplicas int

	Model     string
	Manifests string
	Pace      time.Duration

	Listen    string
	LogLevel  slog.Level
	LogFormat string

	MaxTurns  int
	Gather    time.Duration
	Silence   time.Duration
	MayExtend bool

	Channels    []string
	AllowShared bool
	AllowGuests bool
	LinkHosts   []string

	Workers   int
	Lease     time.Duration
	Settle    time.Duration
	Retention time.Duration
	Drain     time.Duration
}

// setting is one entry of the configuration: a flag, an environment variable and
// a key of roundtable.yaml. A secret has no flag, because command lines are
// visible to every process; its variable with _FILE appended may name a file
// instead.
type setting struct {
	name, env string
	initial   string
	help      string
	secret    bool
	flag.Value
}

// settings lists all there are, bound to c, in the order in which people read
// about them.
func settings(c *config) []setting {
	return []setting{
		{"slack-bot-token", "SLACK_BOT_TOKEN", "", "bot token, xoxb-…", true, (*textValue)(&c.BotToken)},
		{"slack-app-token", "SLACK_APP_TOKEN", "", "app-level token with connections:write, xapp-…", true, (*textValue)(&c.AppToken)},
		{"slack-api-url", "SLACK_API_URL", "", "another Slack-compatible endpoint, ending in /api/", false, (*textValue)(&c.SlackAPIURL)},
		{"redis-url", "REDIS_URL", "", "redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// address", true, (*textValue)(&c.RedisURL)},
		{"redis-replicas", "ROUNDTABLE_REDIS_REPLICAS", "0", "replicas that must confirm what is acknowledged (WAIT)", false, atLeast(&c.RedisReplicas, 0)},
		{"model", "ROUNDTABLE_MODEL", "offline", "who speaks for the personas; offline is the built-in rule-based stand-in", false, (*textValue)(&c.Model)},
		{"manifests", "ROUNDTABLE_MANIFESTS", "", "directory whose files replace the built-in personas and phases", false, (*textValue)(&c.Manifests)},
		{"pace", "ROUNDTABLE_PACE", "0s", "how long an offline persona thinks before it speaks", false, (*spanValue)(&c.Pace)},
		{"listen", "ROUNDTABLE_LISTEN", "127.0.0.1:8080", "address of /livez, /readyz and /metrics; :0 picks a port, empty switches them off", false, (*textValue)(&c.Listen)},
		{"log-level", "ROUNDTABLE_LOG_LEVEL", "info", "debug, info, warn or error", false, (*levelValue)(&c.LogLevel)},
		{"log-format", "ROUNDTABLE_LOG_FORMAT", "text", "text or json", false, oneOf(&c.LogFormat, "text", "json")},
		{"max-turns", "ROUNDTABLE_MAX_TURNS", strconv.Itoa(roundtable.DefaultMaxTurns), "turn limit of a discussion", false, atLeast(&c.MaxTurns, roundtable.MinTurns)},
		{"gather", "ROUNDTABLE_GATHER", "3s", "window in which consecutive messages of one person are one contribution; 0s for none", false, (*spanValue)(&c.Gather)},
		{"silence", "ROUNDTABLE_SILENCE", "72h", "silence after which the lead asks whether to wrap up; 0s for never", false, (*spanValue)(&c.Silence)},
		{"may-extend", "ROUNDTABLE_MAY_EXTEND", "true", "whether people may add turns to a discussion", false, (*truthValue)(&c.MayExtend)},
		{"channels", "ROUNDTABLE_CHANNELS", "", "ids of the channels where discussions may be opened, separated by commas; empty for all", false, (*listValue)(&c.Channels)},
		{"allow-shared", "ROUNDTABLE_ALLOW_SHARED", "false", "allow channels shared with other organisations", false, (*truthValue)(&c.AllowShared)},
		{"allow-guests", "ROUNDTABLE_ALLOW_GUESTS", "false", "allow guests to open discussions and press buttons", false, (*truthValue)(&c.AllowGuests)},
		{"link-hosts", "ROUNDTABLE_LINK_HOSTS", "", "hosts that personas may link to, separated by commas", false, (*listValue)(&c.LinkHosts)},
		{"workers", "ROUNDTABLE_WORKERS", "64", "discussions that a replica works on at once", false, atLeast(&c.Workers, 1)},
		{"lease", "ROUNDTABLE_LEASE", "30s", "how long a discussion stays with a replica that is not heard of", false, (*spanValue)(&c.Lease)},
		{"settle", "ROUNDTABLE_SETTLE", "13s", "how long after an attempt Slack may still perform it; more than 10s", false, (*spanValue)(&c.Settle)},
		{"retention", "ROUNDTABLE_RETENTION", "720h", "how long a closed discussion is kept", false, (*spanValue)(&c.Retention)},
		{"drain", "ROUNDTABLE_DRAIN", "20s", "how long work under way may take once asked to stop", false, (*spanValue)(&c.Drain)},
	}
}

type textValue string

func (v *textValue) Set(s string) error { *v = textValue(s); return nil }
func (v *textValue) String() string     { return string(*v) }

type listValue []string

func (v *listValue) Set(s string) error {
	*v = strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}
func (v *listValue) String() string { return strings.Join(*v, ",") }

type spanValue time.Duration

func (v *spanValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is not a duration such as 3s, 5m or 72h", s)
	}
	*v = spanValue(d)
	return nil
}
func (v *spanValue) String() string { return time.Duration(*v).String() }

type truthValue bool

func (v *truthValue) Set(s string) error {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return fmt.Errorf("%q is neither true nor false", s)
	}
	*v = truthValue(b)
	return nil
}
func (v *truthValue) String() string   { return strconv.FormatBool(bool(*v)) }
func (v *truthValue) IsBoolFlag() bool { return true }

type levelValue slog.Level

func (v *levelValue) Set(s string) error {
	var l slog.Level
	if err := l.UnmarshalText([]byte(s)); err != nil {
		return fmt.Errorf("%q is none of debug, info, warn, error", s)
	}
	*v = levelValue(l)
	return nil
}
func (v *levelValue) String() string { return strings.ToLower(slog.Level(*v).String()) }

// numberValue is a whole number with a least value.
type numberValue struct {
	p     *int
	least int
}

func atLeast(p *int, least int) *numberValue { return &numberValue{p, least} }

func (v *numberValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < v.least {
		return fmt.Errorf("%q is not a whole number of at least %d", s, v.least)
	}
	*v.p = n
	return nil
}

func (v *numberValue) String() string {
	if v.p == nil {
		return "" // package flag asks a zero value
	}
	return strconv.Itoa(*v.p)
}

// choiceValue is one of a few words.
type choiceValue struct {
	p     *string
	words []string
}

func oneOf(p *string, words ...string) *choiceValue { return &choiceValue{p, words} }

func (v *choiceValue) Set(s string) error {
	for _, w := range v.words {
		if s == w {
			*v.p = s
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", s, strings.Join(v.words, ", "))
}

func (v *choiceValue) String() string {
	if v.p == nil {
		return ""
	}
	return *v.p
}
