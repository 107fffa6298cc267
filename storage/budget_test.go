package storage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
	"github.com/roundtable-chat/app/storage/storagetest/contract"
)

func TestLedgerContract(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, server func(t *testing.T) *storagetest.Server) {
		contract.RunLedger(t, func(t *testing.T) (contract.Ledger, func(time.Duration)) {
			s := server(t)
			return storagetest.Open(t, s, storage.Options{Prefix: "t" + t.Name()}), s.Pass
		})
	}
	storagetest.EachServer(t, func(t *testing.T, s *storagetest.Server) {
		run(t, func(t *testing.T) *storagetest.Server {
			if s.Real {
				return s
			}
			return storagetest.Mini(t) // its clock is moved, so nobody else may share it
		})
	})
	t.Run("cluster", func(t *testing.T) {
		t.Parallel()
		s := storagetest.Cluster(t)
		run(t, func(*testing.T) *storagetest.Server { return s })
	})
}

// TestLedgerForgets: nothing is kept for ever but the deployment's own account.
func TestLedgerForgets(t *testing.T) {
	t.Parallel()
	server := storagetest.Mini(t)
	store := storagetest.Open(t, server, storage.Options{})
	client := server.Client(t)
	defer func() { _ = client.Close() }()
	reserve := func(n int) {
		t.Helper()
		c := thread.Charge{ID: fmt.Sprint(n), Discussion: fmt.Sprintf("D%d", n), At: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n), For: time.Minute}
		if over, err := store.Reserve(t.Context(), c); err != nil || over != nil {
			t.Fatalf("Reserve = %v, %v", over, err)
		}
		if _, err := store.Settle(t.Context(), c, thread.Spend{Tokens: 1}); err != nil {
			t.Fatal(err)
		}
	}
	fields := func() int64 { return client.HLen(t.Context(), "{rt1:budget}:acc").Val() }
	for n := range 5 {
		reserve(n)
	}
	if got := fields(); got != 11 {
		t.Fatalf("%d accounts, want one for all and two for each of five days", got)
	}
	server.Pass(41 * 24 * time.Hour)
	reserve(5)
	if got := fields(); got != 8 {
		t.Errorf("%d accounts after 41 days, want all, six discussions and a day", got)
	}
	server.Pass(181 * 24 * time.Hour)
	reserve(6)
	if got := fields(); got != 3 {
		t.Errorf("%d accounts after half a year, want three", got)
	}
	if n := client.ZCard(t.Context(), "{rt1:budget}:open").Val(); n != 0 {
		t.Errorf("%d charges are open, want none", n)
	}
}

func TestLedgerRefuses(t *testing.T) {
	t.Parallel()
	store := storagetest.Open(t, storagetest.Mini(t), storage.Options{})
	for name, c := range map[string]thread.Charge{
		"no id":           {For: time.Minute},
		"a discussion's":  {ID: "a", Discussion: "D 1", For: time.Minute},
		"less than none":  {ID: "a", Hold: thread.Spend{Tokens: -1}, For: time.Minute},
		"without its end": {ID: "a"},
	} {
		if over, err := store.Reserve(t.Context(), c); err == nil {
			t.Errorf("%s: Reserve = %v, want an error", name, over)
		}
	}
}

// TestTornCharges cuts every change of the budgets after each of its writes, as a
// torn append-only file does, and wants what remains to be the state before or after
// it, and to lead to the state after when the change is made again.
func TestTornCharges(t *testing.T) {
	t.Parallel()
	recorder, server := storagetest.Redis(t, "--appendonly", "yes", "--appendfsync", "no"), storagetest.Redis(t)
	live, store := storagetest.Open(t, recorder, storage.Options{}), storagetest.Open(t, server, storage.Options{})
	client := server.Client(t)
	defer func() { _ = client.Close() }()

	charge := func(id string, lasts time.Duration) thread.Charge {
		return thread.Charge{ID: id, Discussion: "D1", At: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), For: lasts, Hold: thread.Spend{Tokens: 100, Micros: 7}}
	}
	short, first, second := charge("short", time.Millisecond), charge("first", time.Hour), charge("second", time.Hour)
	reserve := func(s *storage.Redis, c thread.Charge) {
		if over, err := s.Reserve(t.Context(), c); err != nil || over != nil {
			t.Fatalf("Reserve(%s) = %v, %v", c.ID, over, err)
		}
	}
	settle := func(s *storage.Redis, c thread.Charge) {
		if _, err := s.Settle(t.Context(), c, thread.Spend{Tokens: 30, Micros: 2}); err != nil {
			t.Fatalf("Settle(%s): %v", c.ID, err)
		}
	}
	look := func() string {
		budgets, err := store.Budgets(t.Context(), first)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(budgets)
	}
	cuts := 0
	for _, change := range []struct {
		name string
		make func(*storage.Redis)
	}{
		{"first reserve", func(s *storage.Redis) { reserve(s, first) }},
		{"settle", func(s *storage.Redis) { settle(s, first) }},
		{"reserve and be gone", func(s *storage.Redis) { reserve(s, short) }},
		{"reserve after somebody who is gone", func(s *storage.Redis) {
			server.Pass(5 * time.Millisecond)
			reserve(s, second)
		}},
		{"settle the second", func(s *storage.Redis) { settle(s, second) }},
	} {
		before := appendOnly(t, recorder)
		change.make(live)
		after := appendOnly(t, recorder)
		writes := after[len(before)]
		restore(t, client, before, nil)
		from := look()
		restore(t, client, before, writes)
		to := look()
		for cut := range writes {
			restore(t, client, before, writes[:cut])
			// That somebody is gone is noticed on the way, by a change of its own.
			if got := look(); got != from && got != to && change.name != "reserve after somebody who is gone" {
				t.Errorf("%s, cut after %d of %d writes: neither before nor after:\n%s", change.name, cut, len(writes), got)
			}
			change.make(store)
			if got := look(); got != to {
				t.Errorf("%s, cut after %d of %d writes and made again:\n%s\nwant\n%s", change.name, cut, len(writes), got, to)
			}
			cuts++
		}
	}
	if cuts < 12 {
		t.Errorf("%d cuts, want more", cuts)
	}
}

// BenchmarkCharge is what a call to a model costs the store.
func BenchmarkCharge(b *testing.B) {
	store := storagetest.Open(b, storagetest.Redis(b), storage.Options{})
	for i := range b.N {
		c := thread.Charge{ID: fmt.Sprint(i), Discussion: "D1", At: time.Now(), For: time.Minute, Hold: thread.Spend{Tokens: 100}, Limits: thread.Limits{Day: thread.Spend{Tokens: 1 << 50}}}
		if over, err := store.Reserve(b.Context(), c); err != nil || over != nil {
			b.Fatal(over, err)
		}
		if _, err := store.Settle(b.Context(), c, thread.Spend{Tokens: 30}); err != nil {
			b.Fatal(err)
		}
	}
}
