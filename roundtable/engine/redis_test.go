package engine_test

import (
	"context"
	"fmt"
	"net"
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
func TestCrashSweepEmbedded(t *testing.T) {
	sweep(t, enginetest.Scenarios(), 0, 1, embedded(memoryWorld))
}

// TestPauseSweepEmbedded is the pause sweep on it (I7). Every point is swept on
// the reference store.
func TestPauseSweepEmbedded(t *testing.T) {
	sweep(t, enginetest.Scenarios(), pauseLength, 3, embedded(pausedWorld))
}

// embedded makes a player of a world that keeps everything in the embedded server.
func embedded(make func() *enginetest.World) player {
	return func(t *testing.T, s enginetest.Scenario, c enginetest.Crash) ([]string, []enginetest.Violation) {
		t.Helper()
		return playEmbedded(t, s, c, make)
	}
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
// with a short lease. Every point is swept in virtual time, see above; here are
// enough of them to show that a real server makes no difference.
func TestCrashSweepRedis(t *testing.T) {
	server := storagetest.Redis(t)
	s, nth := enginetest.Scenarios()[2], 2
	if testing.Short() {
		nth = 10
	}
	calls, found := playRedis(t, server, "t", s, enginetest.Crash{})
	for _, v := range found {
		t.Errorf("without any crash: %s", v)
	}
	var points sync.WaitGroup
	hands := make(chan struct{}, 32) // most of a run is waiting
	all := crashes(len(calls), nth, 0)
	for i, c := range all {
		hands <- struct{}{}
		points.Go(func() {
			defer func() { <-hands }()
			_, found := playRedis(t, server, fmt.Sprintf("t%d", i), s, c)
			for _, v := range found {
				t.Errorf("%s call %d (%s): %s", when(c.After), c.At, calls[c.At-1], v)
			}
		})
	}
	points.Wait()
	t.Logf("%d points", len(all))
}

func playRedis(t *testing.T, server *storagetest.Server, prefix string, s enginetest.Scenario, c enginetest.Crash) (calls []string, found []enginetest.Violation) {
	t.Helper()
	store, err := storage.Open(t.Context(), storage.Options{
		URL: server.URL, Prefix: prefix, Shards: 1, Lease: 600 * time.Millisecond, PaceRate: 1000,
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
