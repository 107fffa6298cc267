package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// Result is what became of a run.
type Result struct {
	// Violations are what is wrong, none if all is well.
	Violations []invariant.Violation
	// Excused is what is wrong and was not promised, see world.excuses.
	Excused []invariant.Violation
	// Steps are all that happened; Faults what went wrong on purpose, by the keys of
	// the calls; Calls how many calls were let go, Span how long it all took, in virtual
	// time.
	Steps  []Step
	Faults []Fault
	Calls  int
	Span   time.Duration
	// named are the ids of inputs as a person should read them.
	named map[string]string
	// Hash tells runs apart: it depends on every step and on everything that remains.
	Hash uint64
}

// Trace is the run as text, one step a line.
func (r Result) Trace() string {
	var b strings.Builder
	for _, s := range r.Steps {
		b.WriteString(s.String())
		b.WriteByte('\n')
	}
	var pairs []string
	for id, name := range r.named {
		pairs = append(pairs, id, name)
	}
	return strings.NewReplacer(pairs...).Replace(b.String())
}

// Run runs a plan, on engines broken as told. It must be called inside a
// testing/synctest bubble and blocks until everything has come to rest. An error is
// a fault of the simulation, not of what it simulates.
func Run(p Plan, flaw Flaw) (Result, error) {
	w := &world{
		plan: p, flaw: flaw, dice: dice(p.Seed),
		store:    store{memory: &enginetest.Memory{Lease: leaseTime}, skew: p.Skew, bounded: p.Hostile},
		slack:    slack{Slack: &enginetest.Slack{}},
		replicas: make([]*replica, p.Replicas), born: make([]int, p.Replicas),
		said: make(map[int]*parcel), named: make(map[string]string), counts: make(map[string]int), counted: make(map[Kind]int),
		intrusions: make(map[engine.Ref]int), away: make(map[port]time.Time),
	}
	w.gate.bell = make(chan struct{}, 1)
	if p.mayForget() {
		w.store.remembers = momentsKept
	}
	err := w.begin()
	if err == nil {
		err = w.run()
	}
	for rounds := 0; err == nil && p.Over && rounds < overRounds; rounds++ {
		var more bool
		if more, err = w.skip(); !more {
			break
		}
	}
	r := Result{Faults: w.faults, Calls: w.released, Span: time.Since(w.began)}
	if errors.Is(err, errRestless) {
		r.Violations = invariant.Check(invariant.Evidence{Restless: err.Error()})
		err = nil
	}
	if err == nil {
		var found []invariant.Violation
		found, err = w.judge()
		r.Violations = append(r.Violations, found...)
	}
	r.Excused = w.excused
	r.Steps, r.Hash, r.named = w.trace.steps, w.trace.hash, w.named
	return r, errors.Join(err, w.close())
}

// momentsKept is how many changes a failover can lose.
const momentsKept = 12

// mayForget reports whether a failover can befall.
func (p Plan) mayForget() bool {
	forgets := func(k Kind) bool { return k == Failover || k == Rollback }
	return slices.ContainsFunc(p.Hazards.Kinds, forgets) ||
		slices.ContainsFunc(p.Faults, func(f Fault) bool { return forgets(f.Kind) })
}

// overRounds is how often time is skipped until all discussions are over.
const overRounds = 6

// skip lets time pass until something is due. Nobody holds anything, so the
// replicas are stopped for that long. more is false if nothing is due any more.
func (w *world) skip() (more bool, err error) {
	due := w.store.memory.NextDue()
	if due.IsZero() {
		return false, nil
	}
	for _, r := range w.replicas {
		w.bury(r)
	}
	synctest.Wait()
	time.Sleep(time.Until(due))
	w.active = time.Now()
	for place := range w.replicas {
		if err := w.start(place); err != nil {
			return false, err
		}
	}
	return true, w.run()
}

// close ends everything that runs.
func (w *world) close() error {
	for _, r := range w.all {
		w.bury(r)
	}
	synctest.Wait()
	w.absorb()
	var errs []error
	for _, r := range w.all {
		if err := <-r.done; err != nil {
			errs = append(errs, fmt.Errorf("replica %s: %w", r.name, err))
		}
	}
	w.delivering.Wait()
	return errors.Join(errs...)
}
