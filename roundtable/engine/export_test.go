package engine

import "github.com/roundtable-chat/app/roundtable"

// Break puts other rules in the place of roundtable.Step.
func (o *Options) Break(rules func(roundtable.Discussion, roundtable.Input) roundtable.Result) {
	o.rules = rules
}

// PlacesLeft reports whether nobody waits in memory.
func (e *Engine) PlacesLeft() bool {
	room := memoryBudget(e.opt)
	if !e.waiting.TryAcquire(room) {
		return false
	}
	e.waiting.Release(room)
	return true
}

// LogsKept returns of how many discussions the log is kept in memory.
func (e *Engine) LogsKept() int {
	e.logs.mu.Lock()
	defer e.logs.mu.Unlock()
	return e.logs.order.Len()
}
