package simulation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// Flaw breaks the system, to see whether it is noticed.
type Flaw struct {
	// Adjust changes what a replica is made of.
	Adjust func(*engine.Options)
	// AckFirst tells Slack that an event was received before it was stored.
	AckFirst bool
	// Unfenced has the store take commits from whoever sends one, whoever holds the
	// discussion by now.
	Unfenced bool
}

// world is a run.
type world struct {
	plan Plan
	flaw Flaw
	dice dice

	gate       gate
	store      store
	slack      slack
	puppets    enginetest.Panel
	replicas   []*replica // by place
	all        []*replica
	born       []int
	delivering sync.WaitGroup

	parcels []*parcel
	said    map[int]*parcel   // messages by the number of their act
	named   map[string]string // the ids of inputs as a person should read them
	events  []event
	acting  int // acts that wait for a thread
	waiting []*call
	counts  map[string]int
	began   time.Time
	active  time.Time // when something last happened
	calm    bool      // no more faults are drawn

	released int
	faults   []Fault
	counted  map[Kind]int
	// intrusions are how often a replica acted on what another had taken over.
	intrusions map[engine.Ref]int
	// out is when the last outage of all replicas is over.
	out time.Time
	// away says until when a server cannot be reached.
	away    map[port]time.Time
	excused []invariant.Violation
	trace   trace
}

// event is something that happens at its time.
type event struct {
	at time.Time
	do func() error
}

// restTime is how long nothing may happen for everything to have come to rest: longer
// than any pause the engine makes, but for those that people wait out, and those of an
// audit that failed for long, whose last chance is the end of the discussion (Plan.Over).
const restTime = 7 * time.Minute

// decisions is how many decisions a run may take; none that comes to rest needs a
// tenth. Rogues do more than people, and in an outage Slack delivers all of it again and
// again.
const decisions = 20_000

func (w *world) stepLimit() int {
	if w.plan.Hostile {
		return decisions * (1 + len(w.plan.Acts)/5)
	}
	return decisions
}

// errRestless is the end of a run that does not come to rest.
var errRestless = errors.New("the system does not come to rest")

// later lets something happen after a while.
func (w *world) later(d time.Duration, do func() error) {
	e := event{time.Now().Add(d), do}
	i, _ := slices.BinarySearchFunc(w.events, e, func(a, b event) int { return cmp.Or(a.at.Compare(b.at), -1) })
	w.events = slices.Insert(w.events, i, e)
}

// begin sets the scene.
func (w *world) begin() error {
	w.began, w.active = time.Now(), time.Now()
	for place := range w.plan.Replicas {
		if err := w.start(place); err != nil {
			return err
		}
	}
	for n := range w.plan.Discussions {
		w.later(time.Duration(n)*time.Second, func() error { return w.open(n + 1) })
	}
	at := 5 * time.Second
	for i, a := range w.plan.Acts {
		at += a.After
		w.later(at, func() error { return w.act(i, 0) })
	}
	w.later(at+30*time.Second, w.settle)
	return nil
}

// settle ends the time of faults, once everybody has done what they were to do.
func (w *world) settle() error {
	if w.acting > 0 {
		w.later(10*time.Second, w.settle)
		return nil
	}
	w.calm = true
	for _, p := range w.parcels {
		if p.lost {
			for _, r := range w.able() {
				r.engine.Missed()
			}
			break
		}
	}
	return nil
}

// run plays until everything has come to rest.
func (w *world) run() error {
	for steps := 0; ; steps++ {
		if steps == w.stepLimit() {
			return errRestless
		}
		synctest.Wait()
		w.absorb()
		now := time.Now()
		if len(w.events) > 0 && !w.events[0].at.After(now) {
			e := w.events[0]
			w.events = w.events[1:]
			w.active = now
			if err := e.do(); err != nil {
				return err
			}
			continue
		}
		if c := w.choose(now); c != nil {
			if !c.poll {
				w.active = now
			}
			w.let(c)
			continue
		}
		next := w.next(now)
		rest := w.active.Add(restTime)
		if len(w.waiting) == 0 && len(w.events) == 0 && (next.IsZero() || next.After(rest)) {
			if !now.Before(rest) {
				return nil
			}
			next = rest
		}
		if next.IsZero() {
			return fmt.Errorf("%w: %d calls wait for nothing", errRestless, len(w.waiting))
		}
		timer := time.NewTimer(next.Sub(now))
		select {
		case <-timer.C:
		case <-w.gate.bell:
		}
		timer.Stop()
	}
}
