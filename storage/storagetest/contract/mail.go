package contract

import (
	"errors"
	"strings"

	"github.com/roundtable-chat/app/roundtable/engine"
)

func deliveries(b *bench) {
	got, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input("a"), Claim: &engine.Claimant{Owner: "one"}})
	if got != (engine.Delivered{Reception: engine.Unknown}) || err != nil {
		b.Fatalf("Deliver to nowhere = %+v, %v, want unknown", got, err)
	}
	b.noClaim(place)
	b.deliver(place, "a", engine.Stored)
	b.deliver(place, "a", engine.Duplicate)
	h := b.claim(place)
	b.deliver(place, "a", engine.Duplicate)
	b.commit(h, engine.Commit{Consumed: []string{"a"}})
	b.deliver(place, "a", engine.Duplicate)
	b.commit(h, engine.Commit{Append: [][]byte{[]byte("e")}})
	b.deliver(place, "a", engine.Duplicate)
	b.deliver(place, "b", engine.Stored)
	done := b.commit(h, engine.Commit{})
	b.equal("waiting", b.ids(done.Mail), []string{"b"})
	b.commit(h, engine.Commit{Consumed: []string{"b"}, Mode: engine.ModeClose})
	b.deliver(place, "b", engine.Duplicate)
	b.deliver(place, "c", engine.Closed)
}

func identities(b *bench) {
	offer := func(id string, want engine.Reception, also ...string) {
		b.Helper()
		delivered, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input(id), Also: also, Opens: true})
		got := delivered.Reception
		if err != nil || got != want {
			b.Fatalf("Deliver(%s, %q) = %q, %v, want %q", id, also, got, err, want)
		}
	}
	offer("a", engine.Stored, "client-1", "event-1")
	offer("b", engine.Duplicate, "client-1", "event-2")
	offer("event-1", engine.Duplicate)
	offer("c", engine.Duplicate, "a")
	h := b.claim(place)
	b.equal("mail", b.ids(h.Mail), []string{"a"})
	b.commit(h, engine.Commit{Consumed: []string{"a"}})
	offer("d", engine.Duplicate, "event-1")
	offer("client-1", engine.Duplicate)
	offer("e", engine.Stored, "event-9")
}

func fullMailbox(b *bench) {
	for i := range b.MailboxLimit {
		b.deliver(place, strings.Repeat("x", i+1), engine.Stored)
	}
	b.deliver(place, "too much", engine.Full)
	b.deliver(place, "x", engine.Duplicate)
	h := b.claim(place)
	b.equal("mail", len(b.ids(h.Mail)), b.MailboxLimit)
	b.commit(h, engine.Commit{Consumed: []string{"x"}})
	b.deliver(place, "too much", engine.Stored)
}

func letters(b *bench) {
	h := b.held(place)
	b.deliver(place, "poison", engine.Stored)
	done := b.commit(h, engine.Commit{State: []byte("s"), Consumed: []string{"first"}, Park: []string{"poison"}, ParkReason: "kills whoever reads it", Mode: engine.ModeRelease})
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
	b.commit(h, engine.Commit{Consumed: []string{"poison"}, Mode: engine.ModeRelease})
	for _, id := range []string{letter.ID, "", "nonsense", "0-1-1", "99999-1-1"} {
		if err := b.Store.Replay(b.ctx, id); !errors.Is(err, engine.ErrNotFound) {
			b.Fatalf("Replay(%q) = %v, want ErrNotFound", id, err)
		}
	}
	if left, err := b.Store.DeadLetters(b.ctx, 10); err != nil || len(left) != 0 {
		b.Fatalf("DeadLetters = %v, %v, want none", left, err)
	}
}

func crowdedMailbox(b *bench) {
	from := func(id, person string, want engine.Reception) {
		b.Helper()
		delivered, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input(id), From: person})
		got := delivered.Reception
		if err != nil || got != want {
			b.Fatalf("Deliver(%s) from %s = %q, %v, want %q", id, person, got, err, want)
		}
	}
	b.deliver(place, "first", engine.Stored)
	n, id := 1, func(n int) string { return strings.Repeat("x", n) }
	noted := (b.MailboxLimit + 3) / 4 // mail in the box from where on it is noted whose comes in
	most := max((b.MailboxLimit+1)/2, noted+(b.MailboxLimit+3)/4)
	for ; n < most; n++ {
		from(id(n), "U1", engine.Stored)
	}
	from("too much", "U1", engine.Full)
	from("a colleague's", "U2", engine.Stored)
	from(id(1), "U1", engine.Duplicate)
	from("too much", "U1", engine.Full)
	h := b.claim(place)
	b.commit(h, engine.Commit{Consumed: []string{"first", id(n - 1)}})
	from("too much", "U1", engine.Stored)
}
