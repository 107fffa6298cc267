package storagetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// RunContract checks that a store keeps the promises of engine.Store and
// engine.Items. Open returns a new empty store for each test of the suite.
func RunContract(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for name, test := range map[string]func(*bench){
		"a delivery is stored once for the life of the discussion (I1, I2)": deliveries,
		"other identities of an input are recognised (I2)":                  identities,
		"a full mailbox takes no more and loses nothing (I1)":               fullMailbox,
		"a claim comes with everything":                                     claims,
		"of two holders one changes anything (I7)":                          fencing,
		"a lease ends unless renewed (I7)":                                  leases,
		"claims without a commit are counted":                               crashes,
		"a commit changes everything at once":                               commits,
		"an impossible commit changes nothing":                              refusals,
		"a release is refused while mail waits (I1)":                        releases,
		"a holder may give back although mail waits":                        yields,
		"a timer fires once and never early (I9)":                           timers,
		"the due wait longest first":                                        dueOrder,
		"posts keep the channel's pace":                                     pace,
		"a pause that Slack asked for holds for everybody":                  pause,
		"a closed discussion takes nothing and can be read":                 closing,
		"a discussion is found by its thread":                               threads,
		"a listing is of one channel, newest first (I12)":                   listings,
		"parked mail can be put back (I1)":                                  letters,
		"an item is changed by whoever read it last (NFR-004)":              items,
		"an effect is merged into an item once (I8)":                        merges,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			test(&bench{T: t, Subject: open(t), ctx: ctx})
		})
	}
}

// bench is one test of the suite with the store it works on.
type bench struct {
	*testing.T
	Subject
	ctx context.Context
}

var place = engine.Ref{Team: "T1", Channel: "C1", ID: "d1"}

func input(id string) engine.Mail {
	return engine.Mail{ID: id, Body: []byte("body of " + id + "\n\x00\xff")}
}

// deliver delivers an input, opening the discussion, and wants the reception.
func (b *bench) deliver(ref engine.Ref, id string, want engine.Reception) {
	b.Helper()
	got, h, _, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: ref, Mail: input(id), Opens: true})
	if err != nil || got != want || h != nil {
		b.Fatalf("Deliver(%s) = %q, %v, %v, want %q", id, got, h, err, want)
	}
}

func (b *bench) claim(ref engine.Ref) *engine.Holding {
	b.Helper()
	h, err := b.Store.Claim(b.ctx, ref, engine.Claimant{Owner: "one"})
	if err != nil || h == nil {
		b.Fatalf("Claim(%s) = %v, %v, want a holding", ref.ID, h, err)
	}
	return h
}

func (b *bench) noClaim(ref engine.Ref) {
	b.Helper()
	if h, err := b.Store.Claim(b.ctx, ref, engine.Claimant{Owner: "two"}); err != nil || h != nil {
		b.Fatalf("Claim(%s) = %+v, %v, want nothing to claim", ref.ID, h, err)
	}
}

// held delivers an input to a new discussion and claims it.
func (b *bench) held(ref engine.Ref) *engine.Holding {
	b.Helper()
	b.deliver(ref, "first", engine.Stored)
	return b.claim(ref)
}

func (b *bench) commit(h *engine.Holding, c engine.Commit) engine.Committed {
	b.Helper()
	done, err := b.Store.Commit(b.ctx, h, c)
	if err != nil {
		b.Fatalf("Commit(%+v): %v", c, err)
	}
	h.Token, h.Until = done.Token, done.Until
	return done
}

func (b *bench) equal(what string, got, want any) {
	b.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		b.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func (b *bench) due() []string {
	b.Helper()
	refs, err := b.Store.Due(b.ctx, 100)
	if err != nil {
		b.Fatal(err)
	}
	var ids []string
	for _, ref := range refs {
		ids = append(ids, ref.ID)
	}
	return ids
}

// ids returns the sorted ids of mail whose bodies are as delivered.
func (b *bench) ids(mail []engine.Mail) []string {
	b.Helper()
	var out []string
	for _, m := range mail {
		b.equal("mail", m, input(m.ID))
		out = append(out, m.ID)
	}
	slices.Sort(out)
	return out
}

func deliveries(b *bench) {
	got, h, busy, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input("a"), Claim: &engine.Claimant{Owner: "one"}})
	if got != engine.Unknown || h != nil || busy || err != nil {
		b.Fatalf("Deliver to nowhere = %q, %v, %v, %v, want unknown", got, h, busy, err)
	}
	b.noClaim(place)
	b.deliver(place, "a", engine.Stored)
	b.deliver(place, "a", engine.Duplicate)
	holding := b.claim(place)
	b.deliver(place, "a", engine.Duplicate)
	b.commit(holding, engine.Commit{Consumed: []string{"a"}})
	b.deliver(place, "a", engine.Duplicate)
	b.commit(holding, engine.Commit{Append: [][]byte{[]byte("e")}})
	b.deliver(place, "a", engine.Duplicate)
	b.deliver(place, "b", engine.Stored)
	done := b.commit(holding, engine.Commit{})
	b.equal("waiting", b.ids(done.Mail), []string{"b"})
	b.commit(holding, engine.Commit{Consumed: []string{"b"}, Close: true})
	b.deliver(place, "b", engine.Duplicate)
	b.deliver(place, "c", engine.Closed)
}

