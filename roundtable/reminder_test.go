package roundtable

import (
	"testing"
	"time"
)

// TestAtWork shows that reminders keep to a person's own day (FR-107, I9).
func TestAtWork(t *testing.T) {
	const hour = 3600
	for name, c := range map[string]struct {
		at   string
		zone int
		want string
	}{
		"in the middle of the day":           {"2026-11-18T12:00:00Z", 0, "2026-11-18T12:00:00Z"},
		"the first minute counts":            {"2026-11-18T09:00:00Z", 0, "2026-11-18T09:00:00Z"},
		"before the day begins":              {"2026-11-18T08:59:59Z", 0, "2026-11-18T09:00:00Z"},
		"the last hour is over":              {"2026-11-18T17:00:00Z", 0, "2026-11-19T09:00:00Z"},
		"night in Auckland, noon in London":  {"2026-11-18T12:00:00Z", 13 * hour, "2026-11-18T20:00:00Z"},
		"morning in London, night in Denver": {"2026-11-18T09:00:00Z", -7 * hour, "2026-11-18T16:00:00Z"},
		"half an hour off":                   {"2026-11-18T03:20:00Z", 5*hour + 1800, "2026-11-18T03:30:00Z"},
		"Friday evening":                     {"2026-11-20T18:00:00Z", 0, "2026-11-23T09:00:00Z"},
		"Saturday there, Friday here":        {"2026-11-20T22:00:00Z", 10 * hour, "2026-11-22T23:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			if got := atWork(at, c.zone).Format(time.RFC3339); got != c.want {
				t.Errorf("atWork(%s, %d) = %s, want %s", c.at, c.zone, got, c.want)
			}
		})
	}
}
