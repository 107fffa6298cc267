package sweep_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestAnalysisCrashSweepEmbedded is the crash sweep of analyses on the store that
// ships, its scripts run by the embedded server, in virtual time; every point with
// make sweep.
func TestAnalysisCrashSweepEmbedded(t *testing.T) {
	sweepTours(t, memoryGround, 0, thinned(24), walkEmbedded)
}

// TestAnalysisPauseSweepEmbedded is the pause sweep of analyses on it (I7).
func TestAnalysisPauseSweepEmbedded(t *testing.T) {
	sweepTours(t, pausedGround, pauseLength, thinned(36), walkEmbedded)
}

// walkEmbedded is walk in virtual time, on the embedded server.
func walkEmbedded(t *testing.T, make func() ground, c enginetest.Crash, tour tour) (calls []string, left remains, found []invariant.Violation) {
	t.Helper()
	onEmbedded(t, func(t *testing.T, store *storage.Redis) {
		g := make()
		// Every poll costs a round trip through the embedded server.
		g.store, g.options.Poll = store, 2*time.Second
		calls, left, found = walk(t, g, c, tour)
	})
	return calls, left, found
}

// TestAnalysisCrashSweepRedis is the crash sweep of analyses on a private
// redis-server, in real time, with a short lease.
func TestAnalysisCrashSweepRedis(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	var running sync.WaitGroup
	var swept atomic.Int64
	hands := make(chan struct{}, 16)
	for name, tour := range tours() {
		play := func(prefix string, c enginetest.Crash) (calls []string, left remains, found []invariant.Violation) {
			hands <- struct{}{}
			defer func() { <-hands }()
			return walkRedis(t, server, name+prefix, c, tour)
		}
		calls, want, _ := play("", enginetest.Crash{})
		for i, c := range crashes(len(calls), thinned(24), 0) {
			running.Go(func() {
				_, got, found := play(fmt.Sprint(i), c)
				swept.Add(1)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s call %d (%s) (-without +with):\n%s", name, when(c.After), c.At, calls[c.At-1], diff)
				}
				for _, v := range found {
					t.Errorf("%s: %s call %d (%s): %s", name, when(c.After), c.At, calls[c.At-1], v)
				}
			})
		}
	}
	running.Wait()
	t.Logf("%d points, from %d", swept.Load(), *from)
}

// walkRedis is walk in real time, with little patience.
func walkRedis(t *testing.T, server *storagetest.Server, prefix string, c enginetest.Crash, tour tour) (calls []string, left remains, found []invariant.Violation) {
	t.Helper()
	store, err := hasty(t, server, prefix)
	if err != nil {
		t.Error(err)
		return nil, left, nil
	}
	defer func() { _ = store.Close() }()
	return walk(t, ground{
		store: store, latency: time.Millisecond, gather: 20 * time.Millisecond, rest: 1500 * time.Millisecond, quiet: 100 * time.Millisecond,
		options: engine.Options{Poll: 25 * time.Millisecond, Linger: 300 * time.Millisecond, PostTimeout: 100 * time.Millisecond, Settle: 150 * time.Millisecond},
	}, c, tour)
}
