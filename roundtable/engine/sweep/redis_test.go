package sweep_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	redis "github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestCrashSweepEmbedded is the crash sweep on the store that ships, its scripts
// run by the embedded server, in virtual time; every point with make sweep.
func TestCrashSweepEmbedded(t *testing.T) {
	sweep(t, enginetest.Scenarios(), 0, thinned(18), embedded(memoryWorld))
}

// TestPauseSweepEmbedded is the pause sweep on it (I7). Every point is swept on
// the reference store.
func TestPauseSweepEmbedded(t *testing.T) {
	sweep(t, enginetest.Scenarios(), pauseLength, thinned(18), embedded(pausedWorld))
}

// embedded makes a player of a world that keeps everything in the embedded server.
func embedded(make func() *enginetest.World) player {
	return func(t *testing.T, s enginetest.Scenario, c enginetest.Crash) ([]string, []invariant.Violation) {
		t.Helper()
		return playEmbedded(t, s, c, make)
	}
}

func playEmbedded(t *testing.T, s enginetest.Scenario, c enginetest.Crash, make func() *enginetest.World) (calls []string, found []invariant.Violation) {
	t.Helper()
	onEmbedded(t, func(t *testing.T, store *storage.Redis) {
		w := make()
		w.Store, w.Items = store, store
		// Every poll costs a round trip through the embedded server.
		w.Engine.Poll = max(w.Engine.Poll, 2*time.Second)
		played, all, err := w.Play(t.Context(), s, c)
		if err != nil {
			t.Fatal(err)
		}
		calls = played
		for _, e := range all {
			found = append(found, invariant.Check(e)...)
		}
	})
	return calls, found
}

// onEmbedded runs on a store in an embedded server, in virtual time.
func onEmbedded(t *testing.T, run func(t *testing.T, store *storage.Redis)) {
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
		run(t, store)
	})
}

// hasty opens a store on a real server, with little patience.
func hasty(t *testing.T, server *storagetest.Server, prefix string) (*storage.Redis, error) {
	t.Helper()
	return storage.Open(t.Context(), storage.Options{URL: server.URL, Prefix: prefix, Shards: 1, Lease: 600 * time.Millisecond, PaceRate: 1000})
}

// TestCrashSweepRedis is the crash sweep on a private redis-server, in real time,
// with a short lease. Every point is swept in virtual time, see above; here are
// enough of them to show that a real server makes no difference.
func TestCrashSweepRedis(t *testing.T) {
	t.Parallel()
	scenarios := enginetest.Scenarios()
	if !*full {
		scenarios = scenarios[2:3]
	}
	sweepRedis(t, storagetest.Redis(t), scenarios, thinned(4))
}

// sweepRedis is sweep on a real server. Most of a run is waiting, so many go on at
// once, each under a prefix of its own.
func sweepRedis(t *testing.T, server *storagetest.Server, scenarios []enginetest.Scenario, nth int) {
	t.Helper()
	var runs, points sync.WaitGroup
	var swept, violations atomic.Int64
	hands := make(chan struct{}, 64)
	play := func(s enginetest.Scenario, prefix string, c enginetest.Crash) ([]string, []invariant.Violation) {
		hands <- struct{}{}
		defer func() { <-hands }()
		return playRedis(t, server, prefix, s, c)
	}
	for i, s := range scenarios {
		runs.Go(func() {
			calls, found := play(s, fmt.Sprintf("t%d", i), enginetest.Crash{})
			for _, v := range found {
				t.Errorf("%s: without any crash: %s", s.Name, v)
			}
			for j, c := range crashes(len(calls), nth, 0) {
				points.Go(func() {
					_, found := play(s, fmt.Sprintf("t%d-%d", i, j), c)
					swept.Add(1)
					violations.Add(int64(len(found)))
					for _, v := range found {
						t.Errorf("%s: %s call %d (%s): %s", s.Name, when(c.After), c.At, calls[c.At-1], v)
					}
				})
			}
		})
	}
	runs.Wait()
	points.Wait()
	t.Logf("%d points, %d violations, from %d", swept.Load(), violations.Load(), *from)
}

func playRedis(t *testing.T, server *storagetest.Server, prefix string, s enginetest.Scenario, c enginetest.Crash) (calls []string, found []invariant.Violation) {
	t.Helper()
	store, err := hasty(t, server, prefix)
	if err != nil {
		t.Error(err)
		return nil, nil
	}
	defer func() { _ = store.Close() }()
	calls, all, err := realWorld(store).Play(t.Context(), s, c)
	if err != nil {
		t.Error(err)
	}
	for _, e := range all {
		found = append(found, invariant.Check(e)...)
	}
	return calls, found
}

// realWorld is a world in real time, with little patience.
func realWorld(store *storage.Redis) *enginetest.World {
	return &enginetest.World{
		Store: store, Items: store, Slack: &enginetest.Slack{Latency: time.Millisecond}, Panel: &enginetest.Panel{Delay: 2 * time.Millisecond},
		Engine: engine.Options{Poll: 25 * time.Millisecond, Linger: 300 * time.Millisecond, PostTimeout: 100 * time.Millisecond, Settle: 150 * time.Millisecond},
		Rest:   1500 * time.Millisecond, Quiet: 60 * time.Millisecond,
		Pace: shortened,
	}
}

// shortened makes days pass in seconds, and a window for gathering in a moment.
// What takes longer than a week does not end.
func shortened(d time.Duration) time.Duration {
	switch {
	case d > 7*24*time.Hour:
		return time.Second
	case d >= time.Hour:
		return d / 120_000
	default:
		return min(d, 300*time.Millisecond)
	}
}

// A real server that comes back with an older file loses nothing and says nothing
// twice: what it forgot is read in Slack.
func TestServerRolledBack(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	store, err := storage.Open(t.Context(), storage.Options{URL: server.URL, Shards: 1, Lease: 600 * time.Millisecond, PaceRate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	w := realWorld(store)
	w.Rest = 3 * time.Second // longer than it takes to notice the restart
	rolledBack := false
	s := enginetest.Scenario{Name: "rolled back", Settings: roundtable.Settings{MaxTurns: 30}, Acts: []enginetest.Act{
		{Who: "Priya", Say: "What about refunds?"},
		{Do: func() error { return server.Client(t).Save(t.Context()).Err() }},
		{Who: "Sam", Say: "And who pays?"},
		{Who: "Priya", Say: "Everyone, when?"},
		{Do: func() error {
			rolledBack = true
			server.Kill()
			server.Start(t)
			return nil
		}},
		{Who: "Sam", Say: "Alex, how?"},
	}}
	_, all, err := w.Play(t.Context(), s, enginetest.Crash{})
	if err != nil {
		t.Fatal(err)
	}
	if !rolledBack {
		t.Fatal("the server was never rolled back")
	}
	e := all[0]
	e.Consumed = nil // what was forgotten is rightly taken in again
	for _, v := range invariant.Check(e) {
		t.Error(v)
	}
	want := []string{"What about refunds?", "And who pays?", "Everyone, when?", "Alex, how?"}
	var got []string
	for _, turn := range thread.ReadTranscript(e.Entries).Turns {
		if turn.Persona == "" {
			got = append(got, strings.Split(turn.Text, "\n")...)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
