package engine

import (
	"maps"
	"sync"
	"time"
)

// leastPaces is how many paces are remembered without looking for passed ones.
const leastPaces = 1024

// paces remembers when something that may be put off is to be done next for a discussion.
// It is a courtesy to Slack's limits, so every replica remembers for itself.
type paces struct {
	mu    sync.Mutex
	byRef map[Ref]pace
	full  int // how many are kept before those that have passed are looked for
}

type pace struct {
	next  time.Time // local; not before this
	fails int
}

func (s *paces) get(ref Ref) pace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byRef[ref]
}

func (s *paces) set(ref Ref, p pace) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byRef == nil {
		s.byRef = make(map[Ref]pace)
	}
	s.byRef[ref] = p
	if len(s.byRef) < s.full {
		return
	}
	now := time.Now()
	maps.DeleteFunc(s.byRef, func(_ Ref, p pace) bool { return !p.next.After(now) })
	// Twice of what is left, so that looking costs little however many are current.
	s.full = max(leastPaces, 2*len(s.byRef))
}
