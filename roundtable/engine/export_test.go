package engine

import "github.com/roundtable-chat/app/roundtable"

// Break puts other rules in the place of roundtable.Step, before Run.
func (e *Engine) Break(step func(roundtable.Discussion, roundtable.Input) roundtable.Result) {
	e.step = step
}

// LogsKept returns of how many discussions the log is kept in memory.
func (e *Engine) LogsKept() int {
	e.logs.mu.Lock()
	defer e.logs.mu.Unlock()
	return e.logs.order.Len()
}
