package contract

import (
	"errors"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

func threads(b *bench) {
	find := func(thread, want string) {
		b.Helper()
		ref, ok, err := b.Store.FindThread(b.ctx, "T1", "C1", thread)
		if err != nil || ok != (want != "") || ref.ID != want {
			b.Fatalf("FindThread(%s) = %v, %v, %v, want %q", thread, ref, ok, err, want)
		}
	}
	find("1.1", "")
	if _, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input("a"), Opens: true, Thread: "1.1"}); err != nil {
		b.Fatal(err)
	}
	find("1.1", "d1")
	other := engine.Ref{Team: "T1", Channel: "C1", ID: "d2"}
	h := b.held(other)
	b.commit(h, engine.Commit{Alias: "2.2"})
	find("2.2", "d2")
	if _, ok, err := b.Store.FindThread(b.ctx, "T1", "C2", "1.1"); ok || err != nil {
		b.Fatalf("found in another channel: %v, %v", ok, err)
	}
}

// occupiedThreads opens discussions in a thread that one has already, as two people do
// who ask at the same moment, and neither finds a discussion there.
func occupiedThreads(b *bench) {
	at := func(id string) engine.Ref { return engine.Ref{Team: "T1", Channel: "C1", ID: id} }
	open := func(id, mail string, want engine.Reception) {
		b.Helper()
		d := engine.Delivery{Ref: at(id), Mail: input(mail), Opens: true, Thread: "1.1"}
		delivered, err := b.Store.Deliver(b.ctx, d)
		got := delivered.Reception
		if err != nil || got != want {
			b.Fatalf("opening %s: %q, %v, want %q", id, got, err, want)
		}
	}
	holds := func(want string) {
		b.Helper()
		ref, ok, err := b.Store.FindThread(b.ctx, "T1", "C1", "1.1")
		if err != nil || !ok || ref.ID != want {
			b.Fatalf("the thread is of %v, %v, %v, want %q", ref, ok, err, want)
		}
	}
	open("d1", "a", engine.Stored)
	open("d2", "b", engine.Taken) // while nobody has looked at the first
	holds("d1")
	b.equal("due", b.due(), []string{"d1"})
	if _, _, err := b.Store.Read(b.ctx, at("d2")); !errors.Is(err, engine.ErrNotFound) {
		b.Fatalf("what was refused is there: %v", err)
	}
	open("d1", "a", engine.Duplicate)
	open("d1", "c", engine.Stored)

	h := b.claim(at("d1"))
	b.commit(h, engine.Commit{State: []byte("s"), Append: [][]byte{[]byte("a")}, Consumed: []string{"a", "c"}, Mode: engine.ModeRelease})
	open("d2", "b", engine.Taken)
	single := engine.Farewell{Key: "F1", Team: "T1", Channel: "C1", Discussion: "d1"}
	b.hide(single, engine.Hidden{Discussions: 1})
	open("d2", "b", engine.Taken) // the first may come back
	if err := b.farewells().Restore(b.ctx, single); err != nil {
		b.Fatal(err)
	}
	b.deliver(at("d1"), "d", engine.Stored)
	b.commit(b.claim(at("d1")), engine.Commit{Consumed: []string{"d"}, Mode: engine.ModeClose})
	b.hide(single, engine.Hidden{Discussions: 1})
	open("d2", "b", engine.Stored) // nobody goes on with what is closed
	holds("d2")
	if back, err := b.farewells().Remove(b.ctx, single); back || err != nil {
		b.Fatalf("Remove = %v, %v", back, err)
	}
	holds("d2") // what goes leaves another's thread alone
	open("d3", "e", engine.Taken)
}

