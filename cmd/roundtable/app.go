package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	redis "github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
)

// app is one replica: the store, the Slack edge and the engine between them.
type app struct {
	metrics *prometheus.Registry
	store   *storage.Redis
	bot     *bot.Bot
	engine  *engine.Engine
	// opened are the clean-ups of what was opened, in the order of its opening.
	opened []func() error
}

// assemble builds a replica. Everything is checked and reached before it returns,
// and nothing runs yet; when it fails, whatever it had opened is closed.
func assemble(ctx context.Context, c config.Config, log *slog.Logger) (_ *app, err error) {
	a := &app{metrics: prometheus.NewRegistry()}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.close())
		}
	}()
	a.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	set, err := loadManifests(c.Manifests)
	if err != nil {
		return nil, err
	}
	roster := set.Roster
	models, err := newModels(c, roster)
	if err != nil {
		return nil, err
	}
	if a.store, err = openStore(ctx, c, log); err != nil {
		return nil, err
	}
	a.opened = append(a.opened, a.store.Close)
	items, err := openItems(ctx, c, a.store, log)
	if err != nil {
		return nil, err
	}
	a.opened = append(a.opened, items.Close)
	voices, err := newSpeakers(c, roster, models, a.store, log, a.metrics)
	if err != nil {
		return nil, err
	}
	a.bot, err = bot.Connect(ctx, bot.Options{
		APIURL: c.SlackAPIURL, BotToken: c.BotToken, AppToken: c.AppToken,
		Threads: a.store, Reader: engine.NewReader(a.store), Items: items, Acts: a.store, Backoffs: a.store, Roster: roster, Logger: log, Metrics: a.metrics,
		Slug:      document.Slug,
		TurnLimit: turnLimit(items, log),
		Budgets:   voices.budgets,
		Policy:    policy(c, voices.panel.Notice()),
	})
	if err != nil {
		return nil, err
	}
	if err := occupy(ctx, a.store, a.bot.Team()); err != nil {
		return nil, err
	}
	owner := owner()
	a.engine, err = engine.New(engine.Options{
		Store: a.store, Items: items, Farewells: storage.Farewells{Documents: items, Threads: a.store}, Workplace: a.bot.Workplace(), Panel: voices.panel, PanelTimeout: panelTimeout(c),
		Inquirer: voices.inquirer, Catalogue: func() analysis.Catalogue { return set.Steps.Catalogue },
		Roster: func() persona.Roster { return roster }, Permalink: a.bot.Permalink, Owner: owner, Logger: log, Metrics: a.metrics,
		Workers: c.Workers, Asks: c.Asks, PostTimeout: config.PostTimeout, Settle: c.Settle, Retention: c.Retention, Drain: c.Drain,
	})
	if err != nil {
		return nil, err
	}
	warnOfSteps(ctx, log, set.Steps)
	whoSpeaks(ctx, log, c, roster)
	log.InfoContext(ctx, "replica ready", "owner", owner)
	return a, nil
}

// policy is who may do what, and what discussions are opened with; notice is what people
// should know of who speaks.
func policy(c config.Config, notice string) bot.Policy {
	return bot.Policy{
		Channels: c.Channels, AllowShared: c.AllowShared, AllowGuests: c.AllowGuests, Forget: c.MayForget, LinkHosts: c.LinkHosts, MaxOpen: c.MaxOpen,
		Settings: roundtable.Settings{
			MaxTurns: c.MaxTurns, Gather: c.Gather, Silence: c.Silence, Nudge: c.Nudge, MayExtend: c.MayExtend, Close: c.MayClose, Choose: c.MayChoose,
			Kept: thread.ClosedGrace + c.Retention, Notice: notice,
		},
	}
}

// run serves until ctx ends, then drains: the edge stops taking in first, the
// engine finishes what it holds, the store is closed last. Should either end by
// itself, the other follows.
func (a *app) run(ctx context.Context) error {
	edge, stopEdge := context.WithCancel(ctx)
	defer stopEdge()
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	var g errgroup.Group
	g.Go(func() error {
		defer stopEdge()
		return a.engine.Run(work)
	})
	g.Go(func() error {
		defer stopWork()
		return a.bot.Run(edge, a.engine)
	})
	err := g.Wait()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, a.close())
}

// close closes what was opened, the last first.
func (a *app) close() error {
	var errs []error
	for _, closeOne := range slices.Backward(a.opened) {
		errs = append(errs, closeOne())
	}
	return errors.Join(errs...)
}

// warnOfSteps logs, once, what is wrong with the step files: none keeps the others
// from being used (FR-012, AC-012-01).
func warnOfSteps(ctx context.Context, log *slog.Logger, steps manifests.Steps) {
	for _, r := range steps.Remarks {
		attrs := []slog.Attr{slog.String("file", r.File), slog.Int("line", r.Line), slog.String("problem", r.Text), slog.Bool("lost", r.Fault)}
		if r.Warning != "" {
			attrs = append(attrs, slog.String("warning", r.Warning))
		}
		log.LogAttrs(ctx, slog.LevelWarn, "step file", attrs...)
	}
}

// openStore opens the store that c names.
func openStore(ctx context.Context, c config.Config, log *slog.Logger) (*storage.Redis, error) {
	redis.SetLogger(redisLog{log})
	return storage.Open(ctx, storage.Options{URL: c.RedisURL, Replicas: c.RedisReplicas, Lease: c.Lease, Retention: c.Retention, AuditRetention: c.AuditRetention, PaceRate: c.PostRate, Logger: log})
}

// loadManifests reads the built-in manifests and those of dir that replace them.
func loadManifests(dir string) (manifests.Set, error) {
	var overrides fs.FS
	if dir != "" {
		if _, err := os.ReadDir(dir); err != nil {
			return manifests.Set{}, fmt.Errorf("read the manifests: %w", err)
		}
		overrides = os.DirFS(dir)
	}
	set, err := manifests.Load(overrides)
	if err != nil {
		return set, fmt.Errorf("read the manifests: %w", err)
	}
	return set, nil
}

func loadRoster(dir string) (persona.Roster, error) {
	set, err := loadManifests(dir)
	return set.Roster, err
}

func newLogger(c config.Config, w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: withoutNames}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// withoutNames takes the names that people chose out of errors (I11).
func withoutNames(_ []string, a slog.Attr) slog.Attr {
	if err, ok := a.Value.Any().(error); ok {
		a.Value = slog.StringValue(engine.LogText(err))
	}
	return a
}

// owner names this replica in leases. Containers may share a host's name and
// process ids, so chance has a part in it.
func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "replica"
	}
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), rand.Text()[:6])
}
