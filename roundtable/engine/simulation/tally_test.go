package simulation_test

import (
	"fmt"
	"strings"

	"github.com/roundtable-chat/app/roundtable/engine/simulation"
)

// tally adds up what runs were like.
type tally struct {
	runs, calls, steps, failed, excused int
	faults                              map[simulation.Kind]int
	hours                               float64
	hashes                              map[uint64]bool
}

func (t *tally) add(r simulation.Result) {
	if t.faults == nil {
		t.faults, t.hashes = make(map[simulation.Kind]int), make(map[uint64]bool)
	}
	t.runs++
	t.calls += r.Calls
	t.steps += len(r.Steps)
	t.hours += r.Span.Hours()
	t.hashes[r.Hash] = true
	for _, f := range r.Faults {
		t.faults[f.Kind]++
	}
	if len(r.Violations) > 0 {
		t.failed++
	}
	if len(r.Excused) > 0 {
		t.excused++
	}
}

func (t *tally) String() string {
	var kinds []string
	n := 0
	for _, k := range simulation.Kinds() {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, t.faults[k]))
		n += t.faults[k]
	}
	return fmt.Sprintf("%d runs, %d of them distinct, %d calls, %d steps, %.0f virtual hours, %d faults (%s), %d excused, %d failed",
		t.runs, len(t.hashes), t.calls, t.steps, t.hours, n, strings.Join(kinds, ", "), t.excused, t.failed)
}