// occupiedRoots commits roots at which another discussion was opened meanwhile, as somebody
// does who asks for one below an introduction that stands, before the store knows of it.
func occupiedRoots(b *bench) {
	at := func(id string) engine.Ref { return engine.Ref{Team: "T1", Channel: "C1", ID: id} }
	holds := func(want string) {
		b.Helper()
		ref, ok, err := b.Store.FindThread(b.ctx, "T1", "C1", "1.1")
		if err != nil || !ok || ref.ID != want {
			b.Fatalf("the thread is of %v, %v, %v, want %q", ref, ok, err, want)
		}
	}
	root := func(h *engine.Claim, c engine.Commit, occupied bool) {
		b.Helper()
		c.Alias = "1.1"
		if done := b.commit(h, c); done.Occupied != occupied {
			b.Fatalf("occupied %v, want %v", done.Occupied, occupied)
		}
	}
	one := b.held(at("d1"))
	opening := engine.Delivery{Ref: at("d2"), Mail: input("open"), Opens: true, Thread: "1.1"}
	if got, err := b.Store.Deliver(b.ctx, opening); err != nil || got.Reception != engine.Stored {
		b.Fatalf("Deliver = %+v, %v", got, err)
	}
	root(one, engine.Commit{State: []byte("s1"), Append: [][]byte{[]byte("a")}, Consumed: []string{"first"}}, true) // while nobody has looked at it
	holds("d2")
	two := b.claim(at("d2"))
	b.commit(two, engine.Commit{State: []byte("s2"), Consumed: []string{"open"}})
	root(one, engine.Commit{}, true)
	holds("d2")
	state, log, err := b.Store.Read(b.ctx, at("d1"))
	if err != nil || string(state) != "s1" || len(log) != 1 {
		b.Fatalf("Read = %q, %q, %v, want the rest of the commit applied", state, log, err)
	}
	root(two, engine.Commit{}, false) // its own
	b.commit(two, engine.Commit{Mode: engine.ModeClose})
	root(one, engine.Commit{}, false) // nobody goes on with what is closed
	holds("d1")
	b.commit(one, engine.Commit{Mode: engine.ModeClose})
	holds("d1")
}

func messages(b *bench) {
	at := func(id string) engine.Ref { return engine.Ref{Team: "T1", Channel: "C1", ID: id} }
	find := func(ts string, known string, perhaps ...string) {
		b.Helper()
		s, err := b.Store.FindMessage(b.ctx, "T1", "C1", ts)
		if err != nil {
			b.Fatal(err)
		}
		var ids []string
		for _, ref := range s.Perhaps {
			b.equal("where it may be", at(ref.ID), ref)
			ids = append(ids, ref.ID)
		}
		if s.Known {
			b.equal("where "+ts+" is", s.Ref, at(known))
		}
		b.equal("is "+ts+" known", s.Known, known != "")
		b.equal("where "+ts+" may be", ids, perhaps)
	}
	find("1763715600.000150", "")
	if _, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: at("early"), Mail: input("open"), Opens: true, Thread: "1763715600.000100"}); err != nil {
		b.Fatal(err)
	}
	early := b.claim(at("early"))
	b.Pass(2 * time.Millisecond)
	late := b.held(at("late"))
	find("1763715600.000300", "", "early") // the other has no thread yet
	b.commit(late, engine.Commit{Alias: "1763715600.000200", Posted: []string{"1763715600.000200"}})
	b.commit(early, engine.Commit{Consumed: []string{"open"}})

	find("1763715600.000100", "early")
	find("1763715600.000200", "late")
	find("1763715600.000090", "") // older than any
	find("1763715600.000150", "", "early")
	find("1763715600.000300", "", "late", "early")
	b.deliver(at("early"), "m:1763715600.000300", engine.Stored)
	find("1763715600.000300", "early") // waits
	find("1763715600.000400", "", "early", "late")
	b.commit(early, engine.Commit{Consumed: []string{"m:1763715600.000300"}, Posted: []string{"1763715600.000400", "1763715600.000500"}})
	for _, ts := range []string{"1763715600.000300", "1763715600.000400", "1763715600.000500"} {
		find(ts, "early")
	}

	// Neither another channel nor another workspace knows of it, or of any.
	for _, place := range [][2]string{{"T1", "C11"}, {"T2", "C1"}} {
		if s, err := b.Store.FindMessage(b.ctx, place[0], place[1], "1763715600.000400"); err != nil || s.Known || len(s.Perhaps) > 0 {
			b.Fatalf("FindMessage in %v = %+v, %v", place, s, err)
		}
	}
	b.commit(early, engine.Commit{Mode: engine.ModeRelease})
	find("1763715600.000500", "early")
	b.commit(late, engine.Commit{Consumed: []string{"first"}, Append: [][]byte{[]byte("e")}, Mode: engine.ModeClose})
	find("1763715600.000450", "", "early") // who has closed takes nothing
}

