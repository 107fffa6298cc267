package contract

import (
	"errors"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

func claims(b *bench) {
	got, err := b.Store.Deliver(b.ctx, engine.Delivery{
		Ref: place, Mail: input("a"), Opens: true, Claim: &engine.Claimant{Owner: "one"}})
	h := got.Claim
	if err != nil || got.Reception != engine.Stored || h == nil || got.Busy {
		b.Fatalf("Deliver with claim = %+v, %v, want a claim", got, err)
	}
	b.equal("mail", b.ids(h.Mail), []string{"a"})
	if h.State != nil || h.LogLen != 0 || len(h.Outbox) != 0 || h.Crashes != 0 || h.Rewound || h.Ref != place || h.Token == "" {
		b.Fatalf("new claim = %+v", h)
	}
	if !h.Until.After(time.Now()) || h.Until.After(time.Now().Add(b.Lease)) || h.Now.IsZero() {
		b.Fatalf("until %v, now %v", h.Until, h.Now)
	}
	b.noClaim(place)
	got, err = b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input("b"), Claim: &engine.Claimant{Owner: "two"}})
	if err != nil || got.Reception != engine.Stored || got.Claim != nil || !got.Busy {
		b.Fatalf("Deliver to a held discussion = %+v, %v, want busy", got, err)
	}
	entries := [][]byte{[]byte("e0"), []byte("e1"), []byte("e2\n\xff")}
	effects := []engine.OutboxEntry{{Key: "k0", Body: []byte("first\nintent")}, {Key: "k1", Body: nil}}
	done := b.commit(h, engine.Commit{State: []byte("s\x001"), Consumed: []string{"a"}, Append: entries, Enqueue: effects, Attempt: true})
	b.equal("waiting", b.ids(done.Mail), []string{"b"})
	b.commit(h, engine.Commit{Mode: engine.ModeYield})

	again, err := b.Store.Claim(b.ctx, place, engine.Claimant{Owner: "two", LogFrom: 1})
	if err != nil || again == nil {
		b.Fatalf("Claim = %v, %v", again, err)
	}
	b.equal("state", string(again.State), "s\x001")
	b.equal("log", again.Log, entries[1:])
	b.equal("log length", again.LogLen, 3)
	b.equal("outbox", len(again.Outbox), 2)
	b.equal("outbox key", again.Outbox[0].Key, "k0")
	b.equal("outbox body", string(again.Outbox[0].Body), "first\nintent")
	b.equal("mail", b.ids(again.Mail), []string{"b"})
	b.equal("attempts", again.Attempts, 1)
	if again.Attempted.IsZero() || again.Attempted.After(again.Now) {
		b.Fatalf("attempted %v, now %v", again.Attempted, again.Now)
	}
}

func fencing(b *bench) {
	one := b.held(place)
	stale := *one
	b.commit(one, engine.Commit{State: []byte("1")})
	for name, change := range map[string]engine.Commit{
		"state": {State: []byte("2")}, "log": {Append: [][]byte{[]byte("x")}}, "close": {Mode: engine.ModeClose}, "release": {Mode: engine.ModeYield},
	} {
		if _, err := b.Store.Commit(b.ctx, &stale, change); !errors.Is(err, engine.ErrFenced) {
			b.Fatalf("stale commit of %s = %v, want ErrFenced", name, err)
		}
	}
	if _, err := b.Store.Renew(b.ctx, &stale); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("stale renewal = %v, want ErrFenced", err)
	}
	b.commit(one, engine.Commit{Mode: engine.ModeYield})
	if _, err := b.Store.Commit(b.ctx, one, engine.Commit{State: []byte("3")}); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("commit after release = %v, want ErrFenced", err)
	}
	two := b.claim(place)
	if _, err := b.Store.Commit(b.ctx, one, engine.Commit{State: []byte("3")}); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("commit under another's claim = %v, want ErrFenced", err)
	}
	b.equal("state", string(two.State), "1")
	b.equal("log length", two.LogLen, 0)
	nowhere := &engine.Claim{Ref: engine.Ref{Team: "T1", Channel: "C1", ID: "none"}, Token: "x"}
	if _, err := b.Store.Commit(b.ctx, nowhere, engine.Commit{State: []byte("3")}); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("commit to nowhere = %v, want ErrFenced", err)
	}
}

