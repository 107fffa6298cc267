package main

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// runServe is a replica in production. Any number may share one Redis and one
// Slack app.
func runServe(ctx context.Context, s streams, args []string) error {
	c, rest, err := configure(s, "serve", args, nil, nil)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usagef("unexpected argument %q", rest[0])
	}
	if err := errors.Join(
		required(c.BotToken, "SLACK_BOT_TOKEN"), required(c.AppToken, "SLACK_APP_TOKEN"), required(c.RedisURL, "REDIS_URL"),
	); err != nil {
		return usageError{err}
	}
	log := newLogger(c, s.err)
	a, err := assemble(ctx, c, log)
	if err != nil {
		return err
	}
	log.InfoContext(ctx, "serving", "model", c.Model, "owner", owner())
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.run(gctx) })
	g.Go(func() error { return serveHealth(gctx, c.Listen, a, log) })
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func required(value, name string) error {
	if value == "" {
		return fmt.Errorf("%s is missing", name)
	}
	return nil
}
