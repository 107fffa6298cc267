package storagetest

import (
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
	if _, _, _, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input("a"), Opens: true, Thread: "1.1"}); err != nil {
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
