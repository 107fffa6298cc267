package doctor

import (
	"context"
	"sync"
	"time"

	"github.com/roundtable-chat/app/bot/checkup"
	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/storage"
)

// Subject is what doctor examines: a configuration, where it came from, and how serve
// would set about it, so that the same is tried.
type Subject struct {
	Config config.Config
	// Environ is the environment, Problems what could not be read of the configuration.
	Environ  func(string) (string, bool)
	Problems []error
	// Manifests reads a directory of manifests, Store opens Redis, Model makes a model, and
	// Documents opens and closes the directory of documents.
	Manifests func(dir string) (manifests.Set, error)
	Store     func(ctx context.Context, c config.Config) (*storage.Redis, error)
	Model     func(c config.Config, name string) (llm.Model, error)
	Documents func(ctx context.Context, c config.Config) error
}

// Examine examines everything and returns what it found.
func Examine(ctx context.Context, s Subject) *Report {
	x := newVisit(s)
	defer x.slack.Close()
	report := &Report{hide: config.Secrets(s.Environ)}
	report.add(examine(ctx, x, table(x))...)
	return report
}

// Limits of one check. A language model on a small machine takes long to load.
const (
	checkLimit = 10 * time.Second
	modelLimit = time.Minute
)

// table is all that doctor checks.
func table(x *visit) []section {
	return []section{
		{areaConfiguration, checkLimit, settingChecks()},
		{areaFiles, checkLimit, fileChecks(x.Config)},
		{areaRedis, checkLimit, redisChecks(x.Config)},
		{areaSlack, checkLimit, slackChecks(x)},
		{areaModel, modelLimit, modelChecks(x)},
	}
}

// visit is one examination of a Subject. What several checks want to know is asked once,
// within the time of the check that asks first.
type visit struct {
	Subject
	slack *checkup.Client
	// manifests are those that serve would read; survey is what the servers behind REDIS_URL
	// say of themselves; identity is whom the bot token speaks for, and line what Slack says
	// of the app-level token.
	manifests func() (manifests.Set, error)
	survey    func(ctx context.Context) (storage.Survey, error)
	identity  func(ctx context.Context) (checkup.Identity, error)
	line      func(ctx context.Context) (checkup.Line, error)
}

func newVisit(s Subject) *visit {
	c := s.Config
	x := &visit{Subject: s, slack: checkup.New(checkup.Options{APIURL: c.SlackAPIURL, BotToken: c.BotToken, AppToken: c.AppToken})}
	x.manifests = sync.OnceValues(func() (manifests.Set, error) { return s.Manifests(c.Manifests) })
	x.survey = once(func(ctx context.Context) (storage.Survey, error) {
		target, err := storage.ParseURL(c.RedisURL)
		if err != nil {
			return storage.Survey{}, err
		}
		return target.Survey(ctx)
	})
	x.identity = once(func(ctx context.Context) (checkup.Identity, error) {
		if c.BotToken == "" {
			return checkup.Identity{}, missingToken(botVariable)
		}
		return x.slack.Identity(ctx)
	})
	x.line = once(func(ctx context.Context) (checkup.Line, error) {
		if c.AppToken == "" {
			return checkup.Line{}, missingToken(appVariable)
		}
		return x.slack.Line(ctx)
	})
	return x
}

// once returns ask, asked by its first caller only; later ones get the same answer.
func once[T any](ask func(context.Context) (T, error)) func(context.Context) (T, error) {
	var asked sync.Once
	var answer T
	var err error
	return func(ctx context.Context) (T, error) {
		asked.Do(func() { answer, err = ask(ctx) })
		return answer, err
	}
}
