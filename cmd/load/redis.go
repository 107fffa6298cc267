package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisServer is a private redis-server on a loopback port, with an append-only
// file, as production has one.
type redisServer struct {
	process *process
	client  *redis.Client
	url     string
}

func startRedis(ctx context.Context, stage, fsync string) (*redisServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("find a port for redis: %w", err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	if err := l.Close(); err != nil {
		return nil, fmt.Errorf("find a port for redis: %w", err)
	}
	p, err := startProcess("redis", stage, stage, []string{"redis-server", "--port", port, "--bind", "127.0.0.1",
		"--dir", stage, "--save", "", "--appendonly", "yes", "--appendfsync", fsync}, nil)
	if err != nil {
		return nil, err
	}
	r := &redisServer{process: p, url: "redis://127.0.0.1:" + port, client: redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, MaxRetries: -1})}
	if err := p.await(ctx, 10*time.Second, func() bool { return r.client.Ping(ctx).Err() == nil }); err != nil {
		r.stop()
		return nil, err
	}
	return r, nil
}

func (r *redisServer) stop() {
	_ = r.client.Close()
	r.process.kill()
}

// work is what a redis-server has done since it started.
type work struct {
	cpu      time.Duration
	reads    int64            // times a request was read from a client: its round trips
	commands map[string]int64 // calls, those inside scripts among them
}

func (r *redisServer) work(ctx context.Context) (work, error) {
	text, err := r.client.Info(ctx, "cpu", "stats", "commandstats").Result()
	if err != nil {
		return work{}, fmt.Errorf("ask redis for its statistics: %w", err)
	}
	return parseInfo(text), nil
}

// parseInfo reads the answer to INFO. What it lacks stays zero.
func parseInfo(text string) work {
	w := work{commands: map[string]int64{}}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		switch {
		case key == "used_cpu_sys" || key == "used_cpu_user":
			seconds, _ := strconv.ParseFloat(value, 64)
			w.cpu += time.Duration(seconds * float64(time.Second))
		case key == "total_reads_processed":
			w.reads, _ = strconv.ParseInt(value, 10, 64)
		case strings.HasPrefix(key, "cmdstat_"):
			calls, _, _ := strings.Cut(strings.TrimPrefix(value, "calls="), ",")
			w.commands[strings.TrimPrefix(key, "cmdstat_")], _ = strconv.ParseInt(calls, 10, 64)
		}
	}
	return w
}

// since is the work between two readings.
func (w work) since(before work) work {
	done := work{cpu: w.cpu - before.cpu, reads: w.reads - before.reads, commands: map[string]int64{}}
	for name, calls := range w.commands {
		if n := calls - before.commands[name]; n > 0 && name != "info" {
			done.commands[name] = n
		}
	}
	return done
}

// calls is the number of commands.
func (w work) calls() int64 {
	var n int64
	for _, c := range w.commands {
		n += c
	}
	return n
}

// kept is how many bytes the keys take by the server's own account (MEMORY USAGE, every
// element counted): names, values and what holds them.
func (r *redisServer) kept(ctx context.Context) (bytes int64, err error) {
	const exactly = 0            // samples
	counted := map[string]bool{} // a key may be listed twice
	for cursor, first := uint64(0), true; first || cursor != 0; first = false {
		var keys []string
		if keys, cursor, err = r.client.Scan(ctx, cursor, "*", 1000).Result(); err != nil {
			return 0, fmt.Errorf("list what redis keeps: %w", err)
		}
		var answers []*redis.IntCmd
		_, _ = r.client.Pipelined(ctx, func(asked redis.Pipeliner) error { // each answer has its own error
			for _, key := range keys {
				if !counted[key] {
					counted[key] = true
					answers = append(answers, asked.MemoryUsage(ctx, key, exactly))
				}
			}
			return nil
		})
		for _, a := range answers {
			n, err := a.Result()
			if err != nil && !errors.Is(err, redis.Nil) { // one that has expired since
				return 0, fmt.Errorf("ask redis what its keys take: %w", err)
			}
			bytes += n
		}
	}
	return bytes, nil
}
