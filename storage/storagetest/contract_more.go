package storagetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

func releases(b *bench) {
	h := b.held(place)
	b.deliver(place, "second", engine.Stored)
	done := b.commit(h, engine.Commit{State: []byte("1"), Consumed: []string{"first"}, Release: true})
	if done.Released {
		b.Fatal("released while mail waits")
	}
	b.equal("waiting", b.ids(done.Mail), []string{"second"})
	b.noClaim(place)
	done = b.commit(h, engine.Commit{Consumed: []string{"second"}, Release: true})
	if !done.Released {
		b.Fatal("not released")
	}
	b.equal("due when idle", b.due(), []string(nil))
	b.noClaim(place)
	b.deliver(place, "third", engine.Stored)
	b.equal("due with mail", b.due(), []string{"d1"})
	b.equal("mail", b.ids(b.claim(place).Mail), []string{"third"})
}

func yields(b *bench) {
	h := b.held(place)
	done := b.commit(h, engine.Commit{Release: true, Yield: true, Wake: h.Now.Add(time.Second), Enqueue: []engine.Intent{{Key: "k"}}})
	if !done.Released {
		b.Fatal("not released")
	}
	b.equal("due before its time", b.due(), []string(nil))
	b.noClaim(place)
	b.Pass(time.Second + time.Millisecond)
	b.equal("due", b.due(), []string{"d1"})
	h = b.claim(place)
	b.equal("mail", b.ids(h.Mail), []string{"first"})
	b.commit(h, engine.Commit{Release: true, Yield: true})
	b.equal("due at once", b.due(), []string{"d1"})
}

func timers(b *bench) {
	h := b.held(place)
	wake := h.Now.Add(time.Second)
	b.commit(h, engine.Commit{State: []byte("1"), Consumed: []string{"first"}, Release: true, Wake: wake})
	b.equal("due early", b.due(), []string(nil))
	b.noClaim(place)
	b.Pass(time.Second + time.Millisecond)
	b.equal("due", b.due(), []string{"d1"})
	h = b.claim(place)
	if h.Now.Before(wake) {
		b.Fatalf("claimed at %v, before %v", h.Now, wake)
	}
	b.commit(h, engine.Commit{Release: true})
	b.equal("due again", b.due(), []string(nil))
	b.noClaim(place)
}

func dueOrder(b *bench) {
	var want []string
	for i := range 5 {
		ref := engine.Ref{Team: "T1", Channel: fmt.Sprintf("C%d", i), ID: fmt.Sprintf("d%d", i)}
		b.deliver(ref, "m", engine.Stored)
		want = append(want, ref.ID)
		b.Pass(2 * time.Millisecond)
	}
	b.equal("due", b.due(), want)
	first, err := b.Store.Due(b.ctx, 2)
	if err != nil || len(first) != 2 || first[0].ID != "d0" || first[1].Channel != "C1" {
		b.Fatalf("Due(2) = %v, %v", first, err)
	}
}

func pace(b *bench) {
	one := b.held(place)
	two := b.held(engine.Ref{Team: "T1", Channel: "C1", ID: "d2"})
	far := b.held(engine.Ref{Team: "T1", Channel: "C2", ID: "d3"})
	for _, h := range []*engine.Holding{one, two, far} {
		b.commit(h, engine.Commit{Enqueue: []engine.Intent{{Key: "k0"}, {Key: "k1"}, {Key: "k2"}, {Key: "k3"}, {Key: "k4"}}})
	}
	for i := range 2 {
		if done := b.commit(one, engine.Commit{Attempt: true}); done.Wait != 0 {
			b.Fatalf("post %d of a burst waits %v", i, done.Wait)
		}
		b.commit(one, engine.Commit{Done: 1})
	}
	if done := b.commit(two, engine.Commit{Attempt: true}); done.Wait != 0 {
		b.Fatalf("the third post of the channel waits %v", done.Wait)
	}
	done := b.commit(one, engine.Commit{Attempt: true, State: []byte("kept"), Append: [][]byte{[]byte("kept")}})
	if done.Wait <= 0 || done.Wait > time.Second {
		b.Fatalf("the fourth post waits %v, want up to a second", done.Wait)
	}
	if done := b.commit(far, engine.Commit{Attempt: true}); done.Wait != 0 {
		b.Fatalf("another channel waits %v", done.Wait)
	}
	state, log, err := b.Store.Read(b.ctx, place)
	if err != nil || string(state) != "kept" || len(log) != 1 {
		b.Fatalf("Read = %q, %q, %v, want the rest of the commit applied", state, log, err)
	}
	b.Pass(done.Wait + time.Millisecond)
	if done := b.commit(one, engine.Commit{Attempt: true}); done.Wait != 0 {
		b.Fatalf("after waiting it waits %v more", done.Wait)
	}
}

