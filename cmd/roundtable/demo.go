package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/alicebob/miniredis/v2"
	"golang.org/x/sync/errgroup"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/bot/slacksim/page"
)

// demoAddress is where the page is unless something else listens there.
const demoAddress = "127.0.0.1:7420"

// Tokens of the local workspace. They open nothing but it.
const (
	demoBotToken = "xoxb-local-workspace"
	demoAppToken = "xapp-local-workspace"
)

// demoInitial are the settings whose default is another in the demo: the terminal
// belongs to the person, and personas take a moment to think.
var demoInitial = map[string]string{"log-level": "warn", "pace": "1200ms"}

// runDemo opens a local workspace and serves it with the very bot that serves
// Slack, over real Socket Mode. With --redis it survives being killed.
func runDemo(ctx context.Context, s streams, args []string) error {
	var redisURL, stateFile, address string
	c, rest, err := configure(s, "demo", args, demoInitial, func(f *flag.FlagSet) {
		f.StringVar(&redisURL, "redis", "", "keep discussions in this Redis, so that they survive a restart; else in memory")
		f.StringVar(&stateFile, "state", "", "keep the workspace's messages in this file; with --redis by default roundtable-demo.json")
		f.StringVar(&address, "address", "", "address of the page (default "+demoAddress+", or a free port)")
	})
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usagef("unexpected argument %q", rest[0])
	}
	if redisURL != "" && stateFile == "" {
		stateFile = "roundtable-demo.json"
	}
	log := newLogger(c, s.err)
	l, err := demoListener(ctx, address)
	if err != nil {
		return err
	}
	base := "http://" + l.Addr().String()
	workspace, err := slacksim.New(slacksim.Options{
		BotToken: demoBotToken, AppToken: demoAppToken, Page: page.FS(), BaseURL: base, Logger: log, StateFile: stateFile,
	})
	if err != nil {
		return errors.Join(err, l.Close())
	}

	kept := redisURL != ""
	// The workspace and the embedded Redis outlive the order to stop, so that the
	// bot can finish what it is doing.
	surroundings, leave := context.WithCancel(context.WithoutCancel(ctx))
	defer leave()
	g, surroundings := errgroup.WithContext(surroundings)
	if !kept {
		mini := miniredis.NewMiniRedis()
		if err := mini.Start(); err != nil {
			return errors.Join(fmt.Errorf("start the embedded redis: %w", err), l.Close())
		}
		redisURL = "redis://" + mini.Addr()
		g.Go(func() error { return tendRedis(surroundings, mini) })
	}
	c.BotToken, c.AppToken, c.SlackAPIURL, c.RedisURL = demoBotToken, demoAppToken, base+"/api/", redisURL
	g.Go(func() error { return workspace.Run(surroundings, l) })
	g.Go(func() error {
		defer leave()
		botCtx, stop := context.WithCancel(surroundings)
		defer context.AfterFunc(ctx, stop)()
		defer stop()
		return demoBot(botCtx, c, s, log, base, kept)
	})
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// demoBot runs the bot against the workspace.
func demoBot(ctx context.Context, c config, s streams, log *slog.Logger, base string, kept bool) error {
	a, err := assemble(ctx, c, log)
	if err != nil {
		return err
	}
	keep := "Discussions are kept in memory and end with this program; --redis URL keeps them."
	if kept {
		keep = "Discussions are kept in Redis: kill this program, start it again, and they go on."
	}
	fmt.Fprintf(s.out, "\n  Open %s and type\n\n      /roundtable offline mode for notes\n\n  %s\n  The personas are the built-in rule-based stand-in: no model, no key, no network.\n  Stop with Ctrl+C.\n\n", base, keep)
	return a.run(ctx)
}

// tendRedis moves the embedded Redis's clock, by which keys end and which does
// not move by itself, and closes it when ctx ends.
func tendRedis(ctx context.Context, m *miniredis.Miniredis) error {
	defer m.Close()
	const beat = time.Minute
	t := time.NewTicker(beat)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			m.FastForward(beat)
		}
	}
}

// demoListener listens on the address asked for, or on the usual one, or, if that
// is taken, on any.
func demoListener(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	if address != "" {
		l, err := lc.Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("listen for the page: %w", err)
		}
		return l, nil
	}
	l, err := lc.Listen(ctx, "tcp", demoAddress)
	if err != nil {
		l, err = lc.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("listen for the page: %w", err)
	}
	return l, nil
}
