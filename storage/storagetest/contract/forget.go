package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
)

// farewells are those of the store under test.
func (b *bench) farewells() engine.Farewells {
	b.Helper()
	switch s := b.Store.(type) {
	case engine.Farewells:
		return s
	case *storage.Redis:
		return storage.Farewells{Documents: s, Threads: s}
	default:
		b.Fatalf("%T cannot forget", s)
		return nil
	}
}

func act(id string, kind thread.AuditKind) engine.Act {
	return engine.Act{ID: id, Team: "T1", Channel: "C1", Thread: "d1", Item: "0a1b2c", Audit: thread.Audit{Kind: kind, By: "U1", Detail: thread.DetailItem, Number: 10}}
}

// recorded are the ids of the lines that a query finds.
func (b *bench) recorded(q engine.ActQuery) (ids []string) {
	b.Helper()
	err := b.Store.ReadActs(b.ctx, q, func(a engine.Act) error {
		ids = append(ids, a.ID)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return ids
}

func acts(b *bench) {
	h := b.held(place)
	stale := *h
	b.commit(h, engine.Commit{Acts: []engine.Act{act("a1", thread.AuditOpened), act("a2", thread.AuditChose)}})
	if _, err := b.Store.Commit(b.ctx, &stale, engine.Commit{Acts: []engine.Act{act("lost", thread.AuditClosed)}}); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("a commit with an old token: %v, want ErrFenced", err)
	}
	if _, err := b.Store.Commit(b.ctx, h, engine.Commit{Done: 1, Acts: []engine.Act{act("refused", thread.AuditClosed)}}); err == nil {
		b.Fatal("an impossible commit was applied")
	}
	b.commit(h, engine.Commit{Acts: []engine.Act{act("a2", thread.AuditChose), act("a3", thread.AuditClosed)}}) // a2 once more, as after a torn write
	if err := b.Store.NoteAct(b.ctx, act("a4", thread.AuditExported)); err != nil {
		b.Fatal(err)
	}
	b.equal("recorded", b.recorded(engine.ActQuery{}), []string{"a1", "a2", "a3", "a4"})
	var got []engine.Act
	if err := b.Store.ReadActs(b.ctx, engine.ActQuery{}, func(a engine.Act) error { got = append(got, a); return nil }); err != nil {
		b.Fatal(err)
	}
	want := act("a1", thread.AuditOpened)
	if want.At = got[0].At; want.At.IsZero() || want.At.After(h.Now.Add(time.Minute)) {
		b.Fatalf("recorded at %v, want the store's time, about %v", got[0].At, h.Now)
	}
	b.equal("a line", got[0], want)
}

func actsAsked(b *bench) {
	note := func(id, channel string) {
		a := act(id, thread.AuditExported)
		a.Channel = channel
		if err := b.Store.NoteAct(b.ctx, a); err != nil {
			b.Fatal(err)
		}
	}
	at := func(id string) (at time.Time) {
		if err := b.Store.ReadActs(b.ctx, engine.ActQuery{}, func(a engine.Act) error {
			if a.ID == id {
				at = a.At
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
		return at
	}
	for _, id := range []string{"a1", "a2", "a3"} { // of channels of different shards, in the order of their times
		note(id, "C"+id)
		b.Pass(50 * time.Millisecond)
	}
	b.equal("all", b.recorded(engine.ActQuery{}), []string{"a1", "a2", "a3"})
	b.equal("since", b.recorded(engine.ActQuery{Since: at("a2")}), []string{"a2", "a3"})
	b.equal("until", b.recorded(engine.ActQuery{Until: at("a2")}), []string{"a1", "a2"})
	b.equal("of a channel", b.recorded(engine.ActQuery{Channel: "Ca2"}), []string{"a2"})
}

var ledgers = engine.Farewell{Key: "F1", Team: "T1", Channel: "C1", Item: "ledgers"}

// ended makes an item that came from two discussions which have ended.
func (b *bench) ended() engine.ItemRef {
	b.Helper()
	item := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "ledgers"}
	for i, ref := range []engine.Ref{place, {Team: "T1", Channel: "C1", ID: "d2"}} {
		h := b.held(ref)
		b.commit(h, engine.Commit{State: []byte("state of " + ref.ID), Append: [][]byte{[]byte("a")}, Consumed: []string{"first"}, Alias: "1." + ref.ID, Mode: engine.ModeRelease, Wake: h.Now.Add(time.Hour)})
		w := engine.ItemWrite{Version: int64(i), Key: ref.ID, Result: []byte("[]"), Files: map[string][]byte{"notes.md": []byte("of " + ref.ID)}, Opener: "U" + ref.ID}
		if err := b.Store.WriteItem(b.ctx, item, w); err != nil {
			b.Fatal(err)
		}
	}
	return item
}

// seen is what can be seen of an item and the discussions that it came from.
func (b *bench) seen(item engine.ItemRef) (all []string) {
	b.Helper()
	slugs, err := b.Store.ListItems(b.ctx, item.Team, item.Channel)
	if err != nil {
		b.Fatal(err)
	}
	all = append(all, slugs...)
	listed, err := b.Store.List(b.ctx, item.Team, item.Channel, 10)
	if err != nil {
		b.Fatal(err)
	}
	open, err := b.Store.ListOpen(b.ctx, 10)
	if err != nil {
		b.Fatal(err)
	}
	for _, l := range append(listed, open...) {
		all = append(all, l.Ref.ID+": "+string(l.State))
	}
	for _, id := range []string{"d1", "d2"} {
		state, log, err := b.Store.Read(b.ctx, engine.Ref{Team: item.Team, Channel: item.Channel, ID: id})
		switch {
		case errors.Is(err, engine.ErrNotFound):
		case err != nil:
			b.Fatal(err)
		default:
			all = append(all, string(state)+string(log[0]))
		}
	}
	slices.Sort(all)
	return all
}

func (b *bench) hide(f engine.Farewell, want engine.Hidden) {
	b.Helper()
	for range 2 { // the second time it was done before
		got, err := b.farewells().Hide(b.ctx, f)
		if err != nil {
			b.Fatalf("Hide(%+v): %v", f, err)
		}
		b.equal("hidden", got, want)
	}
}

func farewells(b *bench) {
	item := b.ended()
	before, was := b.seen(item), b.item(item)
	b.equal("openers", was.Openers, []string{"Ud1", "Ud2"})
	b.hide(ledgers, engine.Hidden{Documents: 1, Discussions: 2})
	b.equal("out of sight", b.seen(item), []string(nil))
	if got := b.item(item); !got.Hidden {
		b.Fatalf("ReadItem = %+v, want it hidden", got)
	}
	if _, _, err := b.Store.Read(b.ctx, place); !errors.Is(err, engine.ErrForgotten) {
		b.Fatalf("Read = %v, want ErrForgotten", err)
	}
	b.deliver(place, "late", engine.Closed)
	other := ledgers
	other.Key = "F2"
	if _, err := b.farewells().Hide(b.ctx, other); !errors.Is(err, engine.ErrNotFound) {
		b.Fatalf("another forgetting: %v, want ErrNotFound", err)
	}
	if err := b.farewells().Restore(b.ctx, other); err != nil {
		b.Fatal(err)
	}
	b.equal("out of sight still", b.seen(item), []string(nil))
	for range 2 {
		if err := b.farewells().Restore(b.ctx, ledgers); err != nil {
			b.Fatal(err)
		}
	}
	b.equal("back", b.seen(item), before)
	b.equal("as it was", b.item(item), was)
	b.deliver(place, "later", engine.Stored)
}

func removals(b *bench) {
	item := b.ended()
	h := b.held(engine.Ref{Team: "T1", Channel: "C1", ID: "d3"})
	b.commit(h, engine.Commit{State: []byte("state of d3"), Append: [][]byte{[]byte("a")}, Consumed: []string{"first"}, Mode: engine.ModeRelease})
	single := engine.Farewell{Key: "F3", Team: "T1", Channel: "C1", Discussion: "d2"}
	b.hide(single, engine.Hidden{Discussions: 1})
	b.hide(ledgers, engine.Hidden{Documents: 1, Discussions: 1}) // the other has it
	for range 2 {
		if back, err := b.farewells().Remove(b.ctx, ledgers); back || err != nil {
			b.Fatalf("Remove = %v, %v", back, err)
		}
	}
	if err := b.farewells().Restore(b.ctx, single); err != nil {
		b.Fatal(err)
	}
	b.equal("what is left", b.seen(item), []string{"d2: state of d2", "d2: state of d2", "d3: state of d3", "d3: state of d3", "state of d2a"})
	if got := b.item(item); got.Version != 0 {
		b.Fatalf("ReadItem = %+v, want nothing", got)
	}
	b.hide(single, engine.Hidden{Discussions: 1})
	if back, err := b.farewells().Remove(b.ctx, single); back || err != nil {
		b.Fatalf("Remove = %v, %v", back, err)
	}
	b.equal("in the end", b.seen(item), []string{"d3: state of d3", "d3: state of d3"})
	if _, err := b.farewells().Hide(b.ctx, ledgers); !errors.Is(err, engine.ErrNotFound) {
		b.Fatalf("hiding what is gone: %v, want ErrNotFound", err)
	}
}

// takenBack takes one discussion of an item back that somebody forgot by itself, and then has
// the item's time be over.
func takenBack(b *bench) {
	item := b.ended()
	single := engine.Farewell{Key: "F3", Team: "T1", Channel: "C1", Discussion: "d2"}
	b.hide(single, engine.Hidden{Discussions: 1})
	b.hide(ledgers, engine.Hidden{Documents: 1, Discussions: 1})
	if err := b.farewells().Restore(b.ctx, single); err != nil {
		b.Fatal(err)
	}
	if back, err := b.farewells().Remove(b.ctx, ledgers); back || err != nil {
		b.Fatalf("Remove = %v, %v", back, err)
	}
	b.equal("what is left", b.seen(item), []string{"d2: state of d2", "d2: state of d2", "state of d2a"})
}

func busyFarewells(b *bench) {
	item := b.ended()
	before := b.seen(item)
	b.deliver(engine.Ref{Team: "T1", Channel: "C1", ID: "d2"}, "more", engine.Stored)
	if _, err := b.farewells().Hide(b.ctx, ledgers); !errors.Is(err, engine.ErrBusy) {
		b.Fatalf("Hide = %v, want ErrBusy", err)
	}
	if err := b.farewells().Restore(b.ctx, ledgers); err != nil { // what was hidden by then
		b.Fatal(err)
	}
	got := b.seen(item)
	b.equal("everything is there", len(got), len(before))
}

// busyRemovals has the time of an item be over while a replica works on one of its
// discussions, because of a timer. While it does, nothing is removed and the replica may write,
// which brings everything back. Where it writes nothing, everything goes once it has let go.
func busyRemovals(b *bench) {
	item, ref := b.ended(), engine.Ref{Team: "T1", Channel: "C1", ID: "d2"}
	var h *engine.Claim
	for _, ref := range []engine.Ref{place, ref} {
		b.deliver(ref, "more", engine.Stored)
		h = b.claim(ref)
		b.commit(h, engine.Commit{Consumed: []string{"more"}, Mode: engine.ModeRelease, Wake: h.Now})
	}
	before := len(b.seen(item))
	// woken hides everything, and has a replica work on d2 when the time is over.
	woken := func() {
		b.Helper()
		b.hide(ledgers, engine.Hidden{Documents: 1, Discussions: 2})
		h = b.claim(ref)
		for range 2 {
			if _, err := b.farewells().Remove(b.ctx, ledgers); !errors.Is(err, engine.ErrBusy) {
				b.Fatalf("Remove = %v, want ErrBusy", err)
			}
			b.equal("due meanwhile", b.due(), []string{"d1"})
		}
	}
	// rests lets go of d2 for a while, and wants the item removed or brought back.
	rests := func(wantBack bool) {
		b.Helper()
		b.commit(h, engine.Commit{Mode: engine.ModeRelease, Wake: h.Now})
		if back, err := b.farewells().Remove(b.ctx, ledgers); back != wantBack || err != nil {
			b.Fatalf("Remove = %v, %v, want back %v", back, err, wantBack)
		}
	}

	woken()
	w := engine.ItemWrite{Version: b.item(item).Version, Key: "d2/more", Files: map[string][]byte{"notes.md": []byte("more")}}
	if err := b.Store.WriteItem(b.ctx, item, w); err != nil {
		b.Fatalf("the replica that works on d2 writes: %v", err)
	}
	rests(true)
	b.equal("everything is there", len(b.seen(item)), before)
	b.equal("due", b.due(), []string{"d1", "d2"})

	woken()
	rests(false)
	b.equal("what is left", b.seen(item), []string(nil))
}

func revivals(b *bench) {
	item := b.ended()
	before := len(b.seen(item))
	b.hide(ledgers, engine.Hidden{Documents: 1, Discussions: 2})
	w := engine.ItemWrite{Version: b.item(item).Version, Key: "d3", Files: map[string][]byte{"more.md": nil}}
	if err := b.Store.WriteItem(b.ctx, item, w); err != nil {
		b.Fatal(err)
	}
	if back, err := b.farewells().Remove(b.ctx, ledgers); !back || err != nil {
		b.Fatalf("Remove = %v, %v, want it back", back, err)
	}
	b.equal("everything is there", len(b.seen(item)), before)
	if got := b.item(item); got.Hidden || len(got.Files) != 2 {
		b.Fatalf("ReadItem = %+v, want it back with what was written", got)
	}
}

func (b *bench) item(ref engine.ItemRef) engine.Item {
	b.Helper()
	item, err := b.Store.ReadItem(b.ctx, ref)
	if err != nil {
		b.Fatal(err)
	}
	return item
}

// Documents are items that can be forgotten.
type Documents interface {
	storage.Documents
	engine.Items
}

// RunRemoval writes into an item at every moment of its removal: what is written brings
// back the item whole, with its discussions, or waits until it is gone, with all of them
// (FR-110). Open returns new empty stores of documents and of discussions each time.
func RunRemoval(t *testing.T, open func(t *testing.T) (Documents, *storage.Redis)) {
	t.Helper()
	t.Run("an item that is sealed already", func(t *testing.T) { unsealed(t, open) })
	item := engine.ItemRef{Team: ledgers.Team, Channel: ledgers.Channel, Slug: ledgers.Item}
	for read := 1; ; read++ {
		calls := 0
		for write := read; write == read || write <= calls+1; write++ {
			documents, threads := open(t)
			source := discussed(t, threads)
			notes := engine.ItemWrite{Key: source.ID, Files: map[string][]byte{"notes.md": []byte("n")}}
			if err := documents.WriteItem(t.Context(), item, notes); err != nil {
				t.Fatal(err)
			}
			if _, err := (storage.Farewells{Documents: documents, Threads: threads}).Hide(t.Context(), ledgers); err != nil {
				t.Fatal(err)
			}
			w := &writer{Documents: documents, t: t, item: item, read: read, write: write}
			back, err := storage.Farewells{Documents: w, Threads: threads}.Remove(t.Context(), ledgers)
			if err != nil {
				t.Fatalf("read before call %d, written before call %d: Remove: %v", read, write, err)
			}
			calls = w.calls
			w.moment(calls + 1)
			left, err := documents.ReadItem(t.Context(), item)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = threads.Read(t.Context(), source)
			got := fmt.Sprintf("back %v, notes %v, discussion %v", back, left.Files["notes.md"] != nil, err == nil)
			want := "back false, notes false, discussion false"
			if back {
				want = "back true, notes true, discussion true"
			}
			if written := left.Files["more.md"] != nil; got != want || left.Hidden || written != w.written || back && !written {
				t.Errorf("read before call %d, written (%v) before call %d of %d: %s, want %s; %+v", read, w.written, write, calls, got, want, left)
			}
		}
		if read > calls {
			return
		}
	}
}

// unsealed has a replica work on a discussion of an item that an earlier removal sealed: it may
// write.
func unsealed(t *testing.T, open func(t *testing.T) (Documents, *storage.Redis)) {
	documents, threads := open(t)
	item, source := engine.ItemRef{Team: ledgers.Team, Channel: ledgers.Channel, Slug: ledgers.Item}, discussed(t, threads)
	farewells := storage.Farewells{Documents: documents, Threads: threads}
	if err := documents.WriteItem(t.Context(), item, engine.ItemWrite{Key: source.ID, Files: map[string][]byte{"notes.md": []byte("n")}}); err != nil {
		t.Fatal(err)
	}
	if _, err := farewells.Hide(t.Context(), ledgers); err != nil {
		t.Fatal(err)
	}
	if back, err := documents.SealItem(t.Context(), item, ledgers.Key); back || err != nil {
		t.Fatalf("SealItem = %v, %v", back, err)
	}
	if h, err := threads.Claim(t.Context(), source, engine.Claimant{Owner: "one"}); err != nil || h == nil {
		t.Fatalf("Claim = %v, %v", h, err)
	}
	if _, err := farewells.Remove(t.Context(), ledgers); !errors.Is(err, engine.ErrBusy) {
		t.Fatalf("Remove = %v, want ErrBusy", err)
	}
	left, err := documents.ReadItem(t.Context(), item)
	if err != nil {
		t.Fatal(err)
	}
	if err := documents.WriteItem(t.Context(), item, engine.ItemWrite{Version: left.Version, Key: "d1/2", Files: map[string][]byte{"more.md": []byte("m")}}); err != nil {
		t.Errorf("the replica that works on the discussion writes: %v", err)
	}
}

// discussed makes a discussion that has ended, and that has a timer.
func discussed(t *testing.T, threads *storage.Redis) engine.Ref {
	t.Helper()
	ref := engine.Ref{Team: ledgers.Team, Channel: ledgers.Channel, ID: "d1"}
	got, err := threads.Deliver(t.Context(), engine.Delivery{Ref: ref, Mail: input("open"), Opens: true, Claim: &engine.Claimant{Owner: "one"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := threads.Commit(t.Context(), got.Claim, engine.Commit{State: []byte("s"), Consumed: []string{"open"}, Mode: engine.ModeRelease, Wake: got.Claim.Now}); err != nil {
		t.Fatal(err)
	}
	return ref
}

// writer is somebody who reads an item before one call to a store of documents and writes
// before another.
type writer struct {
	Documents
	t           *testing.T
	item        engine.ItemRef
	read, write int
	calls       int
	version     int64
	written     bool
}

func (w *writer) moment(call int) {
	w.t.Helper()
	if call == w.read {
		item, err := w.Documents.ReadItem(w.t.Context(), w.item)
		if err != nil {
			w.t.Fatal(err)
		}
		w.version = item.Version
	}
	if call == w.write {
		err := w.WriteItem(w.t.Context(), w.item, engine.ItemWrite{Version: w.version, Key: "d9", Files: map[string][]byte{"more.md": []byte("m")}})
		if err != nil && !errors.Is(err, engine.ErrConflict) {
			w.t.Fatal(err)
		}
		w.written = err == nil
	}
}

func (w *writer) next() {
	w.calls++
	w.moment(w.calls)
}

func (w *writer) ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error) {
	w.next()
	return w.Documents.ReadItem(ctx, ref)
}

func (w *writer) SealItem(ctx context.Context, ref engine.ItemRef, key string) (bool, error) {
	w.next()
	return w.Documents.SealItem(ctx, ref, key)
}

func (w *writer) RestoreItem(ctx context.Context, ref engine.ItemRef, key string) error {
	w.next()
	return w.Documents.RestoreItem(ctx, ref, key)
}

func (w *writer) RemoveItem(ctx context.Context, ref engine.ItemRef, key string) error {
	w.next()
	return w.Documents.RemoveItem(ctx, ref, key)
}
