package storage_test

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestTornOpeningsLetGoOfTheThread cuts the opening of a discussion in a thread after each
// of its writes, and then opens another in that thread. Whichever the store took in has the
// thread, and only that one: a torn opening keeps nobody out, and made again it does not
// take the thread back (I1, I12).
func TestTornOpeningsLetGoOfTheThread(t *testing.T) {
	t.Parallel()
	recorder := storagetest.Redis(t, "--appendonly", "yes", "--appendfsync", "no")
	server := storagetest.Redis(t)
	live, store := storagetest.Open(t, recorder, tornOptions), storagetest.Open(t, server, tornOptions)
	client := server.Client(t)
	defer func() { _ = client.Close() }()

	first := mailFor("open")
	first.Claim = &engine.Claimant{Owner: "one"}
	if r, err := live.Deliver(t.Context(), *first); err != nil || r.Reception != engine.Stored {
		t.Fatalf("Deliver = %q, %v", r.Reception, err)
	}
	changes := appendOnly(t, recorder)
	writes, before := changes[len(changes)-1], changes[:len(changes)-1]
	second := *mailFor("open another")
	second.Ref.ID = "another"
	for cut := range len(writes) + 1 {
		restore(t, client, before, writes[:cut])
		waits := len(client.Keys(t.Context(), "*:in:*").Val()) > 0
		want, other, holder := engine.Stored, engine.Taken, second.Ref
		if waits {
			want, other, holder = engine.Taken, engine.Duplicate, first.Ref
		}
		deliver := func(d engine.Delivery, want engine.Reception) {
			t.Helper()
			d.Claim = nil
			if r, err := store.Deliver(t.Context(), d); err != nil || r.Reception != want {
				t.Errorf("cut after %d of %d writes: %s: Deliver = %q, %v, want %q", cut, len(writes), d.Ref.ID, r.Reception, err, want)
			}
		}
		deliver(second, want)
		deliver(*first, other)
		if got, ok, err := store.FindThread(t.Context(), ref.Team, ref.Channel, "1.1"); err != nil || !ok || got != holder {
			t.Errorf("cut after %d of %d writes: the thread is of %v, %v, %v, want %v", cut, len(writes), got, ok, err, holder)
		}

		// A root that is committed there leaves the thread alone as well.
		restore(t, client, before, writes[:cut])
		third := delivery("open")
		third.Ref.ID, third.Claim = "a third", &engine.Claimant{Owner: "three"}
		got, err := store.Deliver(t.Context(), third)
		if err != nil || got.Claim == nil {
			t.Fatalf("Deliver = %+v, %v", got, err)
		}
		if done, err := store.Commit(t.Context(), got.Claim, engine.Commit{Alias: "1.1"}); err != nil || done.Occupied != waits {
			t.Errorf("cut after %d of %d writes: Commit = %+v, %v, want occupied %v", cut, len(writes), done, err, waits)
		}
	}
}
