package simulation

import (
	"fmt"
	"time"
)

// Step is one thing that the scheduler let happen.
type Step struct {
	At   time.Duration // since the beginning
	What string
	How  string
	// Fault is what befell, empty for most.
	Fault string
}

func (s Step) String() string {
	line := fmt.Sprintf("%10.3fs  %s", s.At.Seconds(), s.What)
	for _, more := range []string{s.How, s.Fault} {
		if more != "" {
			line += " · " + more
		}
	}
	return line
}

// trace is what happened, in order.
type trace struct {
	steps []Step
	hash  uint64
}

// note notes what happened.
func (w *world) note(what, how, fault string) {
	s := Step{At: time.Since(w.began), What: what, How: how, Fault: fault}
	w.trace.steps = append(w.trace.steps, s)
	w.trace.add(uint64(s.At))
	w.trace.addText(what)
	w.trace.addText(how)
	w.trace.addText(fault)
}

func (t *trace) add(n uint64) { t.hash = (t.hash ^ n) * 1099511628211 }

func (t *trace) addText(s string) {
	for i := range len(s) {
		t.add(uint64(s[i]))
	}
	t.add(1 << 8)
}
