package config

import (
	"flag"
	"log/slog"
	"strconv"
	"time"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/bot/llm/openai"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// Config is everything the program can be told.
type Config struct {
	BotToken, AppToken, SlackAPIURL string

	RedisURL      string
	RedisReplicas int
	// Artifacts is the directory of documents; empty where Redis keeps them.
	Artifacts string

	Models       []string
	ModelEffort  bool
	ModelIdle    time.Duration
	ModelTimeout time.Duration
	AnthropicKey string
	AnthropicURL string
	OpenAIKey    string
	OpenAIURL    string
	// OpenAIProfile is what that endpoint understands; see openai.ParseProfile.
	OpenAIProfile string
	Budgets       thread.Limits
	// AnalysisBudget stands in the place of a discussion's for an analysis.
	AnalysisBudget thread.Spend
	Prices         llm.Prices
	// Length is how long contributions of models are; see package voice.
	Length voice.Length

	Manifests string
	Pace      time.Duration
	// PostRate is how many posts a second a channel bears; 0 is Slack's one. Only the
	// demo's workspace bears another.
	PostRate float64

	Listen    string
	LogLevel  slog.Level
	LogFormat string

	MaxTurns  int
	Gather    time.Duration
	Silence   time.Duration
	Nudge     time.Duration
	MayExtend bool
	MayClose  thread.Right
	MayChoose thread.Right
	MayForget bot.ForgetRight

	Channels    []string
	AllowShared bool
	AllowGuests bool
	LinkHosts   []string

	Workers   int
	Asks      int
	MaxOpen   int
	Lease     time.Duration
	Settle    time.Duration
	Retention time.Duration
	// AuditRetention is how long the audit record is kept.
	AuditRetention time.Duration
	Drain          time.Duration
}

// DemoTeam is the workspace of the demo, which nobody's Slack has.
const DemoTeam = "T0ROUND01"

// PostTimeout bounds one request to Slack. Config.Settle must be longer.
const PostTimeout = 10 * time.Second

// setting is one entry of the configuration: a flag, an environment variable and
// a key of roundtable.yaml. A secret has no flag, because command lines are
// visible to every process; its variable with _FILE appended may name a file
// instead.
type setting struct {
	Name, Env string
	Initial   string
	Help      string
	Secret    bool
	flag.Value
}

// Settings lists all there are, bound to c, in the order in which people read
// about them.
func Settings(c *Config) []setting {
	return []setting{
		{"slack-bot-token", "SLACK_BOT_TOKEN", "", "bot token, xoxb-…", true, token(&c.BotToken, "xoxb-")},
		{"slack-app-token", "SLACK_APP_TOKEN", "", "app-level token with connections:write, xapp-…", true, token(&c.AppToken, "xapp-")},
		{"slack-api-url", "SLACK_API_URL", "", "another Slack-compatible endpoint, ending in /api/", false, (*endpointValue)(&c.SlackAPIURL)},
		{"redis-url", "REDIS_URL", "", "redis://, rediss://, unix://, redis+sentinel:// or redis+cluster:// address", true, (*redisValue)(&c.RedisURL)},
		{"redis-replicas", "ROUNDTABLE_REDIS_REPLICAS", "0", "how many replicas must confirm a write before Roundtable acknowledges it (WAIT)", false, atLeast(&c.RedisReplicas, 0)},
		{"artifacts", "ROUNDTABLE_ARTIFACTS", "", "directory that keeps the documents, with a folder for each item, such as docs/requirements in a Git checkout; a folder that belongs to no channel yet goes to the first channel that works on an item of that name; empty: Redis keeps the documents", false, (*textValue)(&c.Artifacts)},
		{"model", "ROUNDTABLE_MODEL", offline.Engine, "models that speak for the personas: provider:model, in fallback order, separated by commas; offline is the built-in rule-based stand-in", false, (*modelsValue)(&c.Models)},
		{"anthropic-api-key", "ANTHROPIC_API_KEY", "", "key for models named anthropic:…", true, (*secretValue)(&c.AnthropicKey)},
		{"anthropic-base-url", "ANTHROPIC_BASE_URL", "", "another endpoint with Anthropic's API", false, (*endpointValue)(&c.AnthropicURL)},
		{"openai-api-key", "OPENAI_API_KEY", "", "key for models named openai:…; servers of your own may need none", true, (*secretValue)(&c.OpenAIKey)},
		{"openai-base-url", "OPENAI_BASE_URL", "", "another endpoint with OpenAI's API, such as http://127.0.0.1:11434/v1", false, (*endpointValue)(&c.OpenAIURL)},
		{"openai-profile", "ROUNDTABLE_OPENAI_PROFILE", openai.DefaultProfile, "what that endpoint understands: openai, compatible (vLLM, Ollama, llama.cpp, OpenRouter) or minimal, followed by fields that differ: compatible,json_schema=none", false, (*profileValue)(&c.OpenAIProfile)},
		{"model-effort", "ROUNDTABLE_MODEL_EFFORT", "true", "whether to tell models how long to think; some older models refuse this", false, (*truthValue)(&c.ModelEffort)},
		{"model-idle", "ROUNDTABLE_MODEL_IDLE", "30s", "how long a model may be silent before Roundtable gives up on its answer", false, spanOf(&c.ModelIdle, time.Second)},
		{"model-timeout", "ROUNDTABLE_MODEL_TIMEOUT", "3m", "how long one answer may take", false, spanOf(&c.ModelTimeout, time.Second)},
		{"budget-discussion", "ROUNDTABLE_BUDGET_DISCUSSION", "", "what models may use for one discussion, in tokens, dollars or both: 200000,$1.50; empty for no limit", false, (*spendValue)(&c.Budgets.Discussion)},
		{"budget-analysis", "ROUNDTABLE_BUDGET_ANALYSIS", "", "what models may use for one analysis of an item, from its first step to its last", false, (*spendValue)(&c.AnalysisBudget)},
		{"budget-day", "ROUNDTABLE_BUDGET_DAY", "", "what models may use in one day (UTC)", false, (*spendValue)(&c.Budgets.Day)},
		{"budget-deployment", "ROUNDTABLE_BUDGET_DEPLOYMENT", "", "what models may use in total", false, (*spendValue)(&c.Budgets.Deployment)},
		{"prices", "ROUNDTABLE_PRICES", "", "what models cost, as YAML: a list of model, since, input, output, cache_read, cache_write_5m, cache_write_1h in dollars per million tokens", false, &pricesValue{p: &c.Prices}},
		{"length", "ROUNDTABLE_LENGTH", "normal", "how long a model's contributions are: terse (one or two sentences), normal (two to four) or full (up to ten)", false, (*lengthValue)(&c.Length)},
		{"manifests", "ROUNDTABLE_MANIFESTS", "", "directory whose files replace the built-in personas and phases", false, (*textValue)(&c.Manifests)},
		{"pace", "ROUNDTABLE_PACE", "0s", "how long an offline persona thinks before it speaks", false, spanOf(&c.Pace, 0)},
		{"listen", "ROUNDTABLE_LISTEN", "127.0.0.1:8080", "address of /livez, /readyz and /metrics; :0 picks a port, empty switches them off", false, (*textValue)(&c.Listen)},
		{"log-level", "ROUNDTABLE_LOG_LEVEL", "info", "debug, info, warn or error", false, (*levelValue)(&c.LogLevel)},
		{"log-format", "ROUNDTABLE_LOG_FORMAT", "text", "text or json", false, oneOf(&c.LogFormat, "text", "json")},
		{"max-turns", "ROUNDTABLE_MAX_TURNS", strconv.Itoa(roundtable.DefaultMaxTurns), "turn limit of a discussion", false, atLeast(&c.MaxTurns, roundtable.MinTurns)},
		{"gather", "ROUNDTABLE_GATHER", "3s", "time within which consecutive messages from one person count as one contribution; 0s for none", false, spanOf(&c.Gather, 0)},
		{"nudge", "ROUNDTABLE_NUDGE", "4h", "how long a persona's question may wait before the person asked is reminded, in their own working hours (9 to 17, Monday to Friday); 0s for never", false, spanOf(&c.Nudge, 0)},
		{"silence", "ROUNDTABLE_SILENCE", "72h", "silence after which the lead asks whether to wrap up; 0s for never", false, spanOf(&c.Silence, 0)},
		{"may-extend", "ROUNDTABLE_MAY_EXTEND", "true", "whether people may add turns to a discussion", false, (*truthValue)(&c.MayExtend)},
		{"may-close", "ROUNDTABLE_MAY_CLOSE", "everybody", "who may end a discussion, an analysis or one of its steps: everybody (any full member) or opener", false, (*rightValue)(&c.MayClose)},
		{"may-choose", "ROUNDTABLE_MAY_CHOOSE", "everybody", "who may decide, by a button, a ✅ or “Decision:”, and choose the path and depth of an analysis: everybody (any full member) or opener", false, (*rightValue)(&c.MayChoose)},
		{"may-forget", "ROUNDTABLE_MAY_FORGET", "opener", "who may have an item or a discussion forgotten: opener (the person who opened a discussion or an analysis of it), everybody (any full member of the channel) or nobody; an operator can always use roundtable forget", false, (*forgetValue)(&c.MayForget)},
		{"channels", "ROUNDTABLE_CHANNELS", "", "ids of the channels where people may open discussions, separated by commas; empty for all", false, (*listValue)(&c.Channels)},
		{"allow-shared", "ROUNDTABLE_ALLOW_SHARED", "false", "allow channels shared with other organisations", false, (*truthValue)(&c.AllowShared)},
		{"allow-guests", "ROUNDTABLE_ALLOW_GUESTS", "false", "allow guests to open and end discussions, to press buttons and to decide; otherwise they may only write in threads", false, (*truthValue)(&c.AllowGuests)},
		{"link-hosts", "ROUNDTABLE_LINK_HOSTS", "", "hosts that personas may link to, separated by commas", false, (*listValue)(&c.LinkHosts)},
		{"max-open", "ROUNDTABLE_MAX_OPEN", "100", "how many discussions may be open in one channel", false, atLeast(&c.MaxOpen, 1)},
		{"workers", "ROUNDTABLE_WORKERS", "64", "how many discussions a replica works on at once", false, atLeast(&c.Workers, 1)},
		{"asks", "ROUNDTABLE_ASKS", "1024", "how many questions a replica asks models at once", false, atLeast(&c.Asks, 1)},
		{"lease", "ROUNDTABLE_LEASE", "30s", "how long a discussion stays with a replica that has gone silent", false, spanOf(&c.Lease, time.Second)},
		{"settle", "ROUNDTABLE_SETTLE", "13s", "how long after an attempt Slack may still carry it out; more than 10s", false, spanOf(&c.Settle, PostTimeout+time.Millisecond)},
		{"retention", "ROUNDTABLE_RETENTION", "720h", "how long a closed discussion is kept", false, spanOf(&c.Retention, time.Minute)},
		{"audit-retention", "ROUNDTABLE_AUDIT_RETENTION", "9600h", "how long the audit record is kept (400 days), which says who opened, extended, chose, decided, closed, exported and forgot", false, spanOf(&c.AuditRetention, time.Hour)},
		{"drain", "ROUNDTABLE_DRAIN", "20s", "how long a replica may take to finish its work once it is asked to stop", false, spanOf(&c.Drain, time.Millisecond)},
	}
}
