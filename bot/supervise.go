package bot

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Back-off between sessions that fail.
const (
	firstPause = time.Second
	longPause  = time.Minute
	// renewAt is the part of the life that Slack announces for a connection
	// after which we renew it ourselves.
	renewAt = 0.9
)

// Run keeps the connections and puts what they bring into an inbox until ctx ends (nil) or
// Slack refuses our tokens. On the way out nothing new is taken, handlers in flight
// finish and are acknowledged, every connection is closed with a close frame, and
// tasks under way are given a moment. It is called once.
func (b *Bot) Run(ctx context.Context, in Inbox) error {
	b.inbox, b.errands = in, newErrands(ctx)
	group, ctx := errgroup.WithContext(ctx)
	for i := range b.opts.Connections {
		// The first renewals are spread over a connection's life, so that there
		// is always one that stands.
		first := renewAt * float64(i+1) / float64(b.opts.Connections)
		group.Go(func() error { return b.keep(ctx, first) })
	}
	err := group.Wait()
	b.errands.finish()
	b.http.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("Slack: %w", err)
	}
	return nil
}

// keep holds one connection, session after session.
func (b *Bot) keep(ctx context.Context, share float64) error {
	for failures := 0; ; {
		began := time.Now()
		s := b.newSession(ctx, share)
		err := s.run(ctx)
		switch {
		case ctx.Err() != nil:
			b.metrics.renewals.WithLabelValues("stopped").Inc()
			return nil
		case errors.Is(err, errRenew):
			b.metrics.renewals.WithLabelValues("renewed").Inc()
			share, failures = renewAt, 0
			continue
		case errors.Is(err, errShort):
			b.metrics.renewals.WithLabelValues("short").Inc()
		case errors.Is(err, errSilent):
			b.metrics.renewals.WithLabelValues("silent").Inc()
		default:
			b.metrics.renewals.WithLabelValues("refused").Inc()
			return err
		}
		if time.Since(began) > longPause {
			failures = 0
		}
		wait := pause(failures)
		failures++
		b.log.Warn("connection given up", "retry_in", wait, "error", err)
		if !sleep(ctx, wait) {
			return nil
		}
	}
}

// pause grows with the failures in a row, with jitter so that replicas do not
// come back together.
func pause(failures int) time.Duration {
	d := min(firstPause<<min(failures, 10), longPause)
	return d/2 + rand.N(d/2+1)
}

// waited waits for what runs; false if that takes longer than within: then whoever is told
// so ends it and waits again.
func waited(running *sync.WaitGroup, within time.Duration) bool {
	done := make(chan struct{})
	go func() {
		running.Wait()
		close(done)
	}()
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case <-done:
		return true
	case <-limit.C:
		return false
	}
}

// sleep waits; false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
