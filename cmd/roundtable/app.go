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
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
)

// postTimeout bounds one request to Slack. Config.Settle must be longer.
const postTimeout = 10 * time.Second

// app is one replica: the store, the Slack edge and the engine between them.
type app struct {
	metrics *prometheus.Registry
	store   *storage.Redis
	items   keeping
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
// and nothing runs yet; when it fails, whatever it had opened is closed.
func assemble(ctx context.Context, c config, log *slog.Logger) (*app, error) {
	a := &app{metrics: prometheus.NewRegistry()}
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
	if a.items, err = openItems(ctx, c, a.store, log); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	voices, err := newSpeakers(c, roster, models, a.store, log, a.metrics)
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	in := &inbox{Redis: a.store}
	a.bot, err = bot.Connect(ctx, bot.Options{
		APIURL: c.SlackAPIURL, BotToken: c.BotToken, AppToken: c.AppToken,
		Inbox: in, Items: a.items, Forget: a.items, Roster: roster, Logger: log, Metrics: a.metrics,
		Slug:      document.Slug,
		TurnLimit: turnLimit(a.items, log),
		Budgets:   voices.budgets,
		Missed:    func() { a.engine.Missed() },
		Policy: bot.Policy{
			Channels: c.Channels, AllowShared: c.AllowShared, AllowGuests: c.AllowGuests, LinkHosts: c.LinkHosts, MaxOpen: c.MaxOpen,
			Settings: roundtable.Settings{MaxTurns: c.MaxTurns, Gather: c.Gather, Silence: c.Silence, Nudge: c.Nudge, MayExtend: c.MayExtend, Close: c.MayClose, Choose: c.MayChoose, Kept: roundtable.Afterlife + c.Retention, Notice: voices.panel.Notice()},
		},
	})
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	if err := occupy(ctx, a.store, a.bot.Team()); err != nil {
		return nil, errors.Join(err, a.close())
	}
	owner := owner()
	a.engine, err = engine.New(engine.Options{
		Store: a.store, Items: a.items, Workplace: a.bot.Workplace(), Panel: voices.panel, PanelTimeout: panelTimeout(c),
		Inquirer: voices.inquirer, Catalogue: func() analysis.Catalogue { return set.Steps.Catalogue },
		Roster: func() roundtable.Roster { return roster }, Owner: owner, Logger: log, Metrics: a.metrics,
		Workers: c.Workers, Asks: c.Asks, PostTimeout: postTimeout, Settle: c.Settle, Retention: c.Retention, Drain: c.Drain,
	})
	if err != nil {
		return nil, errors.Join(err, a.close())
	}
	in.engine = a.engine
	warnOfSteps(ctx, log, set.Steps)
	whoSpeaks(ctx, log, c, roster)
	log.InfoContext(ctx, "replica ready", "owner", owner)
	return a, nil
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
		return a.bot.Run(edge)
	})
	err := g.Wait()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, a.close())
}

// close lets go of what is kept open.
func (a *app) close() error { return errors.Join(a.items.Close(), a.store.Close()) }

// warnOfSteps logs, once, what is wrong with the step files: none keeps the others
// from being used (seed 004 §5.2, AC-012-01).
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
func openStore(ctx context.Context, c config, log *slog.Logger) (*storage.Redis, error) {
	redis.SetLogger(redisLog{log})
	return storage.Open(ctx, storage.Options{URL: c.RedisURL, Replicas: c.RedisReplicas, Lease: c.Lease, Retention: c.Retention, PaceRate: c.PostRate, Logger: log})
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

func loadRoster(dir string) (roundtable.Roster, error) {
	set, err := loadManifests(dir)
	return set.Roster, err
}

func newLogger(c config, w io.Writer) *slog.Logger {
	opts := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
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
