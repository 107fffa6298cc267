package chaos

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// journal counts what befell the campaign and notes what was broken.
type journal struct {
	mu     sync.Mutex
	counts map[string]int
	broken []enginetest.Violation
}

func newJournal() *journal { return &journal{counts: make(map[string]int)} }

// add counts something.
func (j *journal) add(what string, n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts[what] += n
}

// violation notes a broken invariant.
func (j *journal) violation(invariant, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.broken = append(j.broken, enginetest.Violation{Invariant: invariant, Detail: fmt.Sprintf(format, args...)})
}

func (j *journal) count(what string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.counts[what]
}

func (j *journal) violations() []enginetest.Violation {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.broken)
}

func (j *journal) all() map[string]int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return maps.Clone(j.counts)
}
