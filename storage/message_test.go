package storage_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// The messages of a discussion that began at rootTS: one of a person's, one of a
// persona's, and one that nobody delivered.
const (
	rootTS   = "1763715600.000100"
	saidTS   = "1763715600.000200"
	postedTS = "1763715600.000300"
	otherTS  = "1763715600.000400"
)

// spoken leaves a discussion in which a person and a persona spoke.
func spoken(t *testing.T, s *storage.Redis) {
	t.Helper()
	first := delivery("m:" + saidTS)
	first.Thread = rootTS
	if r, err := s.Deliver(t.Context(), first); err != nil || r.Reception != engine.Stored {
		t.Fatalf("Deliver = %q, %v", r.Reception, err)
	}
	h := claim(t, s)
	commit(t, s, h, engine.Commit{
		State: []byte("state"), Consumed: []string{"m:" + saidTS}, Append: [][]byte{[]byte("entry 0")},
		Posted: []string{postedTS}, Mode: engine.ModeRelease,
	})
}

// sights wants a message to be found as told.
func sights(t *testing.T, s *storage.Redis, ts string, want engine.Sighting) {
	t.Helper()
	got, err := s.FindMessage(t.Context(), ref.Team, ref.Channel, ts)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("FindMessage(%s) (-want +got): %v\n%s", ts, err, diff)
	}
}

// TestStoredMessages restores what the first version that knows messages left in Redis:
// each is found (NFR-102). The golden file is never changed once it was released.
func TestStoredMessages(t *testing.T) {
	t.Parallel()
	keys := storedKeys(t, "rt1-messages.json", spoken)
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		load(t, s, keys)
		store := storagetest.Open(t, s, storage.Options{})
		for _, ts := range []string{rootTS, saidTS, postedTS} {
			sights(t, store, ts, engine.Sighting{Ref: ref, Known: true})
		}
		sights(t, store, otherTS, engine.Sighting{Perhaps: []engine.Ref{ref}})
	})
}

// A discussion that an older version opened is in no list of its channel and its posts
// are not noted: a message may be its, and people's are. One that such a version opens
// while this one runs is listed as soon as this one commits to it.
func TestMessagesOfOlderVersions(t *testing.T) {
	t.Parallel()
	keys := storedKeys(t, "rt1-messages.json", spoken)
	for name := range keys {
		if name == fmt.Sprintf("{rt1:59}:ch:%s/%s", ref.Team, ref.Channel) {
			delete(keys, name)
		}
		if name == fmt.Sprintf("{rt1:59}:sn:%s/%s/%s", ref.Team, ref.Channel, ref.ID) {
			delete(keys[name].Hash, "1763715600000300")
		}
	}
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		store := storagetest.Open(t, s, storage.Options{})
		sights(t, store, postedTS, engine.Sighting{}) // nobody looks through the shard again for a while
		load(t, s, keys)
		sights(t, store, postedTS, engine.Sighting{})
		next := storagetest.Open(t, s, storage.Options{})
		sights(t, next, postedTS, engine.Sighting{Perhaps: []engine.Ref{ref}})
		sights(t, next, saidTS, engine.Sighting{Ref: ref, Known: true})

		client := s.Client(t)
		defer func() { _ = client.Close() }()
		client.Del(t.Context(), fmt.Sprintf("{rt1:59}:ch:%s/%s", ref.Team, ref.Channel))
		if r, err := store.Deliver(t.Context(), delivery("m:"+otherTS)); err != nil || r.Reception != engine.Stored {
			t.Fatalf("Deliver = %q, %v", r.Reception, err)
		}
		commit(t, store, claim(t, store), engine.Commit{Consumed: []string{"m:" + otherTS}, Append: [][]byte{[]byte("entry 1")}})
		sights(t, store, postedTS, engine.Sighting{Perhaps: []engine.Ref{ref}})
		sights(t, store, otherTS, engine.Sighting{Ref: ref, Known: true})
	})
}

