package simulation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/simulation"
)

// TestShrink shows that what fails shrinks to what a person can read: of everything
// that befell and that people did, what is needed remains, in a calm schedule.
func TestShrink(t *testing.T) {
	crashes := []simulation.Kind{simulation.CrashBefore, simulation.CrashAfter}
	tests := []struct {
		variant
		// faults and acts are how many must suffice.
		faults, acts int
	}{
		{variant{"does not tell the next holder of an attempt", "I3", holding(func(h *engine.Claim) { h.Attempted = time.Time{} }), 300, crashes}, 1, 2},
		{variant{"takes in what it knows", "I2", breakStore(repetitive), 300, nil}, 0, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, r := firstFailure(t, test.variant)
			if len(r.Violations) == 0 {
				t.Fatal("nothing was noticed, so there is nothing to shrink")
			}
			small, again := shrink(t, p, r, test.flaw)
			t.Logf("%d faults, %d acts, %d steps shrank to:\n%s%v\n%s", len(r.Faults), len(p.Acts), len(r.Steps), small, again.Violations, again.Trace())
			if len(again.Violations) == 0 || again.Violations[0].Invariant != r.Violations[0].Invariant {
				t.Errorf("it breaks %v, want %s as before", again.Violations, r.Violations[0].Invariant)
			}
			if got := len(small.Faults); got > test.faults {
				t.Errorf("%d faults remain, want at most %d", got, test.faults)
			}
			for _, f := range small.Faults {
				if !strings.Contains(again.Trace(), string(f.Kind)) {
					t.Errorf("the trace does not show the fault %v", f)
				}
			}
			if got := acts(small); got > test.acts {
				t.Errorf("%d acts remain, want at most %d", got, test.acts)
			}
			if len(again.Steps) > len(r.Steps) {
				t.Errorf("%d steps became %d", len(r.Steps), len(again.Steps))
			}
		})
	}
}

// acts counts what people still do in a plan.
func acts(p simulation.Plan) int {
	n := 0
	for _, a := range p.Acts {
		if a.Who != 0 {
			n++
		}
	}
	return n
}
