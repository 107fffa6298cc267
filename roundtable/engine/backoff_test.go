package engine

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// However many introductions were just shown, each is remembered for as long as it
// matters; those that have passed go when there are many.
func TestThrottleForgetsWhatHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r throttle
		ref := func(n int) Ref { return Ref{Team: "T", Channel: "C", ID: strconv.Itoa(n)} }
		const many = 3 * leastPaces
		for n := range many {
			r.set(ref(n), pace{next: time.Now().Add(rootEvery)})
		}
		for n := range many {
			if r.get(ref(n)).next.IsZero() {
				t.Fatalf("%d of %d is forgotten while it matters", n, many)
			}
		}
		time.Sleep(rootEvery)
		for n := range 2 * many {
			r.set(ref(many+n), pace{next: time.Now()})
		}
		if n := len(r.byRef); n > many {
			t.Errorf("%d are kept that have passed", n)
		}
	})
}

// BenchmarkThrottle remembers introductions of a replica on which many are current.
// One costs the same however many there are.
func BenchmarkThrottle(b *testing.B) {
	for _, current := range []int{100, 10000} {
		b.Run(strconv.Itoa(current), func(b *testing.B) {
			var r throttle
			refs := make([]Ref, current)
			for i := range refs {
				refs[i] = Ref{Team: "T", Channel: "C", ID: strconv.Itoa(i)}
			}
			for i := 0; b.Loop(); i++ {
				r.set(refs[i%current], pace{next: time.Now().Add(time.Hour)})
			}
		})
	}
}

func TestBackoffGrowsToAMinute(t *testing.T) {
	want := []int{1, 1, 2, 4, 8, 16, 32, 60, 60}
	for n, seconds := range want {
		if got := int(backoff(n).Seconds()); got != seconds {
			t.Errorf("after attempt %d got %d s, want %d", n, got, seconds)
		}
	}
}
