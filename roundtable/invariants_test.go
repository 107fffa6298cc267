package roundtable

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/rulestest"
)

// rules are what any step is held to.
var rules = rulestest.Rules[Discussion, Result]{
	Left: func(r Result) Discussion { return r.Discussion }, Encode: Encode, Decode: Decode,
}

// checkedStep is Step with everything checked that must hold whatever happens. log
// is the discussion's before it.
func checkedStep(t *testing.T, d Discussion, in Input, log []Entry) Result {
	t.Helper()
	r := rules.Pure(t, d, in.Event, func(d Discussion) Result { return Step(d, in) })
	checkInvariants(t, d, r, append(log[:len(log):len(log)], r.Entries...))
	return r
}

// checkInvariants checks what must hold after every step: only legal moves (I6),
// as many turns as the transcript has and never more than the limit (I5,
// NFR-006), no two effects with one key, and a reason wherever things stand
// still (I10).
func checkInvariants(t *testing.T, before Discussion, r Result, log []Entry) {
	t.Helper()
	d := r.Discussion
	rulestest.Moves(t, before.State, d.State, r.Moves, Transitions())
	turns := map[int]bool{}
	for _, e := range log {
		if e.Kind == EntryTurn {
			turns[e.Turn] = true
		}
	}
	if len(turns) != d.Turns {
		t.Errorf("I5: counter %d, transcript %d", d.Turns, len(turns))
	}
	if d.State != "" && d.Turns > d.Settings.MaxTurns {
		t.Errorf("I5/NFR-006: %d turns, limit %d", d.Turns, d.Settings.MaxTurns)
	}
	rulestest.Keys(t, r.Effects)
	if d.State != "" && d.State != StateClosed && standing(d) == "" {
		t.Errorf("I10: nothing says why state %s stands as it does", d.State)
	}
}
