package main

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/cmd/roundtable/doctor"
)

// runServe is a replica in production. Any number may share one Redis and one
// Slack app.
func runServe(ctx context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "serve", args, config.Variant{Needs: []string{"slack-bot-token", "slack-app-token", "redis-url"}})
	if err != nil {
		return err
	}
	if err := exactly(rest, 0); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	log := newLogger(c, s.err)
	keepWithinMemory(ctx, os.DirFS("/"), s.environ, log)
	return serveReplica(ctx, c, log, func() {})
}

// serveReplica runs a replica and its health checks until ctx ends, and calls
// ready once everything was checked and reached. The health checks answer until
// the replica has drained.
func serveReplica(ctx context.Context, c config.Config, log *slog.Logger, ready func()) error {
	l, err := listenHealth(ctx, c.Listen)
	if err != nil {
		return err
	}
	a, err := assemble(ctx, c, log)
	if err != nil {
		if l != nil {
			err = errors.Join(err, l.Close())
		}
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // told to stop before it had begun
		}
		return err
	}
	health, drained := context.WithCancel(context.WithoutCancel(ctx))
	defer drained()
	var g errgroup.Group
	if l != nil {
		log.InfoContext(ctx, "health checks", "address", l.Addr().String())
		g.Go(func() error { return serveHTTP(health, l, healthHandler(ctx, a), log) })
	}
	ready()
	g.Go(func() error {
		doctor.WarnOfRedis(ctx, c, log)
		return nil
	})
	g.Go(func() error {
		defer drained()
		return a.run(ctx)
	})
	return g.Wait()
}
