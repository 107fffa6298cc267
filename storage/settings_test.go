package storage_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// This file shows, for each setting of Redis on which a guarantee depends, the
// accident with the setting and without. doctor warns of the latter.

// keep opens a discussion and commits a state, so that all of it was acknowledged.
func keep(t *testing.T, s *storage.Redis, id string) engine.Ref {
	t.Helper()
	d := delivery("m:" + id)
	d.Ref.ID, d.Claim = id, &engine.Claimant{Owner: "one"}
	delivered, err := s.Deliver(t.Context(), d)
	h := delivered.Claim
	if err != nil || h == nil {
		t.Fatalf("Deliver = %v, %v", h, err)
	}
	commit(t, s, h, engine.Commit{State: []byte(strings.Repeat("s", 512)), Consumed: []string{"m:" + id}, Mode: engine.ModeRelease})
	return d.Ref
}

// kept counts the discussions that are still there.
func kept(t *testing.T, s *storage.Redis, refs ...engine.Ref) int {
	t.Helper()
	n := 0
	for _, ref := range refs {
		switch _, _, err := s.Read(t.Context(), ref); {
		case err == nil:
			n++
		case !errors.Is(err, engine.ErrNotFound):
			t.Fatal(err)
		}
	}
	return n
}

// TestWhatARestartKeeps kills a server without a word and starts it again (I1).
func TestWhatARestartKeeps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args          []string
		before, after int // kept of the discussions before and after a snapshot
	}{
		"append-only file, synced always":              {[]string{"--appendonly", "yes", "--appendfsync", "always"}, 1, 1},
		"append-only file, synced every second":        {[]string{"--appendonly", "yes", "--appendfsync", "everysec"}, 1, 1},
		"append-only file, synced when the system may": {[]string{"--appendonly", "yes", "--appendfsync", "no"}, 1, 1},
		"snapshots only":                               {[]string{"--save", "3600 1"}, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := storagetest.Redis(t, c.args...)
			store := storagetest.Open(t, server, storage.Options{})
			before := keep(t, store, "before")
			client := server.Client(t)
			defer func() { _ = client.Close() }()
			if err := client.Save(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			after := keep(t, store, "after")
			server.Kill()
			server.Start(t)
			if got, want := [2]int{kept(t, store, before), kept(t, store, after)}, [2]int{c.before, c.after}; got != want {
				t.Errorf("kept %v of the discussions before and after the snapshot, want %v", got, want)
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		server := storagetest.Redis(t)
		store := storagetest.Open(t, server, storage.Options{})
		ref := keep(t, store, "a")
		server.Kill()
		server.Start(t)
		if got := kept(t, store, ref); got != 0 {
			t.Error("a server that keeps nothing on disk kept a discussion; does the test still show what it should?")
		}
	})
}

// TestWhatAFullMemoryKeeps fills the memory with what is not ours. A server that
// may not evict refuses what it cannot keep, so nothing of it is acknowledged (I1).
func TestWhatAFullMemoryKeeps(t *testing.T) {
	t.Parallel()
	const discussions = 200
	for _, policy := range []string{"noeviction", "allkeys-lru"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			server := storagetest.Redis(t, "--maxmemory-policy", policy)
			store := storagetest.Open(t, server, storage.Options{})
			var refs []engine.Ref
			for i := range discussions {
				refs = append(refs, keep(t, store, fmt.Sprint("d", i)))
			}
			client := server.Client(t)
			defer func() { _ = client.Close() }()
			fill(t, client)
			got := kept(t, store, refs...)
			_, err := store.Deliver(t.Context(), delivery("m:late"))
			if policy == "noeviction" {
				if got != discussions || !strings.Contains(fmt.Sprint(err), "OOM") {
					t.Errorf("%d of %d are kept, and a delivery meets %v; want all, and a refusal", got, discussions, err)
				}
				return
			}
			if got == discussions || err != nil {
				t.Errorf("%d of %d are kept, and a delivery meets %v; want fewer, and no word of it", got, discussions, err)
			}
		})
	}
}

// fill limits a server's memory to a little more than it uses and then writes much
// more than that.
func fill(t *testing.T, client *redis.Client) {
	t.Helper()
	info, err := client.Info(t.Context(), "memory").Result()
	if err != nil {
		t.Fatal(err)
	}
	var used int
	for line := range strings.Lines(info) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "used_memory:"); ok {
			used, _ = strconv.Atoi(v)
		}
	}
	if err := client.ConfigSet(t.Context(), "maxmemory", strconv.Itoa(used+64<<10)).Err(); err != nil {
		t.Fatal(err)
	}
	for i := range 200 {
		_ = client.Set(t.Context(), fmt.Sprint("others:", i), strings.Repeat("x", 16<<10), 0).Err() // refused when full
	}
	// What clients' buffers give back must not make room again.
	if err := client.ConfigSet(t.Context(), "maxmemory", strconv.Itoa(used)).Err(); err != nil {
		t.Fatal(err)
	}
}

// TestWhatAFailoverKeeps cuts a replica off, delivers, and has the replica take
// over. What was acknowledged is lost unless replicas had to confirm it, or the
// master had to have one (I1).
func TestWhatAFailoverKeeps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args         []string
		replicas     int
		acknowledged bool
	}{
		"nobody waits":         {nil, 0, true},
		"a replica confirms":   {nil, 1, false},
		"the master needs one": {[]string{"--min-replicas-to-write", "1"}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			master := storagetest.RedisTCP(t)
			replica := storagetest.RedisTCP(t, "--replicaof", "127.0.0.1", strconv.Itoa(master.Port), "--repl-diskless-sync-delay", "0")
			patient := storagetest.Open(t, master, storage.Options{Replicas: 1, Patience: patience})
			ref := keep(t, patient, "early") // and the replica takes part
			client := master.Client(t)
			defer func() { _ = client.Close() }()
			for i := 0; i < len(c.args); i += 2 {
				if err := client.ConfigSet(t.Context(), strings.TrimPrefix(c.args[i], "--"), c.args[i+1]).Err(); err != nil {
					t.Fatal(err)
				}
			}
			replica.Stop(t)
			if err := client.Do(t.Context(), "client", "kill", "type", "replica").Err(); err != nil {
				t.Fatal(err)
			}
			store := storagetest.Open(t, master, storage.Options{Replicas: c.replicas, Patience: 1})
			late := delivery("m:late")
			late.Ref.ID = "late"
			_, err := store.Deliver(t.Context(), late)
			if (err == nil) != c.acknowledged {
				t.Fatalf("Deliver to a master without its replica = %v, want acknowledged: %v", err, c.acknowledged)
			}
			master.Kill()
			replica.Continue(t)
			heir := replica.Client(t)
			defer func() { _ = heir.Close() }()
			if err := heir.ReplicaOf(t.Context(), "no", "one").Err(); err != nil {
				t.Fatal(err)
			}
			after := storagetest.Open(t, replica, storage.Options{})
			if got := kept(t, after, ref, late.Ref); got != 1 {
				t.Errorf("the new master has %d of the two discussions, want the early one", got)
			}
		})
	}
}