func leases(b *bench) {
	h := b.held(place)
	b.Pass(b.Lease / 2)
	renewed, err := b.Store.Renew(b.ctx, h)
	if err != nil || renewed.Token != h.Token {
		b.Fatalf("Renew = %+v, %v", renewed, err)
	}
	b.equal("mail at renewal", b.ids(renewed.Mail), []string{"first"})
	b.Pass(b.Lease * 3 / 4)
	b.equal("due while renewed", b.due(), []string(nil))
	b.noClaim(place)
	b.Pass(b.Lease / 2)
	b.equal("due after the lease", b.due(), []string{"d1"})
	// Late, but nobody took it: the token still holds.
	b.commit(h, engine.Commit{State: []byte("late")})
	b.noClaim(place)
	b.Pass(b.Lease + time.Millisecond)
	taken := b.claim(place)
	if _, err := b.Store.Renew(b.ctx, h); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("renewal after a takeover = %v, want ErrFenced", err)
	}
	b.equal("state", string(taken.State), "late")
}

func crashes(b *bench) {
	b.deliver(place, "first", engine.Stored)
	for want := range 3 {
		h := b.claim(place)
		b.equal("crashes", h.Crashes, want)
		b.Pass(b.Lease + time.Millisecond)
	}
	h := b.claim(place)
	b.equal("crashes", h.Crashes, 3)
	b.commit(h, engine.Commit{State: []byte("s")})
	b.Pass(b.Lease + time.Millisecond)
	b.equal("crashes after a commit", b.claim(place).Crashes, 0)
}

func tries(b *bench) {
	b.deliver(place, "first", engine.Stored)
	for want := range 3 {
		h := b.claim(place)
		tried := ""
		if want > 0 {
			tried = "first"
		}
		b.equal("tried", []any{h.Tried, h.Tries}, []any{tried, want})
		done, err := b.Store.Try(b.ctx, h, "first")
		if err != nil || len(done.Mail) != 1 || done.Token == h.Token {
			b.Fatalf("Try = %+v, %v, want a new token and the mail", done, err)
		}
		if _, err := b.Store.Try(b.ctx, h, "first"); !errors.Is(err, engine.ErrFenced) {
			b.Fatalf("Try with the old token = %v, want ErrFenced", err)
		}
		b.Pass(b.Lease + time.Millisecond)
	}
	h := b.claim(place)
	done, err := b.Store.Try(b.ctx, h, "another")
	if err != nil {
		b.Fatal(err)
	}
	h.Token = done.Token
	b.Pass(b.Lease + time.Millisecond)
	h = b.claim(place)
	b.equal("tried another", []any{h.Tried, h.Tries}, []any{"another", 1})
	b.commit(h, engine.Commit{State: []byte("s")})
	b.Pass(b.Lease + time.Millisecond)
	h = b.claim(place)
	b.equal("tried after a commit", []any{h.Tried, h.Crashes}, []any{"", 0})
}

func releases(b *bench) {
	h := b.held(place)
	b.deliver(place, "second", engine.Stored)
	done := b.commit(h, engine.Commit{State: []byte("1"), Consumed: []string{"first"}, Mode: engine.ModeRelease})
	if done.Released {
		b.Fatal("released while mail waits")
	}
	b.equal("waiting", b.ids(done.Mail), []string{"second"})
	b.noClaim(place)
	done = b.commit(h, engine.Commit{Consumed: []string{"second"}, Mode: engine.ModeRelease})
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
	done := b.commit(h, engine.Commit{Mode: engine.ModeYield, Wake: h.Now.Add(time.Second), Enqueue: []engine.OutboxEntry{{Key: "k"}}})
	if !done.Released {
		b.Fatal("not released")
	}
	b.equal("due before its time", b.due(), []string(nil))
	b.noClaim(place)
	b.Pass(time.Second + time.Millisecond)
	b.equal("due", b.due(), []string{"d1"})
	h = b.claim(place)
	b.equal("mail", b.ids(h.Mail), []string{"first"})
	b.commit(h, engine.Commit{Mode: engine.ModeYield})
	b.equal("due at once", b.due(), []string{"d1"})
}

func timers(b *bench) {
	h := b.held(place)
	wake := h.Now.Add(time.Second)
	b.commit(h, engine.Commit{State: []byte("1"), Consumed: []string{"first"}, Mode: engine.ModeRelease, Wake: wake})
	b.equal("due early", b.due(), []string(nil))
	b.noClaim(place)
	b.Pass(time.Second + time.Millisecond)
	b.equal("due", b.due(), []string{"d1"})
	h = b.claim(place)
	if h.Now.Before(wake) {
		b.Fatalf("claimed at %v, before %v", h.Now, wake)
	}
	b.commit(h, engine.Commit{Mode: engine.ModeRelease})
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
