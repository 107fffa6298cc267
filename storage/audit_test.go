package storage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

func line(id string) engine.Act {
	return engine.Act{
		ID: engine.ActID(id), Team: "T024BE7LD", Channel: "C061EG9SL", Thread: "DABCDEFGHIJKLMNOP", Item: thread.ItemMark(id),
		Audit: thread.Audit{Kind: thread.AuditOpened, By: "U023BECGF01"},
	}
}

// The audit record is kept for a time of its own, however long discussions are, and not
// longer: what is older is not read, goes when a line is added, and all of it when none is
// (FR-111).
func TestAuditRecordHasItsOwnRetention(t *testing.T) {
	t.Parallel()
	server := storagetest.Mini(t)
	store := storagetest.Open(t, server, storage.Options{Prefix: "audit", Shards: 1, Retention: time.Minute, AuditRetention: 24 * time.Hour})
	client := server.Client(t)
	defer func() { _ = client.Close() }()
	read := func() (ids []string) {
		t.Helper()
		if err := store.ReadActs(t.Context(), engine.ActQuery{}, func(a engine.Act) error { ids = append(ids, a.ID); return nil }); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	note := func(id string) {
		t.Helper()
		if err := store.NoteAct(t.Context(), line(id)); err != nil {
			t.Fatal(err)
		}
	}
	note("old")
	server.Pass(20 * time.Hour)
	note("young")
	if diff := cmp.Diff([]string{engine.ActID("old"), engine.ActID("young")}, read()); diff != "" {
		t.Errorf("within the time (-want +got):\n%s", diff)
	}
	server.Pass(5 * time.Hour)
	if diff := cmp.Diff([]string{engine.ActID("young")}, read()); diff != "" {
		t.Errorf("after it (-want +got):\n%s", diff)
	}
	note("new")
	if n := client.XLen(t.Context(), "{audit:0}:aud").Val(); n != 2 {
		t.Errorf("%d lines are stored, want 2", n)
	}
	server.Pass(25 * time.Hour)
	if n := client.Exists(t.Context(), "{audit:0}:aud").Val(); n != 0 {
		t.Error("a record that nothing is added to never goes")
	}
}

// A line of the audit record takes at most 150 bytes, so that what it costs beside a
// discussion of 10 kB, which leaves a handful of lines, does not count.
func TestAuditLineIsSmall(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	store := storagetest.Open(t, server, storage.Options{Prefix: "audit", Shards: 1})
	client := server.Client(t)
	defer func() { _ = client.Close() }()
	const lines = 1000
	for n := range lines {
		if err := store.NoteAct(t.Context(), line(fmt.Sprint(n))); err != nil {
			t.Fatal(err)
		}
	}
	each := client.MemoryUsage(t.Context(), "{audit:0}:aud", 0).Val() / lines
	t.Logf("%d bytes a line", each)
	if each > 150 {
		t.Errorf("a line takes %d bytes, want 150 at most", each)
	}
}
