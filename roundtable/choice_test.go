package roundtable

import (
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// optionsOf are "key: label" for each.
func optionsOf(list ...string) []Option {
	var out []Option
	for _, l := range list {
		by, label, _ := strings.Cut(l, ": ")
		out = append(out, Option{By: persona.Key(by), Label: label, Reason: "x"})
	}
	return out
}

// AC-005-02: when two conflicts are the same one in other words.
func TestSettled(t *testing.T) {
	put := optionsOf("alex: One ledger", "jordan: Two ledgers")
	for _, tt := range []struct {
		name    string
		options []Option
		want    bool
	}{
		{"the same", put, true},
		{"in another order", optionsOf("jordan: Two ledgers", "alex: One ledger"), true},
		{"in other letters", optionsOf("alex: one ledger.", "jordan: the two Ledgers"), true},
		{"in more words", optionsOf("alex: One single ledger", "jordan: Two ledgers"), true},
		{"by nobody known", optionsOf("maya: One ledger", "maya: Two ledgers"), true},
		{"both are like one of them", optionsOf("alex: One ledger", "jordan: One ledger!"), false},
		{"one of them is new", optionsOf("alex: One ledger", "jordan: No ledger at all"), false},
		{"a third position", optionsOf("alex: One ledger", "jordan: Two ledgers", "maya: A spreadsheet"), false},
		{"another subject", optionsOf("alex: Photos are queued", "jordan: Photos are left out"), false},
		{"labels without a word", optionsOf("alex: 👍", "jordan: 👎"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Conflict{Question: "?", Options: tt.options}
			open := Discussion{Choice: &Choice{Options: put}}
			made := Discussion{Decided: []Decided{{Options: optionsOf("alex: A", "jordan: B")}, {Options: put}}}
			if got := open.settled(c); got != tt.want {
				t.Errorf("while it is open: got %v, want %v", got, tt.want)
			}
			if got := made.settled(c); got != tt.want {
				t.Errorf("after it was made: got %v, want %v", got, tt.want)
			}
			if (Discussion{}).settled(c) {
				t.Error("settled, and nothing was ever put")
			}
		})
	}
}

// What is remembered of choices does not grow with a discussion.
func TestDecidedIsBounded(t *testing.T) {
	s := step{}
	for range 3 * decidedLimit {
		s.decide(Choice{ID: "c", Options: optionsOf("alex: A", "jordan: B")}, Option{Label: "A"}, thread.Person{ID: "U1"})
	}
	if n := len(s.d.Decided); n != decidedLimit {
		t.Errorf("%d are remembered, want %d", n, decidedLimit)
	}
}
