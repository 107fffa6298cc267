package storage_test

import (
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
	"github.com/roundtable-chat/app/storage/storagetest/contract"
)

// TestForgottenIsGone shows that of an item and the discussions that were merged into it
// no key is left with their words, that others stay, and that until then taking it back
// restores every key as it was (FR-110).
func TestForgottenIsGone(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		store := storagetest.Open(t, s, storage.Options{Prefix: "forget" + t.Name()})
		farewells := storage.Farewells{Documents: store, Threads: store}
		item := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "ledgers"}
		for _, id := range []string{"D1", "D2", "D3"} {
			talkedAbout(t, store, engine.Ref{Team: "T1", Channel: "C1", ID: id}, "canary-"+id)
		}
		write(t, store, item, 0, "D1")       // a discussion's
		write(t, store, item, 1, "D2/m:7/2") // an analysis'
		before := everything(t, s)

		what := engine.Farewell{Key: "F1", Team: "T1", Channel: "C1", Item: "ledgers"}
		hide := func() {
			t.Helper()
			if got, err := farewells.Hide(t.Context(), what); err != nil || got != (engine.Hidden{Documents: 1, Discussions: 2}) {
				t.Fatalf("Hide = %+v, %v, want 1 document and 2 discussions", got, err)
			}
		}
		hide()
		if err := farewells.Restore(t.Context(), what); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, everything(t, s)); diff != "" {
			t.Errorf("taken back it is not as it was (-was +is):\n%s", diff)
		}
		hide()
		for range 2 { // the second time there is nothing left to remove
			if back, err := farewells.Remove(t.Context(), what); back || err != nil {
				t.Fatalf("Remove = %v, %v", back, err)
			}
		}
		left := everything(t, s)
		for _, canary := range []string{"canary-D1", "canary-D2", "canary-item", "root of D1", "ledgers"} {
			if strings.Contains(left, canary) {
				t.Errorf("%q is still stored:\n%s", canary, left)
			}
		}
		if !strings.Contains(left, "canary-D3") {
			t.Error("another discussion was forgotten too")
		}
	})
}

// TestTornFarewells cuts the hiding, the taking back and the removal of an item and of a
// discussion after each of their writes, as a torn append-only file does. Made again, each
// comes to the same end (FR-110).
func TestTornFarewells(t *testing.T) {
	t.Parallel()
	recorder := storagetest.Redis(t, "--appendonly", "yes", "--appendfsync", "no")
	server := storagetest.Redis(t)
	live, store := storagetest.Open(t, recorder, tornOptions), storagetest.Open(t, server, tornOptions)
	client := server.Client(t)
	defer func() { _ = client.Close() }()
	talkedAbout(t, live, engine.Ref{Team: "T1", Channel: "C1", ID: "D1"}, "canary-D1")
	write(t, live, engine.ItemRef{Team: "T1", Channel: "C1", Slug: "ledgers"}, 0, "D1")
	what := engine.Farewell{Key: "F1", Team: "T1", Channel: "C1", Item: "ledgers"}
	hide := func(f storage.Farewells) error { _, err := f.Hide(t.Context(), what); return err }
	takeBack := func(f storage.Farewells) error { return f.Restore(t.Context(), what) }
	remove := func(f storage.Farewells) error { _, err := f.Remove(t.Context(), what); return err }
	cuts := 0
	for _, step := range []struct {
		name string
		do   func(storage.Farewells) error
	}{{"hide", hide}, {"take back", takeBack}, {"hide again", hide}, {"remove", remove}} {
		before := appendOnly(t, recorder)
		if err := step.do(storage.Farewells{Documents: live, Threads: live}); err != nil {
			t.Fatal(err)
		}
		after := appendOnly(t, recorder)
		restore(t, client, after, nil)
		want := everything(t, server)
		for change := len(before); change < len(after); change++ {
			for cut := range len(after[change]) + 1 {
				restore(t, client, after[:change], after[change][:cut])
				if err := step.do(storage.Farewells{Documents: store, Threads: store}); err != nil {
					t.Fatalf("%s, cut after %d writes of change %d: made again: %v", step.name, cut, change, err)
				}
				if diff := cmp.Diff(want, everything(t, server)); diff != "" {
					t.Errorf("%s, cut after %d writes of change %d: made again it leads elsewhere (-want +got):\n%s", step.name, cut, change, diff)
				}
				cuts++
			}
		}
	}
	t.Logf("%d cuts", cuts)
}

