package simulation_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/engine/simulation"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// floods are plans in which Mallory writes sixty messages, the first as long as Slack
// takes one, before Priya says a word: while the panel frames, and while it talks.
func floods() map[string]simulation.Plan {
	flood := func(from time.Duration) (acts []simulation.Act) {
		acts = append(acts, simulation.Act{After: from, In: 1})
		for _, size := range []int{39_000, 9_000, 900, 90, 9} { // whatever is full, it is full to the brim
			for i := range 12 {
				acts = append(acts, simulation.Act{After: 10 * time.Millisecond, In: 1, Who: 4, Say: fmt.Sprintf("%d %s", i, strings.Repeat("議", size))})
			}
		}
		return append(acts, simulation.Act{After: time.Second, In: 1, Who: 1, Say: "Decision: one ledger."}, simulation.Act{After: time.Minute, In: 1, Who: 1, Say: "done"})
	}
	plan := func(slow, from time.Duration) simulation.Plan {
		return simulation.Plan{Seed: 1, Replicas: 2, Discussions: 1, Settings: roundtable.Settings{MaxTurns: 60, MayExtend: true}, Slow: slow, Linger: 5 * time.Second,
			Acts: flood(from), Hostile: true, Faults: []simulation.Fault{}}
	}
	return map[string]simulation.Plan{"while the panel frames": plan(110*time.Second, 0), "while the panel talks": plan(50*time.Second, 2*time.Minute)}
}

// TestFloodPutsNobodyAside shows that a flood by one person never has another's words
// put aside (I1; NFR-103).
func TestFloodPutsNobodyAside(t *testing.T) {
	for name, p := range floods() {
		t.Run(name, func(t *testing.T) {
			if r := run(t, p, sound()); len(r.Violations) > 0 {
				t.Errorf("got %v", r.Violations)
			}
		})
	}
}

// TestHostileFlaws breaks what keeps rogues out and expects the simulation to notice.
func TestHostileFlaws(t *testing.T) {
	for name, v := range map[string]variant{
		"the edge takes guests for members": {want: "FR-108", within: 100, flaw: breakStore(func(s engine.Store) engine.Store { return welcoming{s} })},
	} {
		t.Run(name, func(t *testing.T) {
			for s := uint64(1); s <= v.within; s++ {
				r := run(t, simulation.DrawHostile(s), v.flaw())
				if slices.ContainsFunc(r.Violations, func(f invariant.Violation) bool { return sign(f) == v.want }) {
					t.Logf("noticed with seed %d: %v", s, r.Violations)
					return
				}
			}
			t.Fatalf("%d seeds, and %s was not noticed", v.within, v.want)
		})
	}
}

// welcoming forgets of whom it takes mail that they are guests.
type welcoming struct{ engine.Store }

func (s welcoming) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	in, err := roundtable.DecodeInput(d.Mail.Body)
	if err != nil {
		return engine.Delivered{}, err
	}
	switch e := in.Event.(type) {
	case roundtable.Said:
		e.By = e.By.As(thread.StandingMember)
		in.Event = e
	case roundtable.Reacted:
		e.By = e.By.As(thread.StandingMember)
		in.Event = e
	case roundtable.Pressed:
		e.By = e.By.As(thread.StandingMember)
		in.Event = e
	case roundtable.Opened, roundtable.Edited, roundtable.Deleted, roundtable.TimerFired, roundtable.Framed, roundtable.Contributed, roundtable.RoundEnded,
		roundtable.Drafted, roundtable.Failed, roundtable.Posted, roundtable.DocumentsWritten, roundtable.Analysed, roundtable.DNDChecked, roundtable.Identified,
		roundtable.Parked:
	}
	if d.Mail.Body, err = roundtable.EncodeInput(in); err != nil {
		return engine.Delivered{}, err
	}
	return s.Store.Deliver(ctx, d)
}
