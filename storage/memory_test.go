package storage_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// idleBudget is what an idle discussion of ten turns may take in Redis (DESIGN §6).
const idleBudget = 10_000

// TestIdleDiscussionIsSmall measures a discussion of ten turns with a state of
// 2.5 kB, after every input and effect that such a discussion sees.
func TestIdleDiscussionIsSmall(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	store := storagetest.Open(t, server, storage.Options{})
	d := delivery("open")
	d.Thread, d.Claim = "1763715600.000100", &engine.Claimant{Owner: "one"}
	_, h, _, err := store.Deliver(t.Context(), d)
	if err != nil || h == nil {
		t.Fatalf("Deliver = %v, %v", h, err)
	}
	for turn := range 10 {
		id := fmt.Sprintf("said:C0123456789:17637156%02d.000100", turn)
		said := engine.Delivery{Ref: ref, Mail: engine.Mail{ID: id, Body: bytes.Repeat([]byte("m"), 500)},
			Also: []string{fmt.Sprintf("Ev0123456%02d", turn), fmt.Sprintf("0190b1a2-7c3d-7e4f-8a5b-6c7d8e9f00%02d", turn)}}
		if r, _, _, err := store.Deliver(t.Context(), said); err != nil || r != engine.Stored {
			t.Fatalf("Deliver = %q, %v", r, err)
		}
		key := fmt.Sprintf("d1/%s/0", id)
		commit(t, store, h, engine.Commit{
			State: bytes.Repeat([]byte("s"), 2500), Consumed: []string{id, "open"}, Append: [][]byte{[]byte(strings.Repeat("e", 330))},
			Enqueue: []engine.Intent{{Key: key, Body: bytes.Repeat([]byte("p"), 700)}}, Attempt: true,
		})
		posted := engine.Delivery{Ref: ref, Mail: engine.Mail{ID: key + "/posted", Body: []byte("{}")}}
		if r, _, _, err := store.Deliver(t.Context(), posted); err != nil || r != engine.Stored {
			t.Fatalf("Deliver = %q, %v", r, err)
		}
		commit(t, store, h, engine.Commit{State: bytes.Repeat([]byte("s"), 2500), Consumed: []string{key + "/posted"}, Done: 1})
	}
	if done := commit(t, store, h, engine.Commit{Release: true}); !done.Released {
		t.Fatal("not released")
	}

	client := server.Client(t)
	defer func() { _ = client.Close() }()
	total := int64(0)
	for _, key := range client.Keys(t.Context(), "*").Val() {
		if strings.Contains(key, ":rl:") { // the channel's, and gone in a minute
			continue
		}
		n, err := client.MemoryUsage(t.Context(), key, 0).Result()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%6d bytes  %s", n, key)
		total += n
	}
	t.Logf("%6d bytes in all", total)
	if total > idleBudget {
		t.Errorf("an idle discussion takes %d bytes, want at most %d", total, idleBudget)
	}
}
