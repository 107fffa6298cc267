package simulation_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/simulation"
)

// variant is a way in which such systems are broken, and within how many seeds the
// simulation must notice.
type variant struct {
	name   string
	flaw   func() simulation.Flaw
	within uint64
	// of are the faults that bring it out, where it takes some in particular.
	of []simulation.Kind
}

func variants() []variant {
	return []variant{
		{"acknowledges before it stores", func() simulation.Flaw { return simulation.Flaw{AckFirst: true} }, 300, nil},
		{"ignores the fence", unfenced, 300, []simulation.Kind{simulation.PauseBefore, simulation.PauseAfter}},
		{"acts after its time", func() simulation.Flaw {
			return simulation.Flaw{Adjust: func(o *engine.Options) {
				o.Store = heldStore{o.Store, func(h *engine.Holding) { h.Until = h.Until.Add(time.Hour) }}
				o.Workplace = endless(o.Workplace)
			}}
		}, 300, nil},
		{"does not renew its lease", breakStore(idle), 300, nil},
		{"does not mark before it sends", committing(func(c *engine.Commit) { c.Attempt = false }), 300, nil},
		{"does not tell the next holder of an attempt", holding(func(h *engine.Holding) { h.Attempted = time.Time{} }), 300, nil},
		{"sends again when in doubt", breakSlack(hasty), 300, doubts()},
		{"believes a post in doubt", breakSlack(hopeful), 300, doubts()},
		{"gives up what only the channel refuses", breakSlack(misreading(roundtable.ReasonMessageRefused)), 300, []simulation.Kind{simulation.Shut}},
		{"says nothing of what is refused", breakSlack(misreading(roundtable.ReasonThreadGone)), 300, []simulation.Kind{simulation.Reject}},
		{"never finds what stands", breakSlack(func(w engine.Workplace) engine.Workplace {
			return brokenSlack{Workplace: w, find: func() []engine.Found { return nil }}
		}), 300, nil},
		{"does not let Slack settle", func() simulation.Flaw {
			return simulation.Flaw{Adjust: func(o *engine.Options) { o.PostTimeout, o.Settle = 100*time.Millisecond, 101*time.Millisecond }}
		}, 300, nil},
		{"removes the wrong double", func() simulation.Flaw {
			return simulation.Flaw{Adjust: func(o *engine.Options) {
				o.Workplace = brokenSlack{Workplace: o.Workplace, mu: &sync.Mutex{}, found: make(map[string][]string)}
			}}
		}, 300, nil},
		{"does not read what never came", breakSlack(func(w engine.Workplace) engine.Workplace { return brokenSlack{Workplace: w, deaf: true} }), 300, nil},
		{"does not ask whether the store forgot", holding(func(h *engine.Holding) { h.Rewound = false }), 300, []simulation.Kind{simulation.Rollback}},
		{"drops mail when it claims", breakStore(func(s engine.Store) engine.Store {
			return &forgetfulStore{Store: s, lost: make(map[engine.Ref]string)}
		}), 300, nil},
		{"takes in what it knows", breakStore(repetitive), 300, nil},
		{"consumes mail before the commit", breakStore(func(s engine.Store) engine.Store {
			return inTwo{s, func(c *engine.Commit) engine.Commit {
				first := engine.Commit{Consumed: c.Consumed}
				c.Consumed = nil
				return first
			}}
		}), 300, nil},
		{"commits state and outbox apart", breakStore(func(s engine.Store) engine.Store {
			return inTwo{s, func(c *engine.Commit) engine.Commit {
				first := engine.Commit{State: c.State, Consumed: c.Consumed, Append: c.Append}
				c.State, c.Consumed, c.Append = nil, nil, nil
				return first
			}}
		}), 300, nil},
		{"queues effects out of order", committing(func(c *engine.Commit) {
			c.Enqueue = slices.Clone(c.Enqueue)
			slices.Reverse(c.Enqueue)
		}), 300, nil},
		{"forgets when to wake", committing(func(c *engine.Commit) {
			if c.Release && !c.Yield {
				c.Wake = time.Time{}
			}
		}), 300, nil},
		{"wakes early", early(30 * time.Second), 300, nil},
		{"miscounts turns", committing(func(c *engine.Commit) {
			if d, err := roundtable.Decode(c.State); c.State != nil && err == nil && d.Turns > 3 {
				d.Turns++
				c.State, _ = roundtable.Encode(d)
			}
		}), 300, nil},
		{"loses a block when it merges", breakItems(func(i engine.Items) engine.Items { return lossyItems{i} }), 300, nil},
		{"overwrites what others wrote", breakItems(func(i engine.Items) engine.Items { return overwriting{i} }), 1000, []simulation.Kind{}},
	}
}

// doubts are the faults that leave a post in doubt.
func doubts() []simulation.Kind {
	return []simulation.Kind{simulation.LostReply, simulation.Late, simulation.Fail, simulation.Hidden}
}

// TestFlaws breaks the system in ways in which such systems are broken and expects
// the simulation to notice each, soon. A simulation that finds nothing wrong with a
// broken system proves nothing of a sound one.
func TestFlaws(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			s, _, r := firstFailure(t, v)
			if len(r.Violations) == 0 {
				t.Fatalf("%d seeds, and nothing was noticed", v.within)
			}
			t.Logf("noticed with seed %d: %s", s, r.Violations[0])
		})
	}
}

// firstFailure runs seed after seed until something is noticed.
func firstFailure(t *testing.T, v variant) (s uint64, p simulation.Plan, r simulation.Result) {
	t.Helper()
	for s = 1; s <= v.within; s++ {
		p = simulation.Draw(s)
		if v.of != nil {
			p.Hazards = simulation.Hazards{Rate: 600, Most: 6, Kinds: v.of}
		}
		if r = run(t, p, v.flaw()); len(r.Violations) > 0 {
			break
		}
	}
	return s, p, r
}
