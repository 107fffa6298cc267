package simulation_test

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/simulation"
)

// TestCrashPoints plays systems without any fault, and then again once for every
// call that any replica made, crashing that replica before it and after it, with the
// reply unread (NFR-101, I1–I10). Every point is another one: of
// another plan, at another call, or on its other side.
func TestCrashPoints(t *testing.T) {
	var total tally
	begun := time.Now()
	plans := uint64(0)
	for ; total.runs < *points; plans++ {
		p := simulation.Draw(*seed + plans)
		p.Hazards, p.Faults = simulation.Hazards{}, []simulation.Fault{}
		calm := run(t, p, sound())
		if len(calm.Violations) > 0 {
			report(t, p, calm)
		}
		for nth := 1; nth <= calm.Calls && total.runs < *points; nth++ {
			for _, kind := range []simulation.Kind{simulation.CrashBefore, simulation.CrashAfter} {
				p.Faults = []simulation.Fault{{Nth: nth, Kind: kind}}
				r := run(t, p, sound())
				if len(r.Faults) == 0 {
					continue // the panel's words have no other side
				}
				total.add(r)
				if len(r.Violations) > 0 && total.failed <= mostReported {
					report(t, p, r)
				}
			}
		}
	}
	t.Logf("plans of seeds %d to %d in %v: %s", *seed, *seed+plans-1, time.Since(begun).Round(time.Millisecond), &total)
	if total.failed > 0 {
		t.Errorf("%d of %d crash points broke an invariant", total.failed, total.runs)
	}
}
