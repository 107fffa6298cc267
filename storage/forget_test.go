package storage_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestForgetItem shows that of an item and the discussions that were merged into it
// no key is left, that others stay, and that work under way is not cut (SPEC §8).
func TestForgetItem(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		ctx := t.Context()
		store := storagetest.Open(t, s, storage.Options{Prefix: "forget" + t.Name()})
		item := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "ledgers"}
		for _, id := range []string{"D1", "D2", "D3"} {
			ref := engine.Ref{Team: "T1", Channel: "C1", ID: id}
			talkedAbout(t, store, ref, "canary-"+id)
		}
		write(t, store, item, 0, "D1")       // a discussion's
		write(t, store, item, 1, "D2/m:7/2") // an analysis'

		held := hold(t, store, engine.Ref{Team: "T1", Channel: "C1", ID: "D2"})
		if _, err := store.ForgetItem(ctx, item); !errors.Is(err, storage.ErrBusy) {
			t.Fatalf("forgetting what is worked on: got %v, want ErrBusy", err)
		}
		if _, err := store.Commit(ctx, held, engine.Commit{Release: true}); err != nil {
			t.Fatal(err)
		}
		gone, err := store.ForgetItem(ctx, item)
		if err != nil || gone != 2 {
			t.Fatalf("ForgetItem = %d, %v, want 2 discussions", gone, err)
		}
		left := everything(t, s)
		for _, canary := range []string{"canary-D1", "canary-D2", "canary-item", "root of D1"} {
			if strings.Contains(left, canary) {
				t.Errorf("%q is still stored:\n%s", canary, left)
			}
		}
		if !strings.Contains(left, "canary-D3") {
			t.Error("another discussion was forgotten too")
		}
		if _, err := store.ForgetItem(ctx, item); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("forgetting again: got %v, want ErrNotFound", err)
		}

		last := engine.Ref{Team: "T1", Channel: "C1", ID: "D3"}
		for range 2 { // the second time there is nothing left to remove
			if err := store.ForgetDiscussion(ctx, last); err != nil {
				t.Fatal(err)
			}
		}
		if left := everything(t, s); strings.Contains(left, "canary-D3") || strings.Contains(left, "root of D3") {
			t.Errorf("the discussion is still stored:\n%s", left)
		}
	})
}

// talkedAbout stores a discussion with state, log, root and a parked letter.
func talkedAbout(t *testing.T, store *storage.Redis, ref engine.Ref, text string) {
	t.Helper()
	if _, _, _, err := store.Deliver(t.Context(), engine.Delivery{Ref: ref, Opens: true, Mail: engine.Mail{ID: "open", Body: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), hold(t, store, ref), engine.Commit{
		State: []byte(text), Append: [][]byte{[]byte(text)}, Alias: "root of " + ref.ID, Park: []string{"open"}, ParkReason: "test",
		Release: true, Wake: time.Now().Add(time.Hour),
	}); err != nil {
		t.Fatal(err)
	}
}

func hold(t *testing.T, store *storage.Redis, ref engine.Ref) *engine.Holding {
	t.Helper()
	wake := "wake " + rand.Text()
	if _, _, _, err := store.Deliver(t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: wake}}); err != nil {
		t.Fatal(err)
	}
	h, err := store.Claim(t.Context(), ref, engine.Claimant{Owner: "one"})
	if err != nil || h == nil {
		t.Fatalf("Claim(%s) = %v, %v, want a holding", ref.ID, h, err)
	}
	done, err := store.Commit(t.Context(), h, engine.Commit{Consumed: []string{wake}})
	if err != nil {
		t.Fatal(err)
	}
	h.Token, h.Until = done.Token, done.Until
	return h
}

func write(t *testing.T, store *storage.Redis, item engine.ItemRef, version int64, key string) {
	t.Helper()
	err := store.WriteItem(t.Context(), item, engine.ItemWrite{Version: version, Key: key, Files: map[string][]byte{"notes.md": []byte("canary-item")}, Meta: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
}

// everything is a dump of all keys and values of a server.
func everything(t *testing.T, s *storagetest.Server) string {
	t.Helper()
	opts, err := redis.ParseURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := redis.NewClient(opts)
	defer func() { _ = client.Close() }()
	var b strings.Builder
	for _, key := range client.Keys(t.Context(), "*").Val() {
		b.WriteString(key + "\n")
		switch client.Type(t.Context(), key).Val() {
		case "hash":
			for f, v := range client.HGetAll(t.Context(), key).Val() {
				b.WriteString("  " + f + "=" + v + "\n")
			}
		case "string":
			b.WriteString("  " + client.Get(t.Context(), key).Val() + "\n")
		case "stream":
			for _, m := range client.XRange(t.Context(), key, "-", "+").Val() {
				for f, v := range m.Values {
					b.WriteString("  " + f + "=" + v.(string) + "\n")
				}
			}
		}
	}
	return b.String()
}

// Parked mail holds people's words, so it does not outlive the retention: what is older
// goes when more is parked, and all of it when nothing is (SPEC §8). And all of what
// was parked of an item is found, however much that is.
func TestParkedMailIsNotKeptForEver(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		store := storagetest.Open(t, s, storage.Options{Prefix: "parked", Shards: 1, Retention: time.Hour})
		client := s.Client(t)
		defer func() { _ = client.Close() }()
		const stream = "{parked:0}:dlq"
		old := client.XAdd(t.Context(), &redis.XAddArgs{Stream: stream, ID: "1-1", Values: []any{"ref", "T1/C1/D0", "mail", "canary-old", "why", "test", "at", "1"}})
		if old.Err() != nil {
			t.Fatal(old.Err())
		}
		ref := engine.Ref{Team: "T1", Channel: "C1", ID: "D1"}
		talkedAbout(t, store, ref, "canary-D1")
		if left := everything(t, s); strings.Contains(left, "canary-old") || !strings.Contains(left, "canary-D1") {
			t.Errorf("want the new letter and not the old one:\n%s", left)
		}
		if ttl := client.PTTL(t.Context(), stream).Val(); ttl <= 0 || ttl > time.Hour {
			t.Errorf("parked mail expires after %v, want an hour at most", ttl)
		}
		parked := client.XRange(t.Context(), stream, "-", "+").Val()
		for range 250 {
			if err := client.XAdd(t.Context(), &redis.XAddArgs{Stream: stream, Values: parked[0].Values}).Err(); err != nil {
				t.Fatal(err)
			}
		}
		item := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "ledgers"}
		write(t, store, item, 0, "D1")
		if _, err := store.ForgetItem(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		if n := client.XLen(t.Context(), stream).Val(); n != 0 {
			t.Errorf("%d letters are left", n)
		}
	})
}
