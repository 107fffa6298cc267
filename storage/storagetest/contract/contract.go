package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Store is everything that a store of the bot keeps.
type Store interface {
	engine.Store
	engine.Items
	engine.DeadLetters
	engine.Acts
}

// Subject is a store under test, empty at first.
type Subject struct {
	Store Store
	// Lease is its lease and MailboxLimit the limit of its mailboxes. Its pace must
	// be one post a second in bursts of three.
	Lease        time.Duration
	MailboxLimit int
	// Pass lets time pass on the store's clock.
	Pass func(time.Duration)
}

// Run checks that a store keeps the promises of engine.Store and
// engine.Items. Open returns a new empty store for each test of the suite.
func Run(t *testing.T, open func(t *testing.T) Subject) {
	t.Helper()
	for name, test := range map[string]func(*bench){
		"a delivery is stored once for the life of the discussion (I1, I2)": deliveries,
		"other identities of an input are recognised (I2)":                  identities,
		"a full mailbox takes no more and loses nothing (I1)":               fullMailbox,
		"one person's flood leaves room for others' mail (I1)":              crowdedMailbox,
		"a claim comes with everything":                                     claims,
		"of two holders one changes anything (I7)":                          fencing,
		"a lease ends unless renewed (I7)":                                  leases,
		"claims without a commit are counted":                               crashes,
		"what a holder tries is counted until a commit":                     tries,
		"a commit changes everything at once":                               commits,
		"an impossible commit changes nothing":                              refusals,
		"a rewritten entry is what everybody reads":                         rewrites,
		"a release is refused while mail waits (I1)":                        releases,
		"a holder may give back although mail waits":                        yields,
		"a timer fires once and never early (I9)":                           timers,
		"the due wait longest first":                                        dueOrder,
		"posts keep the channel's pace":                                     pace,
		"a pause that Slack asked for holds for everybody":                  pause,
		"a closed discussion takes nothing and can be read":                 closing,
		"a discussion is found by its thread":                               threads,
		"a thread is one discussion's (I12)":                                occupiedThreads,
		"a thread that another has is not taken over (I12)":                 occupiedRoots,
		"a message is found by whoever said it, and where (I1)":             messages,
		"a listing is of one channel, newest first (I12)":                   listings,
		"states are read many at once, without their logs":                  states,
		"threads are read back at the pace of all replicas":                 readings,
		"one is the first":                                                  firsts,
		"parked mail can be put back (I1)":                                  letters,
		"an act is recorded with the commit that it belongs to":             acts,
		"the audit record can be asked for a time and a channel":            actsAsked,
		"what is forgotten is out of sight and comes back as it was":        farewells,
		"what was forgotten is removed, and nothing else":                   removals,
		"what was taken back is not removed with its item":                  takenBack,
		"what is worked on is not forgotten":                                busyFarewells,
		"what is worked on is not removed, and may write":                   busyRemovals,
		"what is written into comes back":                                   revivals,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			test(&bench{T: t, Subject: open(t), ctx: ctx})
		})
	}
	RunItems(t, func(t *testing.T) engine.Items { return open(t).Store })
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
	got, err := b.Store.Deliver(b.ctx, engine.Delivery{Ref: ref, Mail: input(id), Opens: true})
	if err != nil || got.Reception != want || got.Claim != nil {
		b.Fatalf("Deliver(%s) = %+v, %v, want %q", id, got, err, want)
	}
}

func (b *bench) claim(ref engine.Ref) *engine.Claim {
	b.Helper()
	h, err := b.Store.Claim(b.ctx, ref, engine.Claimant{Owner: "one"})
	if err != nil || h == nil {
		b.Fatalf("Claim(%s) = %v, %v, want a claim", ref.ID, h, err)
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
func (b *bench) held(ref engine.Ref) *engine.Claim {
	b.Helper()
	b.deliver(ref, "first", engine.Stored)
	return b.claim(ref)
}

func (b *bench) commit(h *engine.Claim, c engine.Commit) engine.Committed {
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
