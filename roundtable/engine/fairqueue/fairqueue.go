// Package fairqueue keeps what waits for a worker: a flood in one group keeps nothing of
// another group waiting. It knows nothing of what waits, and may be lost: its user can
// find the work by other means.
package fairqueue

import "sync"

// Limit bounds a queue. The queue refuses what comes later.
const Limit = 4096

// Queue serves groups in turn, and the items of one group in the order in which they
// came, so that the item that waits longest is next. The zero Queue is empty. Its methods
// may be called from several goroutines.
type Queue[G, I comparable] struct {
	mu      sync.Mutex
	groups  []G // those with an item that waits, the next one first
	waiting map[G][]I
	known   map[I]struct{}
}

// Join puts an item at the end of its group, unless it waits already or the queue is
// full. It reports whether it did.
func (q *Queue[G, I]) Join(group G, item I) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, known := q.known[item]; known || len(q.known) >= Limit {
		return false
	}
	if q.known == nil {
		q.known, q.waiting = make(map[I]struct{}), make(map[G][]I)
	}
	q.known[item] = struct{}{}
	if len(q.waiting[group]) == 0 {
		q.groups = append(q.groups, group)
	}
	q.waiting[group] = append(q.waiting[group], item)
	return true
}

// Next takes out the item that is next; false if none waits.
func (q *Queue[G, I]) Next() (item I, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.groups) == 0 {
		return item, false
	}
	group := q.groups[0]
	q.groups = q.groups[1:]
	item, rest := q.waiting[group][0], q.waiting[group][1:]
	if delete(q.known, item); len(rest) == 0 {
		delete(q.waiting, group)
		return item, true
	}
	q.waiting[group] = rest
	q.groups = append(q.groups, group)
	return item, true
}

// Len is how many items wait.
func (q *Queue[G, I]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.known)
}
