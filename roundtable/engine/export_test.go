package engine

import "github.com/roundtable-chat/app/roundtable"

// Break puts other rules in the place of roundtable.Step, before Run.
func (e *Engine) Break(step func(roundtable.Discussion, roundtable.Input) roundtable.Result) {
	e.step = step
}

// PlacesLeft reports whether nobody waits in memory.
func (e *Engine) PlacesLeft() bool {
	room := waitingRoom(e.opt)
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
