package engine

import (
	"container/list"
	"sync"

	"github.com/roundtable-chat/app/roundtable"
)

// logCache keeps the logs of discussions that were worked on lately, so that the
// cost of a turn does not grow with the transcript (DESIGN §6). It holds committed
// entries only, so what it has is a prefix of what the store has, unless the store
// forgot something, which the reader of a holding notices.
type logCache struct {
	mu    sync.Mutex
	limit int // weight over all discussions, about bytes
	size  int
	byRef map[Ref]*list.Element
	order *list.List // of *cachedLog, most recently used first
}

type cachedLog struct {
	ref     Ref
	entries []roundtable.Entry
	weight  int
}

// entryWeight is about what an entry takes besides its texts, in bytes.
const entryWeight = 300

// weigh returns about how many bytes entries take.
func weigh(entries []roundtable.Entry) int {
	n := len(entries) * entryWeight
	for i := range entries {
		n += len(entries[i].Text) + len(entries[i].Key)
	}
	return n
}

func newLogCache(limit int) *logCache {
	return &logCache{limit: limit, byRef: make(map[Ref]*list.Element), order: list.New()}
}

// get returns the known beginning of a discussion's log; nil if none. The caller
// may append to it but not change it.
func (c *logCache) get(ref Ref) []roundtable.Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byRef[ref]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	entries := el.Value.(*cachedLog).entries
	return entries[:len(entries):len(entries)]
}

// put remembers a discussion's whole log as committed. What is known of it already is
// not weighed again, so that the cost does not grow with the log.
func (c *logCache) put(ref Ref, entries []roundtable.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known, weight := 0, 0
	if el := c.byRef[ref]; el != nil {
		if old := el.Value.(*cachedLog); len(old.entries) <= len(entries) {
			known, weight = len(old.entries), old.weight
		}
	}
	c.remove(ref)
	if len(entries) == 0 {
		return
	}
	weight += weigh(entries[known:])
	c.byRef[ref] = c.order.PushFront(&cachedLog{ref: ref, entries: entries, weight: weight})
	c.size += weight
	for c.size > c.limit && c.order.Len() > 1 {
		c.remove(c.order.Back().Value.(*cachedLog).ref)
	}
}

// forget drops a discussion's log.
func (c *logCache) forget(ref Ref) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(ref)
}

func (c *logCache) remove(ref Ref) {
	if el := c.byRef[ref]; el != nil {
		c.size -= el.Value.(*cachedLog).weight
		c.order.Remove(el)
		delete(c.byRef, ref)
	}
}