// TestWritesDuringARemoval holds the items in Redis to what a write during their removal may
// come to.
func TestWritesDuringARemoval(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		contract.RunRemoval(t, func(t *testing.T) (contract.Documents, *storage.Redis) {
			store := storagetest.Open(t, s, storage.Options{Prefix: "removal" + rand.Text()})
			return store, store
		})
	})
}

// talkedAbout stores a discussion with state, log, root and a parked letter.
func talkedAbout(t *testing.T, store *storage.Redis, ref engine.Ref, text string) {
	t.Helper()
	if _, err := store.Deliver(t.Context(), engine.Delivery{Ref: ref, Opens: true, Mail: engine.Mail{ID: "open", Body: []byte(text)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Commit(t.Context(), hold(t, store, ref), engine.Commit{
		State: []byte(text), Append: [][]byte{[]byte(text)}, Alias: "root of " + ref.ID, Park: []string{"open"}, ParkReason: "test",
		Mode: engine.ModeRelease, Wake: time.Now().Add(time.Hour),
	}); err != nil {
		t.Fatal(err)
	}
}

func hold(t *testing.T, store *storage.Redis, ref engine.Ref) *engine.Claim {
	t.Helper()
	wake := "wake " + rand.Text()
	if _, err := store.Deliver(t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: wake}}); err != nil {
		t.Fatal(err)
	}
	h, err := store.Claim(t.Context(), ref, engine.Claimant{Owner: "one"})
	if err != nil || h == nil {
		t.Fatalf("Claim(%s) = %v, %v, want a claim", ref.ID, h, err)
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
	for _, key := range slices.Sorted(slices.Values(client.Keys(t.Context(), "*").Val())) {
		b.WriteString(key + "\n")
		switch client.Type(t.Context(), key).Val() {
		case "hash":
			all := client.HGetAll(t.Context(), key).Val()
			for _, f := range slices.Sorted(maps.Keys(all)) {
				b.WriteString("  " + f + "=" + all[f] + "\n")
			}
		case "set":
			for _, v := range slices.Sorted(slices.Values(client.SMembers(t.Context(), key).Val())) {
				b.WriteString("  " + v + "\n")
			}
		case "zset":
			for _, z := range client.ZRangeWithScores(t.Context(), key, 0, -1).Val() {
				fmt.Fprintf(&b, "  %v %.0f\n", z.Member, z.Score)
			}
		case "string":
			b.WriteString("  " + client.Get(t.Context(), key).Val() + "\n")
		case "stream":
			for _, m := range client.XRange(t.Context(), key, "-", "+").Val() {
				for _, f := range slices.Sorted(maps.Keys(m.Values)) {
					b.WriteString("  " + f + "=" + m.Values[f].(string) + "\n")
				}
			}
		}
	}
	return b.String()
}

// Parked mail holds people's words, so it does not outlive the retention: what is older
// goes when more is parked, and all of it when nothing is (FR-110). And all of what
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
		farewells, what := storage.Farewells{Documents: store, Threads: store}, engine.Farewell{Key: "F1", Team: "T1", Channel: "C1", Item: "ledgers"}
		if _, err := farewells.Hide(t.Context(), what); err != nil {
			t.Fatal(err)
		}
		if _, err := farewells.Remove(t.Context(), what); err != nil {
			t.Fatal(err)
		}
		if n := client.XLen(t.Context(), stream).Val(); n != 0 {
			t.Errorf("%d letters are left", n)
		}
	})
}
