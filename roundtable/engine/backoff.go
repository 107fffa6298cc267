package engine

import (
	"crypto/sha256"
	"maps"
	"sync"
	"time"
)

// When to try again: pauses that grow, what is put off for a discussion, how often in a
// row something failed, and which discussions are left to a newer version. Every replica
// remembers for itself.

// backoff is the pause after the nth attempt in a row: 1 s, 2 s, 4 s … 1 min.
func backoff(n int) time.Duration {
	return min(time.Second<<min(max(n-1, 0), 6), time.Minute)
}

// growing is a pause that doubles the time that was waited already, within bounds.
func growing(waited, least, most time.Duration) time.Duration {
	return min(max(waited, least), most)
}

// earliest returns the earlier of two times, of which zero means never.
func earliest(a, b time.Time) time.Time {
	switch {
	case a.IsZero():
		return b
	case b.IsZero() || a.Before(b):
		return a
	default:
		return b
	}
}

// latest returns the later of two times.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// leastPaces is how many paces are remembered without looking for passed ones.
const leastPaces = 1024

// throttle remembers when something that may be put off is to be done next for a discussion.
// It is a courtesy to Slack's limits, so every replica remembers for itself.
type throttle struct {
	mu    sync.Mutex
	byRef map[Ref]pace
	full  int // how many are kept before those that have passed are looked for
}

type pace struct {
	next  time.Time // local; not before this
	fails int
}

func (s *throttle) get(ref Ref) pace {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byRef[ref]
}

func (s *throttle) set(ref Ref, p pace) {
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

// failures counts how often in a row something went wrong with a discussion. Every
// replica finds out for itself.
type failures struct {
	mu sync.Mutex
	n  map[Ref]int
}

// refusalLimit is after how many changes that the store refused for their size the
// cause is put aside. From the first on the discussion is worked on carefully.
const refusalLimit = 2

func (r *failures) count(ref Ref) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n[ref]
}

func (r *failures) add(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.n == nil || len(r.n) > 1024 {
		r.n = make(map[Ref]int)
	}
	r.n[ref]++
}

func (r *failures) clear(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.n, ref)
}

// versionSkew remembers the discussions that a newer version of roundtable stored. This
// replica cannot read them and must not guess: it gives them back at once and then
// leaves them alone for a while, so that a newer replica gets them and none spins
// where there is no newer one. Their mail is stored all the same, and waits. Every replica
// finds out for itself; forgetting costs one more claim.
type versionSkew struct {
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

// looks tells whether a replica worked on a discussion since.
type looks struct {
	state [sha256.Size]byte
	log   int
}

func looksOf(c *Claim) looks { return looks{sha256.Sum256(c.State), c.LogLen} }

// How long a discussion is left alone, the first time and at most, and how many are
// remembered.
const (
	newerFirst = 5 * time.Second
	newerMost  = time.Minute
	newerKept  = 4096
)

// refuse notes that a claim showed a newer form. It returns when the discussion
// shall be due again: at once, for a replica that can read it, and ever later while none
// has done anything about it since the last time.
func (n *versionSkew) refuse(c *Claim) (due time.Duration, first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	ref, a := c.Ref, avoidance{pause: newerFirst, looks: looksOf(c)}
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

// skips reports whether a discussion is to be left alone now.
func (n *versionSkew) skips(ref Ref) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Before(n.seen[ref].until)
}

// count is how many are left alone, or were until a moment ago. Those that did not
// come back since are in better hands and forgotten.
func (n *versionSkew) count() int {
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
// left them without a replica that can read them: roll forward again.
func (e *Engine) LeftToNewer() int { return e.skew.count() }