func pause(b *bench) {
	one := b.held(place)
	two := b.held(engine.Ref{Team: "T1", Channel: "C1", ID: "d2"})
	intents := []engine.Intent{{Key: "k0"}, {Key: "k1"}}
	b.commit(two, engine.Commit{Enqueue: intents})
	sent := b.commit(one, engine.Commit{Enqueue: intents, Attempt: true})
	until := sent.Now.Add(2 * time.Second)
	b.commit(one, engine.Commit{Unattempt: true, PaceUntil: until})
	done := b.commit(two, engine.Commit{Attempt: true})
	if at := done.Now.Add(done.Wait); at.Before(until) || at.After(until.Add(10*time.Millisecond)) {
		b.Fatalf("the other may post at %v, want %v", at, until)
	}
	b.Pass(done.Wait + time.Millisecond)
	if done := b.commit(two, engine.Commit{Attempt: true}); done.Wait != 0 {
		b.Fatalf("after the pause it waits %v", done.Wait)
	}
	if done := b.commit(one, engine.Commit{Attempt: true}); done.Wait == 0 {
		b.Fatal("after the pause two may post at once")
	}
	b.commit(one, engine.Commit{Release: true, Yield: true})
	h := b.claim(place)
	if !h.Attempted.IsZero() || h.Attempts != 1 {
		b.Fatalf("attempted %v, %d times, want the mark taken back and counted", h.Attempted, h.Attempts)
	}
}

func closing(b *bench) {
	h := b.held(place)
	if done := b.commit(h, engine.Commit{Close: true}); done.Released {
		b.Fatal("closed while mail waits")
	}
	b.commit(h, engine.Commit{Enqueue: []engine.Intent{{Key: "k"}}, Alias: "1.1"})
	if done := b.commit(h, engine.Commit{Consumed: []string{"first"}, Close: true}); done.Released {
		b.Fatal("closed while an effect is outstanding")
	}
	done := b.commit(h, engine.Commit{State: []byte("end"), Done: 1, Append: [][]byte{[]byte("e")}, Close: true})
	if !done.Released {
		b.Fatal("not closed")
	}
	b.equal("due", b.due(), []string(nil))
	b.noClaim(place)
	b.deliver(place, "late", engine.Closed)
	if _, err := b.Store.Commit(b.ctx, h, engine.Commit{State: []byte("x")}); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("commit to a closed discussion = %v, want ErrFenced", err)
	}
	state, log, err := b.Store.Read(b.ctx, place)
	if err != nil || string(state) != "end" || len(log) != 1 {
		b.Fatalf("Read = %q, %q, %v", state, log, err)
	}
	if ref, ok, err := b.Store.FindThread(b.ctx, "T1", "C1", "1.1"); err != nil || !ok || ref != place {
		b.Fatalf("FindThread = %v, %v, %v", ref, ok, err)
	}
	listed, err := b.Store.List(b.ctx, "T1", "C1", 10)
	if err != nil || len(listed) != 0 {
		b.Fatalf("List = %v, %v, want no closed discussion", listed, err)
	}
}

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
}

func letters(b *bench) {
	h := b.held(place)
	b.deliver(place, "poison", engine.Stored)
	done := b.commit(h, engine.Commit{State: []byte("s"), Consumed: []string{"first"}, Park: []string{"poison"}, ParkReason: "kills whoever reads it", Release: true})
	if !done.Released {
		b.Fatalf("parked mail still waits: %v", done.Mail)
	}
	b.deliver(place, "poison", engine.Duplicate)
	found, err := b.Store.DeadLetters(b.ctx, 10)
	if err != nil || len(found) != 1 {
		b.Fatalf("DeadLetters = %v, %v, want one", found, err)
	}
	letter := found[0]
	if letter.Ref != place || letter.Reason != "kills whoever reads it" || letter.At.IsZero() {
		b.Fatalf("letter = %+v", letter)
	}
	b.equal("letter", letter.Mail, input("poison"))
	if err := b.Store.Replay(b.ctx, letter.ID); err != nil {
		b.Fatal(err)
	}
	b.equal("due", b.due(), []string{"d1"})
	h = b.claim(place)
	b.equal("mail", b.ids(h.Mail), []string{"poison"})
	b.commit(h, engine.Commit{Consumed: []string{"poison"}, Release: true})
	for _, id := range []string{letter.ID, "", "nonsense", "0-1-1", "99999-1-1"} {
		if err := b.Store.Replay(b.ctx, id); !errors.Is(err, engine.ErrNotFound) {
			b.Fatalf("Replay(%q) = %v, want ErrNotFound", id, err)
		}
	}
	if left, err := b.Store.DeadLetters(b.ctx, 10); err != nil || len(left) != 0 {
		b.Fatalf("DeadLetters = %v, %v, want none", left, err)
	}
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
