package storage_test

import (
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

var updateStored = flag.Bool("update", false, "write the golden file of the stored form if it is missing")

// storedKey is a key as it stands in Redis; one field is set.
type storedKey struct {
	String string              `json:"string,omitempty"`
	Hash   map[string]string   `json:"hash,omitempty"`
	Set    []string            `json:"set,omitempty"`
	Sorted map[string]float64  `json:"sorted,omitempty"`
	Stream []map[string]string `json:"stream,omitempty"`
}

// TestStoredLayout restores what the first version left in Redis, byte for byte:
// state, log, outbox, mailbox, what was seen, due and active indexes, alias, pace,
// dead letters, and an item. Every later version must find all of it (NFR-102).
// The golden file is never changed once it was released.
func TestStoredLayout(t *testing.T) {
	t.Parallel()
	keys := storedKeys(t, "rt1.json", furnish)
	for _, kind := range []string{":t:", ":in:", ":lg:", ":sn:", ":al:", ":rl:", ":due", ":act", ":dlq", ":it:", ":its:"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(keys)), func(key string) bool { return strings.Contains(key, "}"+kind) }) {
			t.Errorf("the golden file has no key of the kind %s", kind)
		}
	}
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		load(t, s, keys)
		findFurniture(t, storagetest.Open(t, s, storage.Options{}))
	})
}

