package rulestest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Rules are those of a matter M whose step has results R: what is needed to hold
// any step to what all must do.
type Rules[M, R any] struct {
	// Left is the matter that a result leaves.
	Left   func(R) M
	Encode func(M) ([]byte, error)
	Decode func([]byte) (M, error)
}

// Pure takes a step and checks that it changes nothing of what it is given, comes
// out the same again, and leaves a matter that survives the store. event is named in
// failures by its type.
func (rules Rules[M, R]) Pure(t *testing.T, m M, event any, step func(M) R) R {
	t.Helper()
	before := rules.encode(t, m)
	r := step(m)
	if after := rules.encode(t, m); after != before {
		t.Errorf("Step changed its input on %T (-before +after):\n%s", event, cmp.Diff(before, after))
	}
	// Fuzzing comes here millions of times: a difference is drawn only where there is one.
	if again := step(m); !reflect.DeepEqual(r, again) {
		t.Errorf("Step is not deterministic on %T (-once +again):\n%s", event, cmp.Diff(r, again))
	}
	stored := rules.encode(t, rules.Left(r))
	back, err := rules.Decode([]byte(stored))
	if err != nil {
		t.Fatal(err)
	}
	if again := rules.encode(t, back); again != stored {
		t.Errorf("the stored form does not survive a round trip (-stored +again):\n%s", cmp.Diff(stored, again))
	}
	return r
}

func (rules Rules[M, R]) encode(t *testing.T, m M) string {
	t.Helper()
	b, err := rules.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Moves checks that a step moved along the table only, from where the matter was to
// where it is (I6). A matter that is not yet open has no state.
func Moves[S ~string, M interface {
	comparable
	~struct{ From, To S }
}](t *testing.T, from, to S, moves, transitions []M) {
	t.Helper()
	for _, fault := range Astray(from, to, moves, transitions) {
		t.Error(fault)
	}
}

// Astray says what Moves finds wrong.
func Astray[S ~string, M interface {
	comparable
	~struct{ From, To S }
}](from, to S, moves, transitions []M) (faults []string) {
	at := from
	for _, m := range moves {
		move := struct{ From, To S }(m)
		if at != "" && move.From != at {
			faults = append(faults, fmt.Sprintf("I6: move %v does not start at %s", m, at))
		}
		if !slices.Contains(transitions, m) {
			faults = append(faults, fmt.Sprintf("I6: %v is no transition", m))
		}
		at = move.To
	}
	if from != "" && at != to {
		faults = append(faults, fmt.Sprintf("I6: state %s, but the moves lead to %s", to, at))
	}
	return faults
}

// Keys checks that no two effects have one key (I3).
func Keys[E interface{ EffectKey() string }](t *testing.T, effects []E) {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range effects {
		if seen[e.EffectKey()] {
			t.Errorf("two effects have the key %s", e.EffectKey())
		}
		seen[e.EffectKey()] = true
	}
}
