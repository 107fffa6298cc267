package engine_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestCrashSweepEmbedded is the crash sweep on the store that ships, its scripts
// run by the embedded server, in virtual time.
func TestCrashSweepEmbedded(t *testing.T) { sweepEmbedded(t, 0, memoryWorld) }

// TestPauseSweepEmbedded is the pause sweep on it (I7).
func TestPauseSweepEmbedded(t *testing.T) { sweepEmbedded(t, pauseLength, pausedWorld) }

func sweepEmbedded(t *testing.T, pause time.Duration, make func() *enginetest.World) {
	var tally tally
	for _, s := range enginetest.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			calls, found := playEmbedded(t, s, enginetest.Crash{}, make)
			for _, v := range found {
				t.Errorf("without any crash: %s", v)
			}
			for _, c := range every(step(t), len(calls), pause) {
				_, found := playEmbedded(t, s, c, make)
				tally.add(len(found))
				for _, v := range found {
					t.Errorf("%s call %d (%s): %s", when(c.After), c.At, calls[c.At-1], v)
				}
			}
		})
	}
	t.Logf("%d points, %d violations", tally.points, tally.violations)
}

// step thins a sweep out when tests are to be short.
func step(t *testing.T) int {
	t.Helper()
	if testing.Short() {
		return 7
	}
	return 1
}

// every lists the crashes before and after every nth call.
func every(n, calls int, pause time.Duration) []enginetest.Crash {
	var crashes []enginetest.Crash
	for at := 1; at <= calls; at += n {
		crashes = append(crashes, enginetest.Crash{At: at, Pause: pause}, enginetest.Crash{At: at, After: true, Pause: pause})
	}
	return crashes
}

type tally struct {
	mu                 sync.Mutex
	points, violations int
}

func (c *tally) add(violations int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.points++
	c.violations += violations
}

func playEmbedded(t *testing.T, s enginetest.Scenario, c enginetest.Crash, make func() *enginetest.World) (calls []string, found []enginetest.Violation) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := miniredis.NewMiniRedis()
		client := redis.NewClient(&redis.Options{
			Addr:       "127.0.0.1:1", // never dialled, but a name would be looked up
			Dialer:     func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
			MaxRetries: -1,
		})
		defer server.Close()
		defer func() { _ = client.Close() }()
		store, err := storage.Open(t.Context(), storage.Options{Client: client, Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		w := make()
		w.Store, w.Items = store, store
		// Every poll costs a round trip through the embedded server.
		w.Engine.Poll = 2 * time.Second
		var all []enginetest.Evidence
		if calls, all, err = w.Play(t.Context(), s, c); err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			found = append(found, enginetest.Check(e)...)
		}
	})
	return calls, found
}

// TestCrashSweepRedis is the crash sweep on a private redis-server, in real time,
// with a short lease.
func TestCrashSweepRedis(t *testing.T) {
	server := storagetest.Redis(t)
	var tally tally
	scenarios, n := enginetest.Scenarios()[1:3], 4 // every point is swept in virtual time, see above
	if testing.Short() {
		scenarios, n = scenarios[:1], 12
	}
	t.Run("conversations", func(t *testing.T) {
		hands := make(chan struct{}, 32)
		for i, s := range scenarios {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				calls, found := playRedis(t, server, fmt.Sprintf("%d", i), s, enginetest.Crash{})
				for _, v := range found {
					t.Errorf("without any crash: %s", v)
				}
				var wg sync.WaitGroup
				for j, c := range slices.Backward(every(n, len(calls), 0)) {
					hands <- struct{}{}
					wg.Go(func() {
						defer func() { <-hands }()
						_, found := playRedis(t, server, fmt.Sprintf("%d-%d", i, j), s, c)
						tally.add(len(found))
						for _, v := range found {
							t.Errorf("%s call %d (%s): %s", when(c.After), c.At, calls[c.At-1], v)
						}
					})
				}
				wg.Wait()
			})
		}
	})
	t.Logf("%d points, %d violations", tally.points, tally.violations)
}

func playRedis(t *testing.T, server *storagetest.Server, prefix string, s enginetest.Scenario, c enginetest.Crash) (calls []string, found []enginetest.Violation) {
	t.Helper()
	store, err := storage.Open(t.Context(), storage.Options{
		URL: server.URL, Prefix: "t" + prefix, Shards: 1, Lease: 600 * time.Millisecond, PaceRate: 1000,
	})
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	defer func() { _ = store.Close() }()
	w := &enginetest.World{
		Store: store, Items: store, Slack: &enginetest.Slack{Latency: time.Millisecond}, Panel: &enginetest.Panel{Delay: 2 * time.Millisecond},
		Engine: engine.Options{Poll: 25 * time.Millisecond, PostTimeout: 100 * time.Millisecond, Settle: 150 * time.Millisecond},
		Rest:   1500 * time.Millisecond,
	}
	calls, all, err := w.Play(t.Context(), s, c)
	if err != nil {
		t.Error(err)
	}
	for _, e := range all {
		found = append(found, enginetest.Check(e)...)
	}
	return calls, found
}
