package engine

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// logCache keeps the logs of discussions that were worked on a moment ago, so that the
// cost of a turn does not grow with the transcript (DESIGN §6). Where nobody has spoken
// for a while the log is read anew: many idle discussions shall take no memory. It holds committed
// entries only, so what it has is a prefix of what the store has, unless the store
// forgot something, which the reader of a holding notices. A log is taken out to be
// worked on, so that it is appended to where it is and never copied, and is put back
// afterwards.
type logCache struct {
	mu    sync.Mutex
	limit int // weight over all discussions, about bytes
	size  int
	byRef map[Ref]*list.Element
	order *list.List // of *cachedLog, the one put back last first
}

type cachedLog struct {
	ref     Ref
	entries []roundtable.Entry
	weight  int
	since   time.Time
}

// logIdle is how long a log is kept that is not worked on. Reading one anew costs
// little, and matters where turns follow each other closely, as under load; logs of
// discussions that rest would cost a replica of ten thousand a third of its memory.
const logIdle = 10 * time.Second

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

// take hands over the known beginning of a discussion's log, which is the caller's from
// then on; nil if none is known, or if it was handed over.
func (c *logCache) take(ref Ref) []roundtable.Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byRef[ref]
	if el == nil {
		return nil
	}
	c.remove(ref)
	return el.Value.(*cachedLog).entries
}

// put remembers a discussion's log as committed. The caller touches neither it nor what
// is behind it any more.
func (c *logCache) put(ref Ref, entries []roundtable.Entry) {
	weight := weigh(entries)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(ref)
	if len(entries) == 0 {
		return
	}
	c.byRef[ref] = c.order.PushFront(&cachedLog{ref: ref, entries: entries, weight: weight, since: time.Now()})
	c.size += weight
	for c.size > c.limit && c.order.Len() > 1 {
		c.remove(c.order.Back().Value.(*cachedLog).ref)
	}
}

// tidy forgets what was idle for too long.
func (c *logCache) tidy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for el := c.order.Back(); el != nil; el = c.order.Back() {
		oldest := el.Value.(*cachedLog)
		if time.Since(oldest.since) < logIdle {
			return
		}
		c.remove(oldest.ref)
	}
}

func (c *logCache) remove(ref Ref) {
	if el := c.byRef[ref]; el != nil {
		c.size -= el.Value.(*cachedLog).weight
		c.order.Remove(el)
		delete(c.byRef, ref)
	}
}

// knownLog is the known beginning of a discussion's log: at hand, or still with a holder
// here that may be about to let go.
type knownLog struct {
	entries []roundtable.Entry
	with    *holder
	logged  int // what the holder had when it was asked
}

// logOf is what is known of a log that mail may bring back to here. If its holder lets go
// in this very moment, the log is not in the cache yet, and all of it would be read.
func (e *Engine) logOf(ref Ref) knownLog {
	e.mu.Lock()
	with := e.held[ref]
	e.mu.Unlock()
	if with == nil {
		return knownLog{entries: e.logs.take(ref)}
	}
	return knownLog{with: with, logged: int(with.logged.Load())}
}

// length is how many entries need not be sent.
func (k knownLog) length() int { return max(len(k.entries), k.logged) }

// giveBackLog puts back what was taken for nothing.
func (e *Engine) giveBackLog(ref Ref, k knownLog) {
	if k.entries != nil {
		e.logs.put(ref, k.entries)
	}
}

// handOver bounds how long a log is waited for: its holder has let go and only has to
// hear of it.
const handOver = time.Second

// handedOver returns what is known, once the former holder put it back. Nil if it takes
// too long.
func (t *turn) handedOver(ctx context.Context, k knownLog) []roundtable.Entry {
	if k.logged == 0 {
		return k.entries
	}
	late := time.NewTimer(handOver)
	defer late.Stop()
	select {
	case <-k.with.gone:
		return t.e.logs.take(t.h.Ref)
	case <-late.C:
	case <-t.run.draining:
	case <-ctx.Done():
	}
	return nil
}