// storedKeys reads a golden file; one that is missing is written, if that was asked for,
// as furnish leaves it.
func storedKeys(t *testing.T, name string, furnish func(*testing.T, *storage.Redis)) map[string]storedKey {
	t.Helper()
	golden := filepath.Join("testdata", "stored", name)
	if _, err := os.Stat(golden); errors.Is(err, os.ErrNotExist) && *updateStored {
		server := storagetest.Redis(t)
		furnish(t, storagetest.Open(t, server, storage.Options{}))
		b, err := json.MarshalIndent(dump(t, server), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(golden), 0o755), os.WriteFile(golden, append(b, '\n'), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]storedKey
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	return keys
}

// furnish leaves one of everything.
func furnish(t *testing.T, s *storage.Redis) {
	t.Helper()
	first := delivery("open")
	first.Thread, first.Also = "1763715600.000100", []string{"Ev1"}
	if r, err := s.Deliver(t.Context(), first); err != nil || r.Reception != engine.Stored {
		t.Fatalf("Deliver = %q, %v", r.Reception, err)
	}
	bad := delivery("bad")
	if r, err := s.Deliver(t.Context(), bad); err != nil || r.Reception != engine.Stored {
		t.Fatalf("Deliver = %q, %v", r.Reception, err)
	}
	h := claim(t, s)
	commit(t, s, h, engine.Commit{
		State: []byte("state"), Consumed: []string{"open"}, Park: []string{"bad"}, ParkReason: "unreadable",
		Append:  [][]byte{[]byte("entry 0"), []byte("entry 1")},
		Enqueue: []engine.OutboxEntry{{Key: "d1/k0", Body: []byte("first\neffect")}, {Key: "d1/k1", Body: []byte("second")}},
		Attempt: true,
	})
	second := delivery("second")
	if r, err := s.Deliver(t.Context(), second); err != nil || r.Reception != engine.Stored {
		t.Fatalf("Deliver = %q, %v", r.Reception, err)
	}
	commit(t, s, h, engine.Commit{Mode: engine.ModeYield})
	write := engine.ItemWrite{Key: "d1/enrich", Result: []byte("result"), Files: map[string][]byte{"notes.md": []byte("# Notes\n")}, Meta: []byte(`{"x":1}`)}
	if err := s.WriteItem(t.Context(), engine.ItemRef{Team: ref.Team, Channel: ref.Channel, Slug: "ledgers"}, write); err != nil {
		t.Fatal(err)
	}
}

// findFurniture wants all of it back.
func findFurniture(t *testing.T, s *storage.Redis) {
	t.Helper()
	equal := func(what string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	due, err := s.Due(t.Context(), 10)
	equal("due", due, []engine.Ref{ref})
	found, ok, aliasErr := s.FindThread(t.Context(), ref.Team, ref.Channel, "1763715600.000100")
	equal("thread", found, ref)
	listed, listErr := s.List(t.Context(), ref.Team, ref.Channel, 10)
	equal("listed", listed, []engine.Listed{{Ref: ref, State: []byte("state")}})
	letters, letterErr := s.DeadLetters(t.Context(), 10)
	if err := errors.Join(err, aliasErr, listErr, letterErr); err != nil || !ok || len(letters) != 1 {
		t.Fatalf("found %t, letters %+v: %v", ok, letters, err)
	}
	equal("letter", []any{letters[0].Ref, letters[0].Mail, letters[0].Reason}, []any{ref, engine.Mail{ID: "bad", Body: []byte("b")}, "unreadable"})
	item, err := s.ReadItem(t.Context(), engine.ItemRef{Team: ref.Team, Channel: ref.Channel, Slug: "ledgers"})
	if err != nil {
		t.Fatal(err)
	}
	equal("item", item, engine.Item{Version: item.Version, Files: map[string][]byte{"notes.md": []byte("# Notes\n")}, Meta: []byte(`{"x":1}`), Applied: map[string][]byte{"d1/enrich": []byte("result")}})
	for _, id := range []string{"open", "bad", "second", "Ev1"} {
		if r, err := s.Deliver(t.Context(), delivery(id)); err != nil || r.Reception != engine.Duplicate {
			t.Errorf("%s was seen before: Deliver = %q, %v (I2)", id, r.Reception, err)
		}
	}

	h := claim(t, s)
	equal("state", string(h.State), "state")
	equal("log", h.Log, [][]byte{[]byte("entry 0"), []byte("entry 1")})
	equal("mail", h.Mail, []engine.Mail{{ID: "second", Body: []byte("b")}})
	equal("outbox", h.Outbox, []engine.OutboxEntry{{Key: "d1/k0", Body: []byte("first\neffect")}, {Key: "d1/k1", Body: []byte("second")}})
	if h.Attempts != 1 || h.Attempted.IsZero() || h.Crashes != 0 {
		t.Errorf("attempted %v, %d times, %d crashes", h.Attempted, h.Attempts, h.Crashes)
	}
	done := commit(t, s, h, engine.Commit{Consumed: []string{"second"}, Done: 2, Mode: engine.ModeClose, Retention: time.Hour})
	if !done.Released {
		t.Error("it cannot be closed")
	}
}

// dump reads every key of a server.
func dump(t *testing.T, s *storagetest.Server) map[string]storedKey {
	t.Helper()
	c := s.Client(t)
	defer func() { _ = c.Close() }()
	keys := make(map[string]storedKey)
	for _, name := range c.Keys(t.Context(), "*").Val() {
		var k storedKey
		switch kind := c.Type(t.Context(), name).Val(); kind {
		case "string":
			k.String = c.Get(t.Context(), name).Val()
		case "hash":
			k.Hash = c.HGetAll(t.Context(), name).Val()
		case "set":
			k.Set = c.SMembers(t.Context(), name).Val()
		case "zset":
			k.Sorted = make(map[string]float64)
			for _, z := range c.ZRangeWithScores(t.Context(), name, 0, -1).Val() {
				k.Sorted[z.Member.(string)] = z.Score
			}
		case "stream":
			for _, m := range c.XRange(t.Context(), name, "-", "+").Val() {
				fields := make(map[string]string)
				for field, value := range m.Values {
					fields[field] = value.(string)
				}
				k.Stream = append(k.Stream, fields)
			}
		default:
			t.Fatalf("%s is a %s", name, kind)
		}
		keys[name] = k
	}
	return keys
}

// load writes keys as they stood.
func load(t *testing.T, s *storagetest.Server, keys map[string]storedKey) {
	t.Helper()
	c := s.Client(t)
	defer func() { _ = c.Close() }()
	var errs []error
	for name, k := range keys {
		switch {
		case k.Hash != nil:
			errs = append(errs, c.HSet(t.Context(), name, k.Hash).Err())
		case k.Set != nil:
			errs = append(errs, c.SAdd(t.Context(), name, k.Set).Err())
		case k.Sorted != nil:
			for member, score := range k.Sorted {
				errs = append(errs, c.ZAdd(t.Context(), name, redis.Z{Member: member, Score: score}).Err())
			}
		case k.Stream != nil:
			for _, fields := range k.Stream {
				errs = append(errs, c.XAdd(t.Context(), &redis.XAddArgs{Stream: name, Values: fields}).Err())
			}
		default:
			errs = append(errs, c.Set(t.Context(), name, k.String, 0).Err())
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}
