package roundtable

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/rulestest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// rules are what any step is held to.
var rules = rulestest.Rules[Discussion, Result]{
	Left: func(r Result) Discussion { return r.Discussion }, Encode: Encode, Decode: Decode,
}

// checkedStep is Step with everything checked that must hold whatever happens. log
// is the discussion's before it.
func checkedStep(t *testing.T, d Discussion, in Input, log []thread.Entry) Result {
	t.Helper()
	r := rules.Pure(t, d, in.Event, func(d Discussion) Result { return Step(d, in) })
	checkInvariants(t, d, r, append(log[:len(log):len(log)], r.Entries...))
	return r
}

// checkInvariants checks what must hold after every step: only legal moves (I6),
// as many turns as the transcript has and never more than the limit (I5,
// NFR-006), no two effects with one key, and a reason wherever things stand
// still (I10).
func checkInvariants(t *testing.T, before Discussion, r Result, log []thread.Entry) {
	t.Helper()
	d := r.Discussion
	rulestest.Moves(t, before.State, d.State, r.Moves, Transitions())
	turns := map[int]bool{}
	for _, e := range log {
		if e.Kind == thread.EntryTurn {
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
	if len(r.Entries) > 0 {
		checkRights(t, d, log)
	}
	if d.State != "" && d.State != StateClosed && Standing(d) == "" {
		t.Errorf("I10: nothing says why state %s stands as it does", d.State)
	}
}

// checkRights checks that no person ended the discussion, decided in it or changed who
// speaks but a full member who has the right (FR-108).
func checkRights(t *testing.T, d Discussion, log []thread.Entry) {
	t.Helper()
	if x := d.Exit; x != nil && x.By != nil && d.Settings.Close.Judge(*x.By, d.Opener.ID) != thread.VerdictGranted {
		t.Errorf("FR-108: ended by %+v", *x.By)
	}
	for _, x := range d.Decided {
		if d.Settings.Choose.Judge(x.By, d.Opener.ID) != thread.VerdictGranted {
			t.Errorf("FR-108: chosen by %+v", x.By)
		}
	}
	vouched := map[string]bool{}
	for _, e := range log {
		if e.Kind == thread.EntryKnown {
			vouched[e.Person.ID] = true
		}
	}
	for _, m := range thread.ReadTranscript(log).Marks {
		by := m.By
		if by.Is() == thread.StandingUnknown && vouched[by.ID] {
			by = by.As(thread.StandingMember)
		}
		if m.Kind == thread.MarkDecision && d.Settings.Choose.Judge(by, d.Opener.ID) != thread.VerdictGranted {
			t.Errorf("FR-108: %q decided by %+v", m.Body, m.By)
		}
	}
}
