package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

const team = "T0ROUND01"

// judge holds a discussion that has come to its end against the invariants, from
// what stands in Redis and what stands in the thread. said are the messages of
// people that must be in the log once.
func judge(t *testing.T, server *storagetest.Server, d discussion, said ...string) {
	t.Helper()
	ctx := context.Background()
	store, err := storage.Open(ctx, storage.Options{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ref, found, err := store.FindThread(ctx, team, d.channel, d.root)
	if err != nil || !found {
		t.Fatalf("find the discussion of %s: %v, found %t", d.root, err, found)
	}
	var e invariant.Evidence
	eventually(t, "the discussion is closed and its receipts are in", func() string { return d.transcript(d.root) }, func() bool {
		state, log, err := store.Read(ctx, ref)
		if err != nil {
			t.Fatal(err)
		}
		if e.Discussion, err = roundtable.Decode(ours(state)); err != nil {
			t.Fatal(err)
		}
		e.Entries = nil
		keys, receipts := 0, 0
		for _, raw := range log {
			entry, err := thread.DecodeEntry(ref.ID, ours(raw))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case entry.Kind == thread.EntryPosted:
				receipts++
			case entry.Key != "":
				keys++
			}
			e.Entries = append(e.Entries, entry)
		}
		return e.Discussion.State == roundtable.StateClosed && receipts >= keys
	})
	if e.Parked, err = store.DeadLetters(ctx, 100); err != nil {
		t.Fatal(err)
	}
	kinds := contributions(e.Entries)
	for _, m := range d.replies() {
		switch {
		case m.BotID == "":
		case m.Metadata.Type != "roundtable_turn" || m.Metadata.Payload.Key == "":
			t.Errorf("a post at %s has no key", m.TS)
		default:
			key := m.Metadata.Payload.Key
			e.Slack = append(e.Slack, invariant.Message{Channel: d.channel, Thread: d.root, Key: key, TS: m.TS, Message: thread.Message{Kind: kinds[key]}})
		}
	}
	for _, ts := range said {
		e.Sent = append(e.Sent, invariant.Sent{Input: roundtable.Input{ID: "m:" + ts, Event: roundtable.Said{TS: ts}}})
	}
	for _, v := range invariant.Check(e) {
		t.Errorf("discussion %s: %s", d.root, v)
	}
	if t.Failed() {
		t.Logf("%s", d.transcript(d.root))
	}
}

// contributions are the keys of the log whose posts are personas'.
func contributions(entries []thread.Entry) map[string]thread.MessageKind {
	kinds := map[string]thread.MessageKind{}
	for _, e := range entries {
		if e.Key != "" && e.Kind == thread.EntryTurn {
			kinds[e.Key] = thread.KindContribution
		}
	}
	return kinds
}

// readTree returns the files of a folder by their paths.
func readTree(t testing.TB, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files[filepath.ToSlash(strings.TrimPrefix(path, folder+string(filepath.Separator)))] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
