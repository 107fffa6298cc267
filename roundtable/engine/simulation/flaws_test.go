package simulation_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/engine/simulation"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// variant is a way in which such systems are broken, and within how many seeds the
// simulation must notice.
type variant struct {
	name string
	// want is the sign by which it must be noticed.
	want   string
	flaw   func() simulation.Flaw
	within uint64
	// of are the faults that bring it out, where it takes some in particular.
	of []simulation.Kind
}

func variants() []variant {
	return []variant{
		{"acknowledges before it stores", "I1", func() simulation.Flaw { return simulation.Flaw{AckFirst: true} }, 300, nil},
		{"ignores the fence", "I7", unfenced, 300, []simulation.Kind{simulation.PauseBefore, simulation.PauseAfter}},
		{"acts after its time", "I7", func() simulation.Flaw {
			return simulation.Flaw{Adjust: func(o *engine.Options) {
				o.Store = heldStore{o.Store, func(h *engine.Claim) { h.Until = h.Until.Add(time.Hour) }}
				o.Workplace = endless(o.Workplace)
			}}
		}, 300, nil},
		{"does not renew its lease", "I10", breakStore(idle), 300, nil},
		{"does not mark before it sends", "I3", committing(func(c *engine.Commit) { c.Attempt = false }), 300, nil},
		{"does not tell the next holder of an attempt", "I3", holding(func(h *engine.Claim) { h.Attempted = time.Time{} }), 300, nil},
		{"sends again when in doubt", "I3", breakSlack(hasty), 300, doubts()},
		{"believes a post in doubt", "I3", breakSlack(hopeful), 300, doubts()},
		{"gives up what only the channel refuses", "I3", breakSlack(misreading(thread.ReasonMessageRefused)), 300, []simulation.Kind{simulation.Shut}},
		{"says nothing of what is refused", "I3", breakSlack(misreading(thread.ReasonThreadGone)), 300, []simulation.Kind{simulation.Reject}},
		{"never finds what stands", "I3", breakSlack(func(w engine.Workplace) engine.Workplace {
			return brokenSlack{Workplace: w, find: func() []engine.Found { return nil }}
		}), 300, nil},
		{"does not let Slack settle", "I3", func() simulation.Flaw {
			return simulation.Flaw{Adjust: func(o *engine.Options) { o.PostTimeout, o.Settle = 100*time.Millisecond, 101*time.Millisecond }}
		}, 300, nil},
		{"removes the wrong double", "I3", func() simulation.Flaw {
			return simulation.Flaw{Adjust: func(o *engine.Options) {
				o.Workplace = brokenSlack{Workplace: o.Workplace, mu: &sync.Mutex{}, found: make(map[string][]string)}
			}}
		}, 300, nil},
		{"does not read what never came", "I1", breakSlack(func(w engine.Workplace) engine.Workplace { return brokenSlack{Workplace: w, deaf: true} }), 300, nil},
		{"does not ask whether the store forgot", "I1", holding(func(h *engine.Claim) { h.Rewound = false }), 300, []simulation.Kind{simulation.Rollback}},
		{"drops mail when it claims", "I1", breakStore(func(s engine.Store) engine.Store {
			return &forgetfulStore{Store: s, lost: make(map[engine.Ref]string)}
		}), 300, nil},
		{"takes in what it knows", "I2", breakStore(repetitive), 300, nil},
		{"consumes mail before the commit", "I1", breakStore(func(s engine.Store) engine.Store {
			return inTwo{s, func(c *engine.Commit) engine.Commit {
				first := engine.Commit{Consumed: c.Consumed}
				c.Consumed = nil
				return first
			}}
		}), 300, nil},
		{"commits state and outbox apart", "I3", breakStore(func(s engine.Store) engine.Store {
			return inTwo{s, func(c *engine.Commit) engine.Commit {
				first := engine.Commit{State: c.State, Consumed: c.Consumed, Append: c.Append}
				c.State, c.Consumed, c.Append = nil, nil, nil
				return first
			}}
		}), 300, nil},
		{"queues effects out of order", "I4", committing(func(c *engine.Commit) {
			c.Enqueue = slices.Clone(c.Enqueue)
			slices.Reverse(c.Enqueue)
		}), 300, nil},
		{"forgets when to wake", "I3", committing(func(c *engine.Commit) {
			if c.Mode == engine.ModeRelease {
				c.Wake = time.Time{}
			}
		}), 300, []simulation.Kind{simulation.Tardy}},
		{"goes back to where it was", "I6", committing(func(c *engine.Commit) {
			if d, err := roundtable.Decode(c.State); c.State != nil && err == nil && d.State == roundtable.StatePersist {
				d.State = roundtable.StateDiscussionLoop
				c.State, _ = roundtable.Encode(d)
			}
		}), 300, nil},
		{"wakes early", "I9", early(30 * time.Second), 300, nil},
		{"trusts its own clock", "I9", breakStore(ownClock), 300, nil},
		{"miscounts turns", "I5", committing(func(c *engine.Commit) {
			if d, err := roundtable.Decode(c.State); c.State != nil && err == nil && d.Turns > 3 {
				d.Turns++
				c.State, _ = roundtable.Encode(d)
			}
		}), 300, nil},
		{"loses a block when it merges", "I8", breakItems(func(i engine.Items) engine.Items { return lossyItems{i} }), 300, nil},
		{"overwrites what others wrote", "I8", breakItems(func(i engine.Items) engine.Items { return overwriting{i} }), 1000, []simulation.Kind{}},
	}
}

