package simulation_test

import (
	"flag"
	"testing"
	"testing/synctest"

	"github.com/roundtable-chat/app/roundtable/engine/simulation"
)

var (
	schedules = flag.Int("simulation.schedules", 400, "how many random schedules to run")
	seed      = flag.Uint64("simulation.seed", 1, "the seed of the first of them; the others follow")
	verbose   = flag.Bool("simulation.trace", false, "print the whole trace of what fails")
)

// run runs a plan in a bubble of its own.
func run(t *testing.T, p simulation.Plan, flaw simulation.Flaw) (r simulation.Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if r, err = simulation.Run(p, flaw); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

func TestSchedules(t *testing.T) {
	calls, faults, failed := 0, 0, 0
	for s := *seed; s < *seed+uint64(*schedules); s++ {
		r := run(t, simulation.Draw(s), simulation.Flaw{})
		calls += r.Calls
		faults += len(r.Faults)
		if len(r.Violations) > 0 {
			failed++
			if failed < 200 {
				t.Errorf("seed %d: %v\nfaults: %v", s, r.Violations, r.Faults)
				if *verbose {
					small := shrink(t, simulation.Draw(s), r, simulation.Flaw{})
					t.Logf("%+v\n%v\n%s", small, run(t, small, simulation.Flaw{}).Violations, run(t, small, simulation.Flaw{}).Trace())
				}
			}
		}
	}
	t.Logf("%d schedules, %d calls, %d faults, %d failed", *schedules, calls, faults, failed)
}

// shrink shrinks a plan that fails.
func shrink(t *testing.T, p simulation.Plan, r simulation.Result, flaw simulation.Flaw) simulation.Plan {
	t.Helper()
	return simulation.Shrink(p, r, func(q simulation.Plan) bool {
		got := run(t, q, flaw)
		return len(got.Violations) > 0 && got.Violations[0].Invariant == r.Violations[0].Invariant
	})
}
