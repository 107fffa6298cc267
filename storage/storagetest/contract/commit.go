package contract

import (
	"errors"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

func commits(b *bench) {
	h := b.held(place)
	b.commit(h, engine.Commit{State: []byte("1"), Append: [][]byte{[]byte("a")}, Enqueue: []engine.OutboxEntry{{Key: "k0"}, {Key: "k1"}, {Key: "k2"}}})
	b.commit(h, engine.Commit{Attempt: true})
	b.commit(h, engine.Commit{Done: 2, Append: [][]byte{[]byte("b"), []byte("c")}, Enqueue: []engine.OutboxEntry{{Key: "k3"}}, Consumed: []string{"first"}})
	state, log, err := b.Store.Read(b.ctx, place)
	if err != nil {
		b.Fatal(err)
	}
	b.equal("state is kept", string(state), "1")
	b.equal("log", log, [][]byte{[]byte("a"), []byte("b"), []byte("c")})
	tail, err := b.Store.Log(b.ctx, place, 2)
	if err != nil {
		b.Fatal(err)
	}
	b.equal("tail of the log", tail, [][]byte{[]byte("c")})
	b.commit(h, engine.Commit{Mode: engine.ModeRelease, Wake: h.Now})
	h = b.claim(place)
	var keys []string
	for _, i := range h.Outbox {
		keys = append(keys, i.Key)
	}
	b.equal("outbox", keys, []string{"k2", "k3"})
	b.equal("mail", len(h.Mail), 0)
	if h.Attempts != 0 || !h.Attempted.IsZero() {
		b.Fatalf("the next head is attempted: %d, %v", h.Attempts, h.Attempted)
	}
	if _, _, err := b.Store.Read(b.ctx, engine.Ref{Team: "T1", Channel: "C1", ID: "none"}); !errors.Is(err, engine.ErrNotFound) {
		b.Fatalf("Read of nothing = %v, want ErrNotFound", err)
	}
}

func refusals(b *bench) {
	h := b.held(place)
	b.commit(h, engine.Commit{State: []byte("1"), Enqueue: []engine.OutboxEntry{{Key: "k0"}}})
	for name, c := range map[string]engine.Commit{
		"more done than there is":           {State: []byte("2"), Done: 2},
		"an attempt at nothing":             {State: []byte("2"), Done: 1, Attempt: true},
		"a release that forgets an effect":  {State: []byte("2"), Consumed: []string{"first"}, Mode: engine.ModeRelease},
		"a negative number of effects done": {State: []byte("2"), Done: -1},
		"an effect without a key":           {State: []byte("2"), Enqueue: []engine.OutboxEntry{{}}},
	} {
		if _, err := b.Store.Commit(b.ctx, h, c); err == nil || errors.Is(err, engine.ErrFenced) {
			b.Fatalf("%s: %v, want an error of its own", name, err)
		}
	}
	done := b.commit(h, engine.Commit{})
	b.equal("waiting", b.ids(done.Mail), []string{"first"})
	state, _, err := b.Store.Read(b.ctx, place)
	if err != nil || string(state) != "1" {
		b.Fatalf("Read = %q, %v, want the state as it was", state, err)
	}
}

func pace(b *bench) {
	one := b.held(place)
	two := b.held(engine.Ref{Team: "T1", Channel: "C1", ID: "d2"})
	far := b.held(engine.Ref{Team: "T1", Channel: "C2", ID: "d3"})
	for _, h := range []*engine.Claim{one, two, far} {
		b.commit(h, engine.Commit{Enqueue: []engine.OutboxEntry{{Key: "k0"}, {Key: "k1"}, {Key: "k2"}, {Key: "k3"}, {Key: "k4"}}})
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
	effects := []engine.OutboxEntry{{Key: "k0"}, {Key: "k1"}}
	b.commit(two, engine.Commit{Enqueue: effects})
	sent := b.commit(one, engine.Commit{Enqueue: effects, Attempt: true})
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
	b.commit(one, engine.Commit{Mode: engine.ModeYield})
	h := b.claim(place)
	if !h.Attempted.IsZero() || h.Attempts != 1 {
		b.Fatalf("attempted %v, %d times, want the mark taken back and counted", h.Attempted, h.Attempts)
	}
}

func closing(b *bench) {
	h := b.held(place)
	if done := b.commit(h, engine.Commit{Mode: engine.ModeClose}); done.Released {
		b.Fatal("closed while mail waits")
	}
	b.commit(h, engine.Commit{Enqueue: []engine.OutboxEntry{{Key: "k"}}, Alias: "1.1"})
	if done := b.commit(h, engine.Commit{Consumed: []string{"first"}, Mode: engine.ModeClose}); done.Released {
		b.Fatal("closed while an effect is outstanding")
	}
	done := b.commit(h, engine.Commit{State: []byte("end"), Done: 1, Append: [][]byte{[]byte("e")}, Mode: engine.ModeClose})
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

func rewrites(b *bench) {
	h := b.held(place)
	line := func(s string) []byte { return []byte(s) }
	b.commit(h, engine.Commit{State: line("1"), Append: [][]byte{line("a"), line("b"), line("c")}})
	first := b.commit(h, engine.Commit{Append: [][]byte{line("d")}, Rewrite: []engine.Rewrite{{Index: 1, Line: line("B")}}})
	b.commit(h, engine.Commit{Mode: engine.ModeYield})
	known := func(from int, rev engine.LogRev) *engine.Claim {
		b.Helper()
		h, err := b.Store.Claim(b.ctx, place, engine.Claimant{Owner: "two", LogFrom: from, LogRev: rev})
		if err != nil || h == nil {
			b.Fatalf("Claim = %v, %v, want a claim", h, err)
		}
		return h
	}
	h = known(3, engine.LogRev(first.Token))
	b.equal("revision", h.LogRev, engine.LogRev(first.Token))
	b.equal("where the log begins that is sent", h.LogFrom, 3)
	b.equal("what is new to who knows the revision", h.Log, [][]byte{line("d")})
	stale := *h
	b.commit(h, engine.Commit{Rewrite: []engine.Rewrite{{Index: 0, Line: line("A")}, {Index: 3, Line: line("D")}}})
	if _, err := b.Store.Commit(b.ctx, &stale, engine.Commit{Rewrite: []engine.Rewrite{{Index: 0, Line: line("x")}}}); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("a stale commit rewrites: %v", err)
	}
	for _, index := range []int{-1, 4} {
		if _, err := b.Store.Commit(b.ctx, h, engine.Commit{State: line("2"), Rewrite: []engine.Rewrite{{Index: index}}}); err == nil || errors.Is(err, engine.ErrFenced) {
			b.Fatalf("an entry %d that is not there: %v, want an error of its own", index, err)
		}
	}
	b.commit(h, engine.Commit{Mode: engine.ModeYield})
	h = known(3, engine.LogRev(first.Token))
	want := [][]byte{line("A"), line("B"), line("c"), line("D")}
	b.equal("where it begins for who knows another revision", h.LogFrom, 0)
	b.equal("all of it", h.Log, want)
	state, log, err := b.Store.Read(b.ctx, place)
	if err != nil || string(state) != "1" {
		b.Fatalf("Read = %q, %v", state, err)
	}
	b.equal("the log as read", log, want)
}
