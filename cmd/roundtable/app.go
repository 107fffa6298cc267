package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
)

// app is one replica: the store, the panel, the Slack edge and the engine between
// them.
type app struct {
	log     *slog.Logger
	metrics *prometheus.Registry
	store   *storage.Redis
	bot     *bot.Bot
	engine  *engine.Engine
}

// inbox is what the edge sees of the engine and the store.
type inbox struct {
	*storage.Redis
	engine *engine.Engine
}

// Receive stores an input and has it worked on.
func (i *inbox) Receive(ctx context.Context, d engine.Delivery) (engine.Reception, error) {
	return i.engine.Receive(ctx, d)
}

// assemble builds a replica. Everything is checked and reached before it returns,
// and nothing runs yet.
func assemble(ctx context.Context, c config, log *slog.Logger) (*app, error) {
	a := &app{log: log, metrics: prometheus.NewRegistry()}
	a.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	roster, err := loadRoster(c.Manifests)
	if err != nil {
		return nil, err
	}
	panel, err := newPanel(c, roster)
	if err != nil {
		return nil, err
	}
	if a.store, err = openStore(ctx, c, log); err != nil {
		return nil, err
	}
	in := &inbox{Redis: a.store}
	a.bot, err = bot.Connect(ctx, bot.Options{
		APIURL: c.SlackAPIURL, BotToken: c.BotToken, AppToken: c.AppToken,
		Inbox: in, Items: a.store, Roster: roster, Logger: log, Metrics: a.metrics,
		Slug: func(topic, _ string) string { return document.Slug(topic) },
		Policy: bot.Policy{
			Channels: c.Channels, AllowShared: c.AllowShared, AllowGuests: c.AllowGuests, LinkHosts: c.LinkHosts,
			Settings: roundtable.Settings{MaxTurns: c.MaxTurns, Gather: c.Gather, Silence: c.Silence, MayExtend: c.MayExtend, Notice: panel.Notice()},
		},
	})
	if err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	a.engine, err = engine.New(engine.Options{
		Store: a.store, Items: a.store, Workplace: a.bot.Workplace(), Panel: panel,
		Roster: func() roundtable.Roster { return roster }, Owner: owner(), Logger: log, Metrics: a.metrics,
		Workers: c.Workers, Settle: c.Settle, Retention: c.Retention, Drain: c.Drain,
	})
	if err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	in.engine = a.engine
	return a, nil
}

// run serves until ctx ends, then drains: the edge stops taking in first, the
// engine finishes what it holds, the store is closed last.
func (a *app) run(ctx context.Context) error {
	engineCtx, stopEngine := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stopEngine(nil)
	var g errgroup.Group
	g.Go(func() error { return a.engine.Run(engineCtx) })
	g.Go(func() error {
		err := a.bot.Run(ctx)
		stopEngine(errors.New("the Slack edge has stopped"))
		return err
	})
	err := g.Wait()
	if ctx.Err() != nil && (errors.Is(err, context.Canceled) || err == nil) {
		err = nil
	}
	return errors.Join(err, a.store.Close())
}

func openStore(ctx context.Context, c config, log *slog.Logger) (*storage.Redis, error) {
	if c.RedisURL == "" {
		return nil, usagef("REDIS_URL is missing: where are discussions to be kept?")
	}
	return storage.Open(ctx, storage.Options{URL: c.RedisURL, Replicas: c.RedisReplicas, Lease: c.Lease, Retention: c.Retention, Logger: log})
}

func loadRoster(dir string) (roundtable.Roster, error) {
	var overrides fs.FS
	if dir != "" {
		overrides = os.DirFS(dir)
	}
	set, err := manifests.Load(overrides)
	if err != nil {
		return roundtable.Roster{}, fmt.Errorf("read the manifests: %w", err)
	}
	return set.Roster, nil
}

// newPanel chooses who speaks for the personas.
func newPanel(c config, roster roundtable.Roster) (engine.Panel, error) {
	if c.Model != offline.Engine {
		return nil, usagef("model %q is not known; this version has the built-in personas only: %s", c.Model, offline.Engine)
	}
	return offline.New(offline.Options{Roster: roster, Pace: c.Pace})
}

func newLogger(c config, w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}

// owner names this replica in leases.
func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "replica"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
