package storage_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestFailover kills a master under the eyes of a sentinel: what a replica had
// confirmed is there under the new master, and the next holder is told to verify.
func TestFailover(t *testing.T) {
	t.Parallel()
	master := storagetest.RedisTCP(t)
	storagetest.RedisTCP(t, "--replicaof", "127.0.0.1", strconv.Itoa(master.Port), "--repl-diskless-sync-delay", "0")
	sentinel := storagetest.Sentinel(t, master)
	before := storagetest.Open(t, sentinel, storage.Options{Replicas: 1, Patience: 20 * time.Second})
	h := open(t, before, "a")
	commit(t, before, h, engine.Commit{State: []byte("s"), Append: [][]byte{[]byte("e")}, Mode: engine.ModeYield})
	if h = claim(t, before); h.Rewound {
		t.Fatal("rewound without a failover; was the sentinel's run id taken for the master's?")
	}
	commit(t, before, h, engine.Commit{State: []byte("s2"), Mode: engine.ModeYield})

	// The replica that is left has none to confirm for it.
	after := storagetest.Open(t, sentinel, storage.Options{Patience: 30 * time.Second})
	master.Kill()
	h = claim(t, after)
	if string(h.State) != "s2" || h.LogLen != 1 || len(h.Mail) != 1 {
		t.Fatalf("claim after a failover = %+v, want everything that was confirmed (I1)", h)
	}
	if !h.Rewound {
		t.Fatal("the failover went unnoticed")
	}
}
