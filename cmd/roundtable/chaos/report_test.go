package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

func verdict(mode Mode, seed uint64) Verdict {
	return Verdict{Plan: Plan{Mode: mode, Seed: seed, Commit: "abc1234"}, Begun: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
}

// A run replaces the sections of its own modes and leaves the others alone.
func TestReport(t *testing.T) {
	var report []byte
	for _, run := range [][]Verdict{
		{verdict(Failovers, 1)}, {verdict(Restarts, 2), verdict(Unconfirmed, 3)}, {verdict(Restarts, 4)}, {},
	} {
		var err error
		if report, err = Report(report, run); err != nil {
			t.Fatal(err)
		}
	}
	last := 0
	for _, want := range []string{Preface, "### restarts\n", "seed 4.", "### failovers\n", "seed 1.", "### unconfirmed\n", "seed 3."} {
		at := strings.Index(string(report), want)
		if at < last || strings.Count(string(report), want) != 1 {
			t.Errorf("%.40q stands at %d, %d times, want it once after %d", want, at, strings.Count(string(report), want), last)
		}
		last = at
	}
	if strings.Contains(string(report), "seed 2.") {
		t.Error("the former section stands")
	}
	if _, err := Report([]byte("<!-- restarts -->\nhalf"), nil); err == nil {
		t.Error("a section without an end was taken")
	}
}

func TestTableSaysWhenAndWhat(t *testing.T) {
	if got, want := verdict(Restarts, 1).Table(), "Of 21 November 2026, at commit abc1234,"; !strings.Contains(got, want) {
		t.Errorf("got %s, want %q in it", got, want)
	}
}

// A long run of the mode that may break promises says so if it broke none.
func TestShowsNothing(t *testing.T) {
	broken := []invariant.Violation{{Invariant: "I1"}}
	tests := []struct {
		name string
		v    Verdict
		want bool
	}{
		{"long and nothing broken", Verdict{Plan: Plan{Mode: Unconfirmed, For: long}}, true},
		{"long and something broken", Verdict{Plan: Plan{Mode: Unconfirmed, For: long}, Tolerated: broken}, false},
		{"short", Verdict{Plan: Plan{Mode: Unconfirmed, For: long - 1}}, false},
		{"confirmed", Verdict{Plan: Plan{Mode: Failovers, For: long}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.v.ShowsNothing(); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if got := strings.Contains(tt.v.Table(), "This is no promise"); got != tt.want {
				t.Errorf("told: got %v, want %v", got, tt.want)
			}
		})
	}
}
