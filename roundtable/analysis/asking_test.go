package analysis

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestWhatContinuesATurn shows that messages of one person within the gathering
// window are one turn (FR-003), and that one recovered after a gap, which is older,
// continues nothing.
func TestWhatContinuesATurn(t *testing.T) {
	start := time.Unix(10_000, 0)
	tests := []struct {
		name string
		by   string
		at   time.Duration
		want int
	}{
		{"at once", "Tom", 0, 1},
		{"within the window", "Tom", 19 * time.Second, 1},
		{"after the window", "Tom", 20 * time.Second, 2},
		{"somebody else", "Priya", time.Second, 2},
		{"an hour before", "Tom", -time.Hour, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := beingWritten(false)
			a.Settings.Gather = 20 * time.Second
			var turns []int
			for i, at := range []time.Time{start, start.Add(tt.at)} {
				by := person("Tom")
				if i == 1 {
					by = person(tt.by)
				}
				r := Step(a, Input{ID: "m:" + at.String(), At: at, Event: Said{TS: at.String(), By: by, Text: "A thought about rain"}})
				a = r.Analysis
				for _, e := range r.Entries {
					if e.Kind == thread.EntryTurn {
						turns = append(turns, e.Turn)
					}
				}
			}
			if diff := cmp.Diff([]int{1, tt.want}, turns); diff != "" || a.Step.Answers != tt.want {
				t.Errorf("turns (-want +got):\n%s%d answers", diff, a.Step.Answers)
			}
		})
	}
}