func identities(b *bench) {
	offer := func(id string, want engine.Reception, also ...string) {
		b.Helper()
		got, _, _, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input(id), Also: also, Opens: true})
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

func claims(b *bench) {
	got, h, busy, err := b.Store.Deliver(b.ctx, engine.Delivery{
		Ref: place, Mail: input("a"), Opens: true, Claim: &engine.Claimant{Owner: "one"}})
	if err != nil || got != engine.Stored || h == nil || busy {
		b.Fatalf("Deliver with claim = %q, %v, %v, %v, want a holding", got, h, busy, err)
	}
	b.equal("mail", b.ids(h.Mail), []string{"a"})
	if h.State != nil || h.LogLen != 0 || len(h.Outbox) != 0 || h.Crashes != 0 || h.Rewound || h.Ref != place || h.Token == "" {
		b.Fatalf("new holding = %+v", h)
	}
	if !h.Until.After(time.Now()) || h.Until.After(time.Now().Add(b.Lease)) || h.Now.IsZero() {
		b.Fatalf("until %v, now %v", h.Until, h.Now)
	}
	b.noClaim(place)
	got, other, busy, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: place, Mail: input("b"), Claim: &engine.Claimant{Owner: "two"}})
	if err != nil || got != engine.Stored || other != nil || !busy {
		b.Fatalf("Deliver to a held discussion = %q, %v, %v, %v, want busy", got, other, busy, err)
	}
	entries := [][]byte{[]byte("e0"), []byte("e1"), []byte("e2\n\xff")}
	intents := []engine.Intent{{Key: "k0", Body: []byte("first\nintent")}, {Key: "k1", Body: nil}}
	done := b.commit(h, engine.Commit{State: []byte("s\x001"), Consumed: []string{"a"}, Append: entries, Enqueue: intents, Attempt: true})
	b.equal("waiting", b.ids(done.Mail), []string{"b"})
	b.commit(h, engine.Commit{Release: true, Yield: true})

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
		"state": {State: []byte("2")}, "log": {Append: [][]byte{[]byte("x")}}, "close": {Close: true}, "release": {Release: true, Yield: true},
	} {
		if _, err := b.Store.Commit(b.ctx, &stale, change); !errors.Is(err, engine.ErrFenced) {
			b.Fatalf("stale commit of %s = %v, want ErrFenced", name, err)
		}
	}
	if _, err := b.Store.Renew(b.ctx, &stale); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("stale renewal = %v, want ErrFenced", err)
	}
	b.commit(one, engine.Commit{Release: true, Yield: true})
	if _, err := b.Store.Commit(b.ctx, one, engine.Commit{State: []byte("3")}); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("commit after release = %v, want ErrFenced", err)
	}
	two := b.claim(place)
	if _, err := b.Store.Commit(b.ctx, one, engine.Commit{State: []byte("3")}); !errors.Is(err, engine.ErrFenced) {
		b.Fatalf("commit under another's claim = %v, want ErrFenced", err)
	}
	b.equal("state", string(two.State), "1")
	b.equal("log length", two.LogLen, 0)
	nowhere := &engine.Holding{Ref: engine.Ref{Team: "T1", Channel: "C1", ID: "none"}, Token: "x"}
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

func commits(b *bench) {
	h := b.held(place)
	b.commit(h, engine.Commit{State: []byte("1"), Append: [][]byte{[]byte("a")}, Enqueue: []engine.Intent{{Key: "k0"}, {Key: "k1"}, {Key: "k2"}}})
	b.commit(h, engine.Commit{Attempt: true})
	b.commit(h, engine.Commit{Done: 2, Append: [][]byte{[]byte("b"), []byte("c")}, Enqueue: []engine.Intent{{Key: "k3"}}, Consumed: []string{"first"}})
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
	b.commit(h, engine.Commit{Release: true, Wake: h.Now})
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
	b.commit(h, engine.Commit{State: []byte("1"), Enqueue: []engine.Intent{{Key: "k0"}}})
	for name, c := range map[string]engine.Commit{
		"more done than there is":           {State: []byte("2"), Done: 2},
		"an attempt at nothing":             {State: []byte("2"), Done: 1, Attempt: true},
		"a release that forgets an effect":  {State: []byte("2"), Consumed: []string{"first"}, Release: true},
		"a negative number of effects done": {State: []byte("2"), Done: -1},
		"an effect without a key":           {State: []byte("2"), Enqueue: []engine.Intent{{}}},
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
