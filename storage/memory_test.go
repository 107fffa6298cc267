package storage_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// idleBudget is what an idle discussion of ten turns may take in Redis (NFR-104).
const idleBudget = 10_000

// exchange is what the log gains with a message and its answer: two turns of two
// sentences, and the receipt of the post.
func exchange(t *testing.T, key string, turn int) (turns, receipt [][]byte) {
	t.Helper()
	at := time.Unix(1763715600, 123456789).UTC()
	text := strings.Repeat("What breaks first? ", 12)
	var lines [][]byte
	for _, e := range []thread.Entry{
		{Kind: thread.EntryTurn, At: at, Turn: turn, Person: &thread.Person{ID: "U0123456789", Name: "Priya Nair"}, TS: "1763715600.123456", Text: text[:120]},
		{Kind: thread.EntryTurn, At: at, Turn: turn + 1, Persona: "solutions-architect", Key: key, Text: text, Stance: thread.StanceDisagree, ReplyTo: turn},
		{Kind: thread.EntryPosted, At: at, Key: key, TS: "1763715600.123456"},
	} {
		line, err := thread.EncodeEntry(ref.ID, e)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines[:2], lines[2:]
}

// TestIdleDiscussionIsSmall measures a discussion of ten turns with a state of
// 1.7 kB, as one with three people has, after every input and effect that such a
// discussion sees.
func TestIdleDiscussionIsSmall(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	store := storagetest.Open(t, server, storage.Options{})
	d := delivery("open")
	d.Thread, d.Claim = "1763715600.000100", &engine.Claimant{Owner: "one"}
	delivered, err := store.Deliver(t.Context(), d)
	h := delivered.Claim
	if err != nil || h == nil {
		t.Fatalf("Deliver = %v, %v", h, err)
	}
	state := bytes.Repeat([]byte("s"), 1700)
	for turn := 1; turn < 10; turn += 2 {
		id := fmt.Sprintf("m:17637156%02d.000100", turn)
		said := engine.Delivery{Ref: ref, Mail: engine.Mail{ID: id, Body: bytes.Repeat([]byte("m"), 500)},
			Also: []string{fmt.Sprintf("Ev0123456%02d", turn), fmt.Sprintf("0190b1a2-7c3d-7e4f-8a5b-6c7d8e9f00%02d", turn)}}
		if r, err := store.Deliver(t.Context(), said); err != nil || r.Reception != engine.Stored {
			t.Fatalf("Deliver = %q, %v", r.Reception, err)
		}
		key := fmt.Sprintf("%s/%s/0/c-solutions-architect/0", ref.ID, id)
		turns, receipt := exchange(t, key, turn)
		commit(t, store, h, engine.Commit{
			State: state, Consumed: []string{id, "open"}, Append: turns,
			Enqueue: []engine.OutboxEntry{{Key: key, Body: bytes.Repeat([]byte("p"), 700)}}, Attempt: true,
		})
		commit(t, store, h, engine.Commit{State: state, Append: receipt, Done: 1, Posted: []string{fmt.Sprintf("17637156%02d.123456", turn)}})
	}
	if done := commit(t, store, h, engine.Commit{Mode: engine.ModeRelease}); !done.Released {
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
