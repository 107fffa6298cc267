package chaos

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// journal counts what befell the campaign and notes what was broken.
type journal struct {
	mu     sync.Mutex
	counts map[string]int
	broken []invariant.Violation
}

func newJournal() *journal { return &journal{counts: make(map[string]int)} }

// add counts something.
func (j *journal) add(what string, n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts[what] += n
}

// violation notes a broken promise.
func (j *journal) violation(promise, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.broken = append(j.broken, invariant.Violation{Invariant: promise, Detail: fmt.Sprintf(format, args...)})
}

// judge notes what is broken by the evidence of a place.
func (j *journal) judge(where string, e invariant.Evidence) {
	for _, v := range invariant.Check(e) {
		j.violation(v.Invariant, "%s: %s", where, v.Detail)
	}
}

func (j *journal) count(what string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counts[what]
}

func (j *journal) violations() []invariant.Violation {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.broken)
}

func (j *journal) all() map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.counts)
}
