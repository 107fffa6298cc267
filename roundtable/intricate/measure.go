package intricate

import (
	"fmt"
	"runtime"
	"testing"
)

// Allocated is how many bytes do allocates: the least of two runs, because others
// allocate meanwhile, and pools are filled again after a collection.
func Allocated(do func()) uint64 {
	return min(allocatedOnce(do), allocatedOnce(do))
}

func allocatedOnce(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Made is how many objects do makes: the fewer of two runs, for the same reasons.
func Made(do func()) uint64 {
	return min(madeOnce(do), madeOnce(do))
}

func madeOnce(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}

// Linear wants that a function over every shape allocates at most in proportion when
// the text doubles, and half as much again: what is gathered twice, or copied again for
// every piece, shows in bytes, however fast the machine. spare is what it may allocate
// whatever the text. With the race detector it reads every shape and compares nothing; make
// test compares without it.
func Linear(t *testing.T, n int, spare uint64, do func(text string)) {
	t.Helper()
	for _, s := range All() {
		half, whole := s.Text(n/2), s.Text(n)
		if raceDetector {
			do(half)
			continue
		}
		small := Allocated(func() { do(half) })
		most := small*3*uint64(s.count(n))/(2*uint64(s.count(n/2))) + spare
		large := allocatedOnce(func() { do(whole) })
		if large > most { // perhaps others allocated, too
			large = Allocated(func() { do(whole) })
		}
		if large > most {
			t.Errorf("%s: %d bytes were allocated for %d, and %d for %d", s.Name, small, len(half), large, len(whole))
		}
	}
}

// Bench runs a function over every shape in some sizes and reports the time per byte.
func Bench(b *testing.B, sizes []int, do func(text string)) {
	for _, n := range sizes {
		for _, s := range All() {
			source := s.Text(n)
			b.Run(fmt.Sprintf("%d/%s", n, s.Name), func(b *testing.B) {
				for b.Loop() {
					do(source)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(source)), "ns/byte")
			})
		}
	}
}
