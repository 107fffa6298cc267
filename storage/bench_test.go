package storage_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// turn is a human turn with one reply: delivered and claimed, answered and marked
// as attempted, posted and let go.
func turn(ctx context.Context, s engine.Store, ref engine.Ref, n int, state []byte) error {
	id := fmt.Sprintf("said:%d", n)
	got, err := s.Deliver(ctx, engine.Delivery{
		Ref: ref, Mail: engine.Mail{ID: id, Body: state[:200]}, Opens: true, Claim: &engine.Claimant{Owner: "one", LogFrom: 2 * n}})
	if err != nil {
		return err
	}
	done, err := s.Commit(ctx, got.Claim, engine.Commit{
		State: state, Consumed: []string{id}, Append: [][]byte{state[:200], state[:300]},
		Enqueue: []engine.OutboxEntry{{Key: "k" + id, Body: state[:400]}}, Attempt: true})
	if err != nil {
		return err
	}
	got.Claim.Token = done.Token
	_, err = s.Commit(ctx, got.Claim, engine.Commit{State: state, Done: 1, Mode: engine.ModeRelease})
	return err
}

// tripsPerTurn is the budget of NFR-104.
const tripsPerTurn = 4

func TestTurnKeepsItsBudgetOfRoundTrips(t *testing.T) {
	t.Parallel()
	client := storagetest.Redis(t).Client(t)
	defer func() { _ = client.Close() }()
	var trips storagetest.Trips
	client.AddHook(&trips)
	store, err := storage.Open(t.Context(), storage.Options{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	state := bytes.Repeat([]byte("s"), 2500)
	for n := range 3 { // the first teaches the server its scripts
		before := trips.Count()
		if err := turn(t.Context(), store, ref, n, state); err != nil {
			t.Fatal(err)
		}
		if got := trips.Count() - before; n > 0 && got > tripsPerTurn {
			t.Fatalf("a turn takes %d round trips, want at most %d", got, tripsPerTurn)
		}
	}
}

// BenchmarkTurn measures one client's human turns with one reply on a real server,
// and counts their round trips. Discussions change every hundred turns.
func BenchmarkTurn(b *testing.B) {
	client := storagetest.Redis(b).Client(b)
	defer func() { _ = client.Close() }()
	var trips storagetest.Trips
	client.AddHook(&trips)
	store, err := storage.Open(b.Context(), storage.Options{Client: client, PaceRate: 1000, PaceBurst: 1000})
	if err != nil {
		b.Fatal(err)
	}
	state, n := bytes.Repeat([]byte("s"), 2500), 0
	for b.Loop() {
		at := engine.Ref{Team: "T", Channel: "C", ID: fmt.Sprintf("d%d", n/100)}
		if err := turn(b.Context(), store, at, n%100, state); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(trips.Count())/float64(n), "trips/turn")
}
