package enginetest

import (
	"cmp"
	"time"
)

func (m *Memory) pace() time.Duration { return cmp.Or(m.Pace, time.Second) }

// slack is how far ahead of its pace a channel may be.
func (m *Memory) slack() time.Duration { return m.pace() * time.Duration(cmp.Or(m.Burst, 3)-1) }

// permit takes a post from the channel's pace, or says how long to wait.
func (m *Memory) permit(at room, now time.Time) time.Duration {
	arrival := m.arrive[at]
	if wait := arrival.Add(-m.slack()).Sub(now); wait > 0 {
		return wait
	}
	if arrival.Before(now) {
		arrival = now
	}
	m.arriveAt(at, arrival.Add(m.pace()))
	return 0
}

// hush permits no post to a channel before a time, and then one.
func (m *Memory) hush(at room, until time.Time) {
	if arrival := until.Add(m.slack()); arrival.After(m.arrive[at]) {
		m.arriveAt(at, arrival)
	}
}

func (m *Memory) arriveAt(at room, t time.Time) {
	if m.arrive == nil {
		m.arrive = make(map[room]time.Time)
	}
	m.arrive[at] = t
}
