package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// The local workspace's own tokens. They open nothing but it.
const (
	botToken = "xoxb-local-workspace"
	appToken = "xapp-local-workspace"
)

// stage is a workspace in this process, and a Redis and a bot as children.
type stage struct {
	crowd *crowd
	redis *redisServer
	bot   *process

	dir   string
	leave context.CancelFunc
	ended chan error
}

// readyWithin bounds the start of a bot.
const readyWithin = 20 * time.Second

// openStage opens a fresh workspace with a channel for every discussion, and waits
// until the bot is connected. Nothing in the workspace limits rates.
func openStage(ctx context.Context, c contender, l load, fsync string) (*stage, error) {
	dir, err := os.MkdirTemp("", "roundtable-stage-")
	if err != nil {
		return nil, fmt.Errorf("open a stage: %w", err)
	}
	s := &stage{dir: dir, crowd: newCrowd(l)}
	if err := s.open(ctx, c, fsync); err != nil {
		s.close()
		return nil, fmt.Errorf("open a stage for %s: %w", c.name, err)
	}
	return s, nil
}

func (s *stage) open(ctx context.Context, c contender, fsync string) (err error) {
	options := slacksim.Options{BotToken: botToken, AppToken: appToken, After: s.crowd.called, Acked: s.crowd.acknowledged}
	options.People, options.Channels = s.crowd.workspace()
	workspace, err := slacksim.New(options)
	if err != nil {
		return err
	}
	s.crowd.workplace = workspace
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	around, leave := context.WithCancel(context.WithoutCancel(ctx))
	s.leave, s.ended = leave, make(chan error, 1)
	go func() { s.ended <- workspace.Run(around, ln) }()
	if s.redis, err = startRedis(ctx, s.dir, fsync); err != nil {
		return err
	}
	env := append([]string{"SLACK_BOT_TOKEN=" + botToken, "SLACK_APP_TOKEN=" + appToken,
		"SLACK_API_URL=http://" + ln.Addr().String() + "/api/", "REDIS_URL=" + s.redis.url}, c.env...)
	if s.bot, err = startProcess(c.name, s.dir, c.dir, c.argv, env); err != nil {
		return err
	}
	return s.bot.await(ctx, readyWithin, func() bool { return workspace.Connections() >= c.connections })
}

// openAll opens every discussion and adds what the bot said about a failure.
func (s *stage) openAll(ctx context.Context, perSecond float64, after func(context.Context, *conversation) error) ([]time.Duration, error) {
	took, err := s.crowd.openAll(ctx, perSecond, after)
	if err != nil {
		return nil, fmt.Errorf("%w; %s said: %s", err, s.bot.name, s.bot.lastWords())
	}
	return took, nil
}

// close ends what the stage started, the bot first.
func (s *stage) close() {
	if s.bot != nil {
		s.bot.kill()
	}
	if s.redis != nil {
		s.redis.stop()
	}
	if s.leave != nil {
		s.leave()
		if err := <-s.ended; err != nil {
			fmt.Fprintf(os.Stderr, "the workspace ended: %v\n", err)
		}
	}
	_ = os.RemoveAll(s.dir)
}

// reading is what everything has cost up to a moment.
type reading struct {
	at    time.Time
	bot   time.Duration
	slack time.Duration // this process: the workspace and the crowd
	redis work
}

func (s *stage) read(ctx context.Context) (r reading, err error) {
	select {
	case <-s.bot.exited:
		return r, fmt.Errorf("%s ended: %s", s.bot.name, s.bot.lastWords())
	default:
	}
	var botErr, ownErr, redisErr error
	r.bot, botErr = cpu(s.bot.cmd.Process.Pid)
	r.slack, ownErr = cpu(os.Getpid())
	r.redis, redisErr = s.redis.work(ctx)
	r.at = time.Now()
	return r, errors.Join(botErr, ownErr, redisErr)
}

// figures are what a stretch of load showed.
type figures struct {
	contender string
	tally     tally
	span      time.Duration
	bot       time.Duration // CPU
	slack     time.Duration // CPU
	redis     work
	openings  []time.Duration // request → introduction
	memory    memory          // of the bot, at the end
}

// measure puts the load on until it has been measured for its span.
func (s *stage) measure(ctx context.Context, l load) (figures, error) {
	defer uncollected()()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	spoken := make(chan struct{})
	go func() { defer close(spoken); s.crowd.converse(ctx, l) }()
	defer func() { stop(); <-spoken }()
	if err := pass(ctx, l.warm); err != nil {
		return figures{}, err
	}
	before, err := s.read(ctx)
	if err != nil {
		return figures{}, err
	}
	s.crowd.count(true)
	err = pass(ctx, l.span)
	counted := s.crowd.count(false)
	if err != nil {
		return figures{}, err
	}
	after, err := s.read(ctx)
	if err != nil {
		return figures{}, err
	}
	return figures{contender: s.bot.name, tally: counted, span: after.at.Sub(before.at), bot: after.bot - before.bot,
		slack: after.slack - before.slack, redis: after.redis.since(before.redis)}, nil
}

// garbageMost is how much this process may hold before it collects while it measures.
const garbageMost = 3 << 30

// uncollected lets garbage lie until the function that it returns is called. The
// workspace keeps every message, and a collection around them takes both processors for
// a third of a second from whatever is measured.
func uncollected() (collect func()) {
	runtime.GC()
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(garbageMost)
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}

// pass lets time pass.
func pass(ctx context.Context, d time.Duration) error {
	end := time.NewTimer(d)
	defer end.Stop()
	select {
	case <-end.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
