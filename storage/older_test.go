package storage_test

import (
	_ "embed"
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// olderWriteItem is the script by which a version wrote that knew of no forgetting.
//
//go:embed testdata/older/write_item.lua
var olderWriteItem string

// TestOlderReplicaWritesIntoWhatIsForgotten has a replica of an older version write into an
// item that is out of sight, as happens while versions are changed. It is there again, and
// when its time is over nothing of it is removed (FR-110, NFR-004).
func TestOlderReplicaWritesIntoWhatIsForgotten(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	store := storagetest.Open(t, server, tornOptions)
	client := server.Client(t)
	defer func() { _ = client.Close() }()
	talkedAbout(t, store, engine.Ref{Team: "T1", Channel: "C1", ID: "D1"}, "canary-D1")
	ref := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "ledgers"}
	write(t, store, ref, 0, "D1")
	list := client.Keys(t.Context(), "*:its:T1/C1").Val()[0]
	f := storage.Farewells{Documents: store, Threads: store}
	what := engine.Farewell{Key: "F1", Team: "T1", Channel: "C1", Item: "ledgers"}
	if _, err := f.Hide(t.Context(), what); err != nil {
		t.Fatal(err)
	}
	item := client.Keys(t.Context(), "*:it:T1/C1/ledgers").Val()[0]
	args := []any{"ledgers", "1", "D2", "[]", "0", "", "more.md", "said since", "older"}
	if said, err := client.Eval(t.Context(), olderWriteItem, []string{item, list}, args...).Result(); err != nil || said != "ok" {
		t.Fatalf("the older replica wrote: %v, %v", said, err)
	}
	if got, err := store.ReadItem(t.Context(), ref); err != nil || got.Hidden {
		t.Errorf("hidden %v, %v, want what was written into to be there", got.Hidden, err)
	}
	if err := store.RemoveItem(t.Context(), ref, "F1"); err != nil {
		t.Fatal(err)
	}
	if back, err := f.Remove(t.Context(), what); err != nil || !back {
		t.Errorf("Remove = %v, %v, want that it is back", back, err)
	}
	if got, err := store.ReadItem(t.Context(), ref); err != nil || string(got.Files["more.md"]) != "said since" || len(got.Files) != 2 {
		t.Errorf("left: %v, %v", got.Files, err)
	}
}
