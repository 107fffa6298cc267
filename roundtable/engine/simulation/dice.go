package simulation

import "time"

// dice make every choice of a run: a hash of the seed and of what is chosen.
type dice uint64

// roll is a number that depends on the seed and on the name alone.
func (d dice) roll(about, name string) uint64 {
	h := uint64(14695981039346656037) ^ uint64(d)
	for _, part := range [2]string{about, name} {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	// The finish of splitmix64: neighbouring names must not have neighbouring numbers.
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// below is a number from 0 to n-1.
func (d dice) below(n int, about, name string) int {
	return int(d.roll(about, name) % uint64(n))
}

// chance is true in so many of a thousand cases.
func (d dice) chance(perMille int, about, name string) bool {
	return d.below(1000, about, name) < perMille
}

// span is a time between two, down to the nanosecond, so that two of them never
// end at one instant.
func (d dice) span(from, to time.Duration, about, name string) time.Duration {
	return from + time.Duration(d.roll(about, name)%uint64(to-from))
}