// However many discussions of other channels there are, finding a message costs the same
// requests, and so it does with a crowd in its own channel.
func TestFindingAMessageCostsTwoRoundTrips(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	client, trips := server.Client(t), &storagetest.Trips{}
	client.AddHook(trips)
	defer func() { _ = client.Close() }()
	store, err := storage.Open(t.Context(), storage.Options{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	cost := func() int64 {
		t.Helper()
		before := trips.Count()
		sights(t, store, "9999999999.000000", engine.Sighting{Ref: ref, Known: true})
		return trips.Count() - before
	}
	d := delivery("m:9999999999.000000")
	d.Thread = rootTS
	if r, err := store.Deliver(t.Context(), d); err != nil || r.Reception != engine.Stored {
		t.Fatalf("Deliver = %q, %v", r.Reception, err)
	}
	cost() // opens a connection
	alone := cost()
	for n := range 150 {
		for _, channel := range []string{ref.Channel, "C2"} {
			d := delivery("open")
			d.Ref = engine.Ref{Team: ref.Team, Channel: channel, ID: fmt.Sprintf("crowd%d", n)}
			d.Thread = fmt.Sprintf("17637156%02d.%06d", n%50, n+200)
			if r, err := store.Deliver(t.Context(), d); err != nil || r.Reception != engine.Stored {
				t.Fatalf("Deliver = %q, %v", r.Reception, err)
			}
		}
	}
	if crowded := cost(); alone != 2 || crowded != 2 {
		t.Errorf("finding a message took %d round trips alone and %d among 150, want 2", alone, crowded)
	}
	before := trips.Count()
	s, err := store.FindMessage(t.Context(), ref.Team, ref.Channel, "1763715600.000001")
	if err != nil || s.Known || len(s.Perhaps) > 0 {
		t.Errorf("a message older than any discussion: %+v, %v", s, err)
	}
	for range 200 {
		if s, err := store.FindMessage(t.Context(), ref.Team, "C9", "1763715600.000001"); err != nil || s.Known || len(s.Perhaps) > 0 {
			t.Fatalf("a channel without discussions: %+v, %v", s, err)
		}
	}
	if n := trips.Count() - before; n > 201+20 {
		t.Errorf("201 messages that are nobody's took %d round trips, want one each and a look for older discussions", n)
	}
}

// What is forgotten has no messages any more, and leaves nothing in its channel's list.
func TestForgottenMessages(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		store := storagetest.Open(t, s, storage.Options{})
		spoken(t, store)
		farewells, what := storage.Farewells{Documents: store, Threads: store}, engine.Farewell{Key: "F1", Team: ref.Team, Channel: ref.Channel, Discussion: ref.ID}
		if _, err := farewells.Hide(t.Context(), what); err != nil {
			t.Fatal(err)
		}
		if _, err := farewells.Remove(t.Context(), what); err != nil {
			t.Fatal(err)
		}
		for _, ts := range []string{rootTS, saidTS, postedTS, otherTS} {
			sights(t, store, ts, engine.Sighting{})
		}
	})
}

// Slack is asked about marks at the pace of all replicas, and that is not the pace of
// recovery: neither uses up what the other may.
func TestAskingHasAPaceOfItsOwn(t *testing.T) {
	t.Parallel()
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		one, two := storagetest.Open(t, s, storage.Options{}), storagetest.Open(t, s, storage.Options{})
		may := func(ask func(context.Context, string, time.Duration) (time.Duration, error), team string, want bool) {
			t.Helper()
			wait, err := ask(t.Context(), team, time.Minute)
			if err != nil || (wait == 0) != want || wait > time.Minute {
				t.Errorf("%s waits %v (%v), want a permit: %t", team, wait, err, want)
			}
		}
		may(one.MayAsk, "T1", true)
		may(two.MayAsk, "T1", false)
		may(two.MayAsk, "T2", true)
		may(two.MayRead, "T1", true)
		may(one.MayRead, "T1", false)
	})
}
