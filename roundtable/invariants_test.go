package roundtable

import (
	"slices"
	"testing"
)

// checkInvariants checks what must hold after every step: only legal moves (I6),
// as many turns as the transcript has and never more than the limit (I5,
// NFR-006), no two effects with one key, and a reason wherever things stand
// still (I10).
func checkInvariants(t *testing.T, before Discussion, r Result, log []Entry) {
	t.Helper()
	d := r.Discussion
	at := before.State
	for _, m := range r.Moves {
		if at != "" && m.From != at {
			t.Errorf("I6: move %v does not start where the discussion is (%s)", m, at)
		}
		if !slices.Contains(Transitions(), m) {
			t.Errorf("I6: %v is no transition", m)
		}
		at = m.To
	}
	if before.State != "" && at != d.State {
		t.Errorf("I6: state %s, but the moves lead to %s", d.State, at)
	}
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
	keys := map[string]bool{}
	for _, e := range r.Effects {
		if keys[e.EffectKey()] {
			t.Errorf("two effects have the key %s", e.EffectKey())
		}
		keys[e.EffectKey()] = true
	}
	if d.State != "" && d.State != StateClosed && standing(d) == "" {
		t.Errorf("I10: nothing says why state %s stands as it does", d.State)
	}
}
