package roundtable

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// A message that comes late, after a gap without a connection, is no part of what its
// author wrote long after it, and does not stand below that in one turn.
func TestLateMessageIsATurnOfItsOwn(t *testing.T) {
	start := time.Unix(10_000, 0)
	tests := []struct {
		name string
		at   time.Duration // after the one that was taken in first
		want int
	}{
		{"in the window", 2 * time.Second, 1},
		{"after it", 3 * time.Second, 2},
		{"an hour before", -time.Hour, 2},
		{"just before", -time.Millisecond, 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := Discussion{ID: "D1", State: StateDiscussionLoop, Cast: testSeats(), Lead: "business-analyst", Settings: Settings{MaxTurns: 20, Gather: 3 * time.Second}}
			for i, at := range []time.Time{start, start.Add(test.at)} {
				ts := []string{"2.0", "1.0"}[i]
				d = Step(d, Input{ID: "m:" + ts, At: at, Event: Said{TS: ts, By: thread.Person{ID: "U1", Name: "Priya"}, Text: "a thought"}}).Discussion
			}
			if d.Turns != test.want {
				t.Errorf("got %d turns, want %d", d.Turns, test.want)
			}
		})
	}
}