// doubts are the faults that leave a post in doubt.
func doubts() []simulation.Kind {
	return []simulation.Kind{simulation.LostReply, simulation.Late, simulation.Fail, simulation.Hidden}
}

// restless is the sign of a system that goes on for ever. The simulation calls that
// I10, but it does not tell what is broken, so no variant may be noticed by it alone.
const restless = "does not come to rest"

// sign is what a violation tells: the invariant that is broken, or restless.
func sign(v invariant.Violation) string {
	if strings.Contains(v.Detail, restless) {
		return restless
	}
	return v.Invariant
}

// TestFlaws breaks the system in ways in which such systems are broken and expects
// the simulation to notice each, soon, and by the invariant that it breaks. A
// simulation that finds nothing wrong with a broken system proves nothing of a sound
// one.
func TestFlaws(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			p, r := firstFailure(t, v)
			i := slices.IndexFunc(r.Violations, func(f invariant.Violation) bool { return sign(f) == v.want })
			if i < 0 {
				t.Fatalf("%d seeds, and %s was not noticed", v.within, v.want)
			}
			t.Logf("noticed with seed %d: %s", p.Seed, r.Violations[i])
		})
	}
}

// TestOwnClock shows that it takes the skew of clocks to notice that a replica trusts
// its own (I9): the plan that shows it shows nothing once the clocks agree.
func TestOwnClock(t *testing.T) {
	v := variant{"trusts its own clock", "I9", breakStore(ownClock), 300, nil}
	p, r := firstFailure(t, v)
	if len(r.Violations) == 0 || p.Skew == 0 {
		t.Fatalf("got %v with a skew of %v, want one of %s with some", r.Violations, p.Skew, v.want)
	}
	p.Skew = 0
	if r := run(t, p, v.flaw()); len(r.Violations) > 0 {
		t.Errorf("got %v without a skew, want none", r.Violations)
	}
}

// firstFailure runs seed after seed until what a variant breaks is noticed; the result
// has no violations if it never is.
func firstFailure(t *testing.T, v variant) (p simulation.Plan, r simulation.Result) {
	t.Helper()
	for s := uint64(1); s <= v.within; s++ {
		p = simulation.Draw(s)
		if v.of != nil {
			p.Hazards = simulation.Hazards{Rate: 600, Most: 6, Kinds: v.of}
		}
		r = run(t, p, v.flaw())
		if slices.ContainsFunc(r.Violations, func(f invariant.Violation) bool { return sign(f) == v.want }) {
			return p, r
		}
	}
	return p, simulation.Result{}
}
