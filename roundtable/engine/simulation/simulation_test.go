package simulation_test

import (
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/simulation"
)

var (
	schedules = flag.Int("simulation.schedules", 200, "how many random schedules to run")
	hostile   = flag.Int("simulation.hostile", 100, "how many random schedules with rogues in them to run")
	seed      = flag.Uint64("simulation.seed", 1, "the seed of the first of them; the others follow")
	points    = flag.Int("simulation.points", 150, "at how many points to crash, at least")
)

// run runs a plan in a bubble of its own.
func run(t *testing.T, p simulation.Plan, flaw simulation.Flaw) (r simulation.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if r, err = simulation.Run(p, flaw); err != nil {
			t.Fatalf("seed %d: %v", p.Seed, err)
		}
	})
	return r
}

// shrink makes a plan that fails as small as it gets.
func shrink(t *testing.T, p simulation.Plan, r simulation.Result, flaw func() simulation.Flaw) (simulation.Plan, simulation.Result) {
	t.Helper()
	small := simulation.Shrink(p, r, func(q simulation.Plan) bool {
		got := run(t, q, flaw())
		return len(got.Violations) > 0 && got.Violations[0].Invariant == r.Violations[0].Invariant
	})
	return small, run(t, small, flaw())
}

// sound is no flaw.
func sound() simulation.Flaw { return simulation.Flaw{} }

// report tells of a run that broke an invariant, in as few steps as show it.
func report(t *testing.T, p simulation.Plan, r simulation.Result) {
	t.Helper()
	small, again := shrink(t, p, r, sound)
	t.Errorf("seed %d: %v\nshrunk to %v\n%s%s", p.Seed, r.Violations, again.Violations, small, again.Trace())
}

// mostReported bounds how many runs that fail are told in full.
const mostReported = 5

// TestSchedules runs as many systems as it is told to, each with its own seed:
// other people, other faults, another order. Whatever befalls, every invariant holds
// once all has come to rest (I1–I10; I1–4).
func TestSchedules(t *testing.T) {
	var total tally
	begun := time.Now()
	for s := *seed; s < *seed+uint64(*schedules); s++ {
		p := simulation.Draw(s)
		r := run(t, p, sound())
		total.add(r)
		if len(r.Violations) > 0 && total.failed <= mostReported {
			report(t, p, r)
		}
	}
	t.Logf("seeds %d to %d in %v: %s", *seed, *seed+uint64(*schedules)-1, time.Since(begun).Round(time.Millisecond), &total)
	if total.failed > 0 {
		t.Errorf("%d of %d schedules broke an invariant", total.failed, *schedules)
	}
}

// TestHostileSchedules runs systems with rogues among their people: floods, edits by the
// dozen, a guest's words, marks and buttons. Whatever befalls, every invariant holds,
// nothing of anybody else's is put aside, and a guest ended and decided nothing (I1–I10;
// FR-108).
func TestHostileSchedules(t *testing.T) {
	var total tally
	begun := time.Now()
	for s := *seed; s < *seed+uint64(*hostile); s++ {
		p := simulation.DrawHostile(s)
		r := run(t, p, sound())
		total.add(r)
		if len(r.Violations) > 0 && total.failed <= mostReported {
			report(t, p, r)
		}
	}
	t.Logf("seeds %d to %d in %v: %s", *seed, *seed+uint64(*hostile)-1, time.Since(begun).Round(time.Millisecond), &total)
	if total.failed > 0 {
		t.Errorf("%d of %d hostile schedules broke an invariant", total.failed, *hostile)
	}
}

// TestSameSeedSameRun runs plans twice: every step and everything that remains is
// the same, to the byte and the nanosecond. Without that no seed would be worth
// writing down.
//
// One thing is left to chance: if two timers of one turn have both run out while the
// turn was busy, Go's select takes either. That befalls less than one run in a
// thousand, and both runs are right.
func TestSameSeedSameRun(t *testing.T) {
	differ := 0
	n := max(1, *schedules/5)
	for s := *seed; s < *seed+uint64(n); s++ {
		first, second := run(t, simulation.Draw(s), sound()), run(t, simulation.Draw(s), sound())
		if first.Hash == second.Hash {
			continue
		}
		differ++
		for i := range min(len(first.Steps), len(second.Steps)) {
			if first.Steps[i] != second.Steps[i] {
				t.Logf("seed %d: step %d was %v, then %v", s, i, first.Steps[i], second.Steps[i])
				break
			}
		}
	}
	t.Logf("%d of %d seeds gave two different runs", differ, n)
	if differ > 1+n/1000 {
		t.Error("a seed does not reproduce its run")
	}
}
