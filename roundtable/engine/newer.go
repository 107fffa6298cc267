package engine

import (
	"crypto/sha256"
	"sync"
	"time"
)

// newer remembers the discussions that a newer version of roundtable stored. This
// replica cannot read them and must not guess: it gives them back at once and then
// leaves them alone for a while, so that a newer replica gets them and nobody spins
// where there is none. Their mail is stored all the same, and waits. Every replica
// finds out for itself; forgetting costs one more claim.
type newer struct {
	mu   sync.Mutex
	seen map[Ref]avoidance
}

// avoidance says until when a discussion is left alone, for how long it was left
// alone this time, and how it looked.
type avoidance struct {
	until time.Time
	pause time.Duration
	looks looks
}

// looks tells whether somebody worked on a discussion since.
type looks struct {
	state [sha256.Size]byte
	log   int
}

func looksOf(h *Holding) looks { return looks{sha256.Sum256(h.State), h.LogLen} }

// How long a discussion is left alone, the first time and at most, and how many are
// remembered.
const (
	newerFirst = 5 * time.Second
	newerMost  = time.Minute
	newerKept  = 4096
)

// refuse notes that a claim showed a newer form. It returns when the discussion
// shall be due again: at once, for whoever can read it, and ever later while nobody
// has done anything about it since the last time.
func (n *newer) refuse(h *Holding) (due time.Duration, first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	ref, a := h.Ref, avoidance{pause: newerFirst, looks: looksOf(h)}
	before, again := n.seen[ref]
	switch {
	case again && before.looks == a.looks:
		a.pause = min(2*before.pause, newerMost)
		due = a.pause
	case again:
		a.pause = newerMost // it is in good hands
	}
	a.until = time.Now().Add(a.pause)
	if n.seen == nil {
		n.seen = make(map[Ref]avoidance)
	}
	if len(n.seen) >= newerKept {
		clear(n.seen)
	}
	n.seen[ref] = a
	return due, !again
}

// avoids reports whether a discussion is to be left alone now.
func (n *newer) avoids(ref Ref) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Before(n.seen[ref].until)
}

// count is how many are left alone, or were until a moment ago. Those that did not
// come back since are in better hands and forgotten.
func (n *newer) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	for ref, a := range n.seen {
		if now.After(a.until.Add(newerMost)) {
			delete(n.seen, ref)
		}
	}
	return len(n.seen)
}

// LeftToNewer is how many discussions this replica leaves alone because a newer
// version of roundtable stored them. More than zero for long means that a roll-back
// left them without anybody who can read them: roll forward again.
func (e *Engine) LeftToNewer() int { return e.newer.count() }