func listings(b *bench) {
	for _, ref := range []engine.Ref{
		{Team: "T1", Channel: "C1", ID: "a"}, {Team: "T1", Channel: "C1", ID: "b"}, {Team: "T1", Channel: "C1", ID: "c"},
		{Team: "T1", Channel: "C11", ID: "x"}, {Team: "T2", Channel: "C1", ID: "y"},
	} {
		h := b.held(ref)
		if ref.ID != "c" {
			b.commit(h, engine.Commit{State: []byte("state of " + ref.ID)})
		}
		b.Pass(2 * time.Millisecond)
	}
	b.deliver(engine.Ref{Team: "T1", Channel: "C1", ID: "a"}, "again", engine.Stored)
	listed, err := b.Store.List(b.ctx, "T1", "C1", 10)
	if err != nil {
		b.Fatal(err)
	}
	var got []string
	for _, l := range listed {
		got = append(got, l.Ref.ID+": "+string(l.State))
	}
	b.equal("listing", got, []string{"a: state of a", "b: state of b"})
	if short, err := b.Store.List(b.ctx, "T1", "C1", 1); err != nil || len(short) != 1 {
		b.Fatalf("List(1) = %v, %v", short, err)
	}
	open := func(limit int) (ids []string) {
		listed, err := b.Store.ListOpen(b.ctx, limit)
		if err != nil {
			b.Fatal(err)
		}
		for _, l := range listed {
			ids = append(ids, l.Ref.ID)
			if string(l.State) != "state of "+l.Ref.ID {
				b.Fatalf("ListOpen: the state of %s is %q", l.Ref.ID, l.State)
			}
		}
		return ids
	}
	b.equal("open discussions", open(10), []string{"a", "y", "x", "b"})
	b.equal("the last active two", open(2), []string{"a", "y"})
}

// states asks for what is open, was only asked for, is not there, is closed, and was
// forgotten, in that order.
func states(b *bench) {
	at := func(id string) engine.Ref { return engine.Ref{Team: "T1", Channel: "C1", ID: id} }
	b.commit(b.held(at("open")), engine.Commit{State: []byte("state of open"), Append: [][]byte{[]byte("a")}})
	if _, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: at("asked"), Mail: input("a"), Opens: true}); err != nil {
		b.Fatal(err)
	}
	for _, id := range []string{"closed", "forgotten"} {
		b.commit(b.held(at(id)), engine.Commit{State: []byte("state of " + id), Append: [][]byte{[]byte("a")}, Consumed: []string{"first"}, Mode: engine.ModeClose})
	}
	b.hide(engine.Farewell{Key: "F1", Team: "T1", Channel: "C1", Discussion: "forgotten"}, engine.Hidden{Discussions: 1})
	found, err := b.Store.States(b.ctx, []engine.Ref{at("open"), at("asked"), at("absent"), at("closed"), at("forgotten")})
	if err != nil {
		b.Fatal(err)
	}
	var got []string
	for _, s := range found {
		got = append(got, fmt.Sprintf("%s %v %v", s.State, s.State == nil, s.Err))
	}
	b.equal("states", got, []string{
		"state of open false <nil>", " true <nil>", " true " + engine.ErrNotFound.Error(), "state of closed false <nil>", " true " + engine.ErrForgotten.Error(),
	})
	if none, err := b.Store.States(b.ctx, nil); err != nil || len(none) != 0 {
		b.Fatalf("States of nothing = %v, %v", none, err)
	}
}

func readings(b *bench) {
	read := func(team string) time.Duration {
		b.Helper()
		wait, err := b.Store.MayRead(b.ctx, team, 300*time.Millisecond)
		if err != nil {
			b.Fatal(err)
		}
		return wait
	}
	if wait := read("T1"); wait != 0 {
		b.Fatalf("the first has to wait %v", wait)
	}
	wait := read("T1")
	if wait <= 0 || wait > 300*time.Millisecond {
		b.Fatalf("the second has to wait %v, want up to 300ms", wait)
	}
	if other := read("T2"); other != 0 {
		b.Fatalf("another workspace has to wait %v", other)
	}
	b.Pass(wait + 5*time.Millisecond)
	if wait := read("T1"); wait != 0 {
		b.Fatalf("after its time it has to wait %v", wait)
	}
}

func firsts(b *bench) {
	for _, test := range []struct {
		what string
		want bool
	}{{"a run", true}, {"a run", false}, {"another", true}, {"a run", false}} {
		if got, err := b.Store.First(b.ctx, test.what); err != nil || got != test.want {
			b.Fatalf("First(%s) = %v, %v, want %v", test.what, got, err, test.want)
		}
	}
}
