package storage_test

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// backoffTests are what holds on every kind of server.
func backoffTests(t *testing.T, s *storagetest.Server) {
	t.Helper()
	one := storagetest.Open(t, s, storage.Options{Prefix: "backoff"})
	two := storagetest.Open(t, s, storage.Options{Prefix: "backoff"})
	left := func(team, method string, least, most time.Duration) {
		t.Helper()
		for _, store := range []*storage.Redis{one, two} {
			all, err := store.Backoffs(t.Context(), team)
			if got := all[method]; err != nil || got < least || got > most {
				t.Fatalf("%s of %s is left alone for %v (%v), want %v to %v", method, team, got, err, least, most)
			}
		}
	}
	backOff := func(method string, wait time.Duration) {
		t.Helper()
		if err := one.BackOff(t.Context(), "T1", method, wait); err != nil {
			t.Fatal(err)
		}
	}
	left("T1", "users.info", 0, 0)
	backOff("users.info", time.Minute)
	backOff("dnd.info", 200*time.Millisecond)
	backOff("users.info", time.Second) // shortens nothing
	left("T1", "users.info", 50*time.Second, time.Minute)
	left("T1", "conversations.replies", 0, 0)
	left("T2", "users.info", 0, 0)
	s.Pass(210 * time.Millisecond)
	left("T1", "dnd.info", 0, 0)
	for name, wrong := range map[string]error{
		"no team":   one.BackOff(t.Context(), "", "users.info", time.Second),
		"no method": one.BackOff(t.Context(), "T1", "", time.Second),
		"no time":   one.BackOff(t.Context(), "T1", "users.info", 0),
	} {
		if wrong == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// TestBackoffsAreShared shows that what one replica was told holds for all.
func TestBackoffsAreShared(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, backoffTests)
	t.Run("cluster", func(t *testing.T) { backoffTests(t, storagetest.ClusterOf(t, 3, 0).Server()) })
}

// TestNothingIsLeftOfBackoffs shows that asking writes nothing, that what was noted
// goes by itself, and so does what a torn write left without an end.
func TestNothingIsLeftOfBackoffs(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		store := storagetest.Open(t, s, storage.Options{Prefix: "ended"})
		client := s.Client(t)
		defer func() { _ = client.Close() }()
		const key = "{ended:0}:bo:T1"
		gone := func(when string) {
			t.Helper()
			left, err := store.Backoffs(t.Context(), "T1")
			if n := client.Exists(t.Context(), key).Val(); err != nil || len(left) > 0 || n != 0 {
				t.Errorf("%s: got %v (%v) and %d keys, want nothing", when, left, err, n)
			}
		}
		gone("before anything was noted")
		if err := store.BackOff(t.Context(), "T1", "users.info", time.Minute); err != nil {
			t.Fatal(err)
		}
		if ttl := client.PTTL(t.Context(), key).Val(); ttl < 50*time.Second || ttl > 62*time.Second {
			t.Errorf("the key expires in %v, want a second after the last method is free", ttl)
		}
		client.Del(t.Context(), key)
		client.HSet(t.Context(), key, "users.info", "1")
		gone("after a torn write")
	})
}
