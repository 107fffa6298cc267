package storage_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// occupantTests are what holds on every kind of server.
func occupantTests(t *testing.T, s *storagetest.Server) {
	const key = "{occupied:0}:team"
	t.Helper()
	store := storagetest.Open(t, s, storage.Options{Prefix: "occupied"})
	asks := func(what string, want storage.Occupant) {
		t.Helper()
		got, err := store.Occupant(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("%s: Occupant (-want +got): %v\n%s", what, err, diff)
		}
	}
	occupies := func(store *storage.Redis, team string, want storage.Occupant) {
		t.Helper()
		got, err := store.Occupy(t.Context(), team)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Fatalf("Occupy(%s) (-want +got): %v\n%s", team, err, diff)
		}
	}
	for range 2 { // asking changes nothing
		asks("of a new store", storage.Occupant{Key: key})
	}
	if got, err := store.Occupy(t.Context(), ""); err == nil {
		t.Errorf("Occupy without a team = %+v, want an error", got)
	}
	occupies(store, "T1", storage.Occupant{Team: "T1", Key: key})
	for range 2 {
		occupies(storagetest.Open(t, s, storage.Options{Prefix: "occupied"}), "T2", storage.Occupant{Team: "T1", Key: key})
		occupies(store, "T1", storage.Occupant{Team: "T1", Key: key})
	}
	occupies(storagetest.Open(t, s, storage.Options{Prefix: "other"}), "T2", storage.Occupant{Team: "T2", Key: "{other:0}:team"})

	// Neither forgetting all that there was nor time takes it away.
	ref := engine.Ref{Team: "T1", Channel: "C1", ID: "D1"}
	talkedAbout(t, store, ref, "canary")
	item := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "ledgers"}
	write(t, store, item, 0, "D1")
	farewells, what := storage.Farewells{Documents: store, Threads: store}, engine.Farewell{Key: "F1", Team: "T1", Channel: "C1", Item: "ledgers"}
	if hidden, err := farewells.Hide(t.Context(), what); err != nil || hidden.Discussions != 1 {
		t.Fatalf("Hide = %+v, %v", hidden, err)
	}
	if back, err := farewells.Remove(t.Context(), what); back || err != nil {
		t.Fatalf("Remove = %v, %v", back, err)
	}
	if !s.Real {
		s.Pass(1000 * 24 * time.Hour)
	}
	asks("when all is forgotten", storage.Occupant{Team: "T1", Key: key})
}

// TestOccupant shows that the first workspace has the store, on every kind of
// server and for as long as it stands.
func TestOccupant(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, occupantTests)
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		occupantTests(t, storagetest.ClusterOf(t, 3, 0).Server())
	})
}

// TestOneOfManyOccupies has replicas of several workspaces start at once: all hear
// the same.
func TestOneOfManyOccupies(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		teams := []string{"T1", "T2", "T3", "T1", "T2", "T3"}
		heard := make([]string, len(teams))
		var all sync.WaitGroup
		for i, team := range teams {
			store := storagetest.Open(t, s, storage.Options{})
			all.Go(func() {
				got, err := store.Occupy(t.Context(), team)
				if err != nil {
					t.Error(err)
				}
				heard[i] = got.Team
			})
		}
		all.Wait()
		for i, got := range heard {
			if got == "" || got != heard[0] {
				t.Errorf("%s hears of %q, and another of %q", teams[i], got, heard[0])
			}
		}
	})
}

// TestOccupantNeedsNoReplicas starts on an occupied store while the replicas are
// missing that a delivery waits for, and while the server takes no writes at all.
func TestOccupantNeedsNoReplicas(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	store := storagetest.Open(t, server, storage.Options{Replicas: 1, WaitFor: time.Millisecond, Patience: time.Millisecond})
	for _, refusing := range []string{"0", "1"} {
		server.Set(t, "min-replicas-to-write", refusing)
		if got, err := store.Occupy(t.Context(), "T1"); err != nil || got.Team != "T1" {
			t.Errorf("min-replicas-to-write %s: Occupy = %+v, %v", refusing, got, err)
		}
	}
}
