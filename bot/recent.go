package bot

import (
	"container/list"
	"sync"
)

// recent is a map that forgets what was not used for longest. It is safe for
// several goroutines.
type recent[K comparable, V any] struct {
	mu    sync.Mutex
	limit int
	order *list.List
	where map[K]*list.Element
}

type recentEntry[K comparable, V any] struct {
	key   K
	value V
}

func newRecent[K comparable, V any](limit int) *recent[K, V] {
	return &recent[K, V]{limit: limit, order: list.New(), where: map[K]*list.Element{}}
}

func (r *recent[K, V]) get(key K) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.where[key]
	if !ok {
		var zero V
		return zero, false
	}
	r.order.MoveToFront(e)
	return e.Value.(recentEntry[K, V]).value, true
}

func (r *recent[K, V]) drop(key K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.where[key]; ok {
		r.order.Remove(e)
		delete(r.where, key)
	}
}

func (r *recent[K, V]) put(key K, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e, ok := r.where[key]; ok {
		e.Value = recentEntry[K, V]{key, value}
		r.order.MoveToFront(e)
		return
	}
	r.where[key] = r.order.PushFront(recentEntry[K, V]{key, value})
	if r.order.Len() > r.limit {
		oldest := r.order.Back()
		delete(r.where, oldest.Value.(recentEntry[K, V]).key)
		r.order.Remove(oldest)
	}
}
