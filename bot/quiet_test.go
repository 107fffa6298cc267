package bot

import (
	"testing"
	"time"

	"github.com/slack-go/slack"
)

// What Slack says about do-not-disturb is read for the moment: hours that are on now
// count and the next ones do not, and whoever snoozed is left alone as long (FR-107).
func TestQuietUntil(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	in := func(d time.Duration) int { return int(now.Add(d).Unix()) }
	tests := []struct {
		name string
		dnd  slack.DNDStatus
		want time.Duration // from now; 0 for not at all
	}{
		{"no such hours", slack.DNDStatus{NextStartTimestamp: 1, NextEndTimestamp: 1}, 0},
		{"hours that are on", slack.DNDStatus{Enabled: true, NextStartTimestamp: in(-time.Hour), NextEndTimestamp: in(2 * time.Hour)}, 2 * time.Hour},
		{"the next ones", slack.DNDStatus{Enabled: true, NextStartTimestamp: in(time.Minute), NextEndTimestamp: in(8 * time.Hour)}, 0},
		{"hours that are over", slack.DNDStatus{Enabled: true, NextStartTimestamp: in(-9 * time.Hour), NextEndTimestamp: in(0)}, 0},
		{"snoozed", slack.DNDStatus{SnoozeInfo: slack.SnoozeInfo{SnoozeEnabled: true, SnoozeEndTime: in(time.Hour)}}, time.Hour},
		{"snoozed longer than the hours", slack.DNDStatus{
			Enabled: true, NextStartTimestamp: in(-time.Hour), NextEndTimestamp: in(time.Hour),
			SnoozeInfo: slack.SnoozeInfo{SnoozeEnabled: true, SnoozeEndTime: in(3 * time.Hour)},
		}, 3 * time.Hour},
		{"a snooze that is over", slack.DNDStatus{SnoozeInfo: slack.SnoozeInfo{SnoozeEnabled: true, SnoozeEndTime: in(-time.Hour)}}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := time.Time{}
			if test.want > 0 {
				want = now.Add(test.want)
			}
			if got := quietUntil(test.dnd, now); !got.Equal(want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
