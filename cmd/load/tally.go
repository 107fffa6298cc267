package main

import (
	"math"
	"slices"
	"time"
)

// tally is what the crowd counted.
type tally struct {
	acks        []time.Duration // a person's message → its acknowledgement
	first, last []time.Duration // a person's message → the first and the last post that answers it
	posts       int             // posts that answered
	strays      int             // posts that nobody waited for
	unanswered  int             // messages without an answer in time
	again       int             // messages that were delivered more than once
	calls       map[string]int  // Web API calls by method
}

// turns is how many human turns were completed.
func (y tally) turns() int { return len(y.first) }

// percentile is the smallest of the values that p in a hundred do not exceed; 0
// without values. The values are sorted in place.
func percentile(values []time.Duration, p float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	rank := int(math.Ceil(p / 100 * float64(len(values))))
	return values[min(max(rank, 1), len(values))-1]
}

// median is the middle value, or the mean of the two middle ones.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}
