package sweep_test

import (
	"flag"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

var (
	// full leaves out no crash point anywhere (make sweep); it takes half an hour.
	full = flag.Bool("sweep.full", false, "crash at every single point, in every scenario, on the embedded and on a real Redis")
	// from moves the points of a thinned sweep, so that all are visited over time.
	from = flag.Uint("sweep.from", 0, "visit every nth call, beginning with this one modulo n")
)

// thinned is every how manyth call is crashed at.
func thinned(nth int) int {
	switch {
	case *full:
		return 1
	case testing.Short(), raceDetector:
		return nth * 9
	default:
		return nth
	}
}

// memoryWorld is a world in virtual time: it must be made inside a bubble.
func memoryWorld() *enginetest.World {
	m := &enginetest.Memory{}
	return &enginetest.World{
		Store: m, Items: m,
		Slack:   &enginetest.Slack{Latency: 120 * time.Millisecond},
		Panel:   &enginetest.Panel{Delay: 2 * time.Second},
		Permits: invariant.Pace{Every: time.Second, Burst: 3}, Logging: true,
		Rest: 70 * time.Second, Quiet: time.Second,
	}
}

// play plays a scenario in a bubble of its own, in a world made there, and judges
// what remains.
func play(t *testing.T, s enginetest.Scenario, c enginetest.Crash, make func() *enginetest.World) (calls []string, found []invariant.Violation) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := make()
		var all []invariant.Evidence
		var err error
		calls, all, err = w.Play(t.Context(), s, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			found = append(found, invariant.Check(e)...)
		}
	})
	return calls, found
}

// player plays a scenario with one crash.
type player func(t *testing.T, s enginetest.Scenario, c enginetest.Crash) (calls []string, found []invariant.Violation)

// in makes a player of a world.
func in(make func() *enginetest.World) player {
	return func(t *testing.T, s enginetest.Scenario, c enginetest.Crash) ([]string, []invariant.Violation) {
		t.Helper()
		return play(t, s, c, make)
	}
}

// TestScenarios plays every conversation without any crash.
func TestScenarios(t *testing.T) {
	for _, s := range enginetest.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			calls, found := play(t, s, enginetest.Crash{}, memoryWorld)
			t.Logf("%d calls: %s", len(calls), strings.Join(calls, " "))
			for _, v := range found {
				t.Error(v)
			}
		})
	}
}

// TestCrashSweep crashes the replica before and after every single call it makes
// to the store and to Slack, in every conversation, has another take over, and
// judges what remains (I1–I10, NFR-101).
func TestCrashSweep(t *testing.T) {
	sweep(t, enginetest.Scenarios(), 0, thinned(3), in(memoryWorld))
}

// TestPauseSweep lets a replica stand still before and after every call, longer
// than its lease, while another takes over; then it goes on as if nothing had
// happened (I7).
func TestPauseSweep(t *testing.T) {
	sweep(t, enginetest.Scenarios(), pauseLength, thinned(3), in(pausedWorld))
}

// pauseLength outlasts the lease and the time a post may take.
const pauseLength = 50 * time.Second

// pausedWorld is memoryWorld with two replicas, of which one may stand still.
func pausedWorld() *enginetest.World {
	w := memoryWorld()
	w.Standby, w.Rest = true, 150*time.Second
	return w
}

// sweep plays every scenario once for every nth call that its first replica makes,
// before and after it, and counts the violations.
func sweep(t *testing.T, scenarios []enginetest.Scenario, pause time.Duration, nth int, play player) {
	t.Parallel()
	var points, violations atomic.Int64
	t.Cleanup(func() { t.Logf("%d points, %d violations, from %d", points.Load(), violations.Load(), *from) })
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			calls, found := play(t, s, enginetest.Crash{})
			for _, v := range found {
				t.Errorf("without any crash: %s", v)
			}
			for _, c := range crashes(len(calls), nth, pause) {
				_, found := play(t, s, c)
				points.Add(1)
				violations.Add(int64(len(found)))
				for _, v := range found {
					t.Errorf("%s call %d (%s): %s", when(c.After), c.At, calls[c.At-1], v)
				}
			}
		})
	}
}

// crashes lists the crashes before and after every nth of so many calls.
func crashes(calls, nth int, pause time.Duration) []enginetest.Crash {
	var all []enginetest.Crash
	for at := 1 + int(*from%uint(nth)); at <= calls; at += nth {
		all = append(all, enginetest.Crash{At: at, Pause: pause}, enginetest.Crash{At: at, After: true, Pause: pause})
	}
	return all
}

func when(after bool) string {
	if after {
		return "after"
	}
	return "before"
}
