package storagetest

import (
	"errors"
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

func items(b *bench) {
	ref := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "login"}
	item, err := b.Store.ReadItem(b.ctx, ref)
	if err != nil || item.Version != 0 || len(item.Files) != 0 || item.Meta != nil {
		b.Fatalf("ReadItem of nothing = %+v, %v", item, err)
	}
	write := func(w engine.ItemWrite) error { return b.Store.WriteItem(b.ctx, ref, w) }
	if err := write(engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("a\r\n"), "b.csv": nil}, Meta: []byte("{}")}); err != nil {
		b.Fatal(err)
	}
	item, err = b.Store.ReadItem(b.ctx, ref)
	if err != nil || item.Version == 0 || string(item.Files["a.md"]) != "a\r\n" || len(item.Files) != 2 || string(item.Meta) != "{}" {
		b.Fatalf("ReadItem = %+v, %v", item, err)
	}
	if err := write(engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("lost")}}); !errors.Is(err, engine.ErrConflict) {
		b.Fatalf("write of an old version = %v, want ErrConflict", err)
	}
	if err := write(engine.ItemWrite{Version: item.Version, Files: map[string][]byte{"a.md": []byte("a2")}}); err != nil {
		b.Fatal(err)
	}
	next, err := b.Store.ReadItem(b.ctx, ref)
	if err != nil || next.Version == item.Version || string(next.Files["a.md"]) != "a2" || string(next.Meta) != "{}" || len(next.Files) != 2 {
		b.Fatalf("ReadItem = %+v, %v, want the rest untouched", next, err)
	}
	if err := write(engine.ItemWrite{Version: next.Version, Files: map[string][]byte{"big": make([]byte, 2<<20)}}); err == nil {
		b.Fatal("2 MiB were stored")
	}
	for _, slug := range []string{"zeta", "alpha"} {
		if err := b.Store.WriteItem(b.ctx, engine.ItemRef{Team: "T1", Channel: "C1", Slug: slug}, engine.ItemWrite{Meta: []byte("{}")}); err != nil {
			b.Fatal(err)
		}
	}
	slugs, err := b.Store.ListItems(b.ctx, "T1", "C1")
	if err != nil {
		b.Fatal(err)
	}
	b.equal("slugs", slugs, []string{"alpha", "login", "zeta"})
	if other, err := b.Store.ListItems(b.ctx, "T1", "C2"); err != nil || len(other) != 0 {
		b.Fatalf("ListItems of another channel = %v, %v", other, err)
	}
}

func merges(b *bench) {
	ref := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "login"}
	w := engine.ItemWrite{Files: map[string][]byte{"a.md": []byte("once")}, Key: "d1/x/1", Result: []byte("added")}
	for range 2 {
		if err := b.Store.WriteItem(b.ctx, ref, w); err != nil {
			b.Fatal(err)
		}
	}
	item, err := b.Store.ReadItem(b.ctx, ref)
	if err != nil {
		b.Fatal(err)
	}
	b.equal("applied", item.Applied, map[string][]byte{"d1/x/1": []byte("added")})
	if err := b.Store.WriteItem(b.ctx, ref, engine.ItemWrite{Version: item.Version, Files: map[string][]byte{"a.md": []byte("more")}, Key: "d2/x/1"}); err != nil {
		b.Fatal(err)
	}
	if err := b.Store.WriteItem(b.ctx, ref, w); err != nil {
		b.Fatalf("an effect that was merged = %v, want success", err)
	}
	item, err = b.Store.ReadItem(b.ctx, ref)
	if err != nil || string(item.Files["a.md"]) != "more" {
		b.Fatalf("ReadItem = %+v, %v, want the later write kept", item, err)
	}
}
