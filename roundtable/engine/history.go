package engine

import (
	"container/list"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// logCache keeps the logs of discussions that were worked on a moment ago, so that the
// cost of a turn does not grow with the transcript. Where no person has spoken for a while
// the log is read anew: many idle discussions shall take no memory. The cache holds
// committed entries only, so what it has is a prefix of what the store has, unless the
// store forgot something or an entry was rewritten, which history.load notices. A worker
// takes a log out, so that it is appended to where it is and never copied, and puts it
// back afterwards.
type logCache struct {
	mu    sync.Mutex
	limit int // weight over all discussions, about bytes
	size  int
	byRef map[Ref]*list.Element
	order *list.List // of *cachedLog, the one put back last first
}

type cachedLog struct {
	ref Ref
	keptLog
	weight int
	since  time.Time
}

// keptLog is the beginning of a log as committed, and the revision it belongs to.
type keptLog struct {
	entries []thread.Entry
	rev     LogRev
}

// logIdle is how long a log is kept that is not worked on. Reading one anew costs
// little, and matters where turns follow each other closely, as under load; logs of
// discussions that rest would cost a replica of ten thousand a third of its memory.
const logIdle = 10 * time.Second

// entryWeight is about what an entry takes besides its texts, in bytes.
const entryWeight = 300

// weigh returns about how many bytes entries take.
func weigh(entries []thread.Entry) int {
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
// then on; empty if none is known, or if it was handed over.
func (c *logCache) take(ref Ref) keptLog {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byRef[ref]
	if el == nil {
		return keptLog{}
	}
	c.remove(ref)
	return el.Value.(*cachedLog).keptLog
}

// put remembers a discussion's log as committed. The caller touches neither it nor what
// is behind it any more.
func (c *logCache) put(ref Ref, log keptLog) {
	weight := weigh(log.entries)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(ref)
	if len(log.entries) == 0 {
		return
	}
	c.byRef[ref] = c.order.PushFront(&cachedLog{ref: ref, keptLog: log, weight: weight, since: time.Now()})
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
	log    keptLog
	with   *localClaim
	logged loggedTo // what the holder had when it was asked
}

// loggedTo is how far a holder knows a log to be committed.
type loggedTo struct {
	length int
	rev    LogRev
}

// logOf is what is known of a log that mail may bring back to here. If its holder lets go
// in this very moment, the log is not in the cache yet, and all of it would be read.
func (e *Engine) logOf(ref Ref) knownLog {
	e.mu.Lock()
	with := e.held[ref]
	e.mu.Unlock()
	if with == nil {
		return knownLog{log: e.logs.take(ref)}
	}
	k := knownLog{with: with}
	if to := with.logged.Load(); to != nil {
		k.logged = *to
	}
	return k
}

// length is how many entries need not be sent.
func (k knownLog) length() int { return max(len(k.log.entries), k.logged.length) }

// rev is the revision of the log that these entries are of.
func (k knownLog) rev() LogRev {
	if k.with != nil {
		return k.logged.rev
	}
	return k.log.rev
}

// giveBackLog puts back what was taken for nothing.
func (e *Engine) giveBackLog(ref Ref, k knownLog) {
	if k.log.entries != nil {
		e.logs.put(ref, k.log)
	}
}

// handOver bounds how long a log is waited for: its holder has let go and only has to
// hear of it.
const handOver = time.Second

// handedOver returns what is known, once the former holder put it back. Nothing if it
// takes too long.
func (l *lease) handedOver(ctx context.Context, k knownLog) keptLog {
	if k.logged.length == 0 {
		return k.log
	}
	late := time.NewTimer(handOver)
	defer late.Stop()
	select {
	case <-k.with.gone:
		return l.e.logs.take(l.claim.Ref)
	case <-late.C:
	case <-l.run.draining:
	case <-ctx.Done():
	}
	return keptLog{}
}

// LogReader reads a log on.
type LogReader interface {
	// Log returns the log's entries from index from on, as many as one reply takes and
	// at least one, if there is one.
	Log(ctx context.Context, ref Ref, from int) ([][]byte, error)
}

// history is the log of a claimed discussion in memory.
type history struct {
	id      string         // of the discussion
	entries []thread.Entry // the whole log, with what is not committed yet
	// committed is the part of it that is, nil if that is not known; rev the revision of
	// that, volume how much there is of all of it.
	committed []thread.Entry
	rev       LogRev
	volume    thread.Volume
	noted     noted
}

// noted is what was noted in a log since the last commit.
type noted struct {
	lines [][]byte // new entries
	// rewrites are new forms of entries that the store has, by their index. before is
	// the log as the store has it, once there are lines or rewrites; own is set when the
	// entries are no longer shared with it.
	rewrites map[int][]byte
	before   []thread.Entry
	begun    bool
	own      bool
}

// load joins the known beginning of the log with what the store sent, which may
// begin before its end, and reads on in portions what did not fit into one reply. If they
// do not fit together, because the store forgot something, entries were rewritten or the
// log was not handed over, it reads anew.
func (h *history) load(ctx context.Context, store LogReader, claim *Claim, known keptLog) error {
	lines, from := claim.Log, claim.LogFrom
	have := len(known.entries)
	if claim.Rewound || known.rev != claim.LogRev || have < from || have > claim.LogLen {
		known.entries, have = nil, 0
		if claim.Rewound || from > 0 {
			lines, from = nil, 0
		}
	}
	h.id, h.entries, h.rev = claim.Ref.ID, known.entries, claim.LogRev
	lines = lines[min(have-from, len(lines)):]
	for {
		entries, err := thread.DecodeLog(h.id, lines)
		if err != nil {
			return err
		}
		h.entries = append(h.entries, entries...)
		if len(h.entries) >= claim.LogLen {
			break
		}
		thread.Lighten(h.entries) // an older version kept every edit
		if lines, err = store.Log(ctx, claim.Ref, len(h.entries)); err != nil {
			return fmt.Errorf("read the log of %s: %w", h.id, err)
		}
		if len(lines) == 0 {
			return fmt.Errorf("read the log of %s: %d of %d entries are there", h.id, len(h.entries), claim.LogLen)
		}
	}
	h.volume = thread.VolumeOf(h.entries)
	h.committed = h.entries
	return nil
}

// note puts an entry into the log: at its end, in the place of one that it makes
// meaningless, or nowhere if a newer one is there (thread.Supersedes). Until the
// commit the store's copy of the log stays as it is, so that what was decided can be
// forgotten again. acts are what a person did by it and has to answer for.
func (h *history) note(entry thread.Entry) (acts []thread.Audit, err error) {
	before := thread.DecidedAt(h.entries, entry)
	i, placing := thread.Supersedes(h.entries, entry)
	if placing == thread.Replaced {
		entry = entry.InPlace(h.entries)
	}
	line, err := thread.EncodeEntry(h.id, entry)
	if err != nil {
		return nil, fmt.Errorf("note in the log of %s: %w", h.id, err)
	}
	n := &h.noted
	if !n.begun {
		n.before, n.begun = h.entries, true
	}
	switch placing {
	case thread.Outdated:
		return nil, nil
	case thread.Added:
		n.lines = append(n.lines, line)
		h.entries = append(h.entries, entry)
		h.volume.Add(entry)
	case thread.Replaced:
		h.replace(i, entry, line)
	}
	return thread.AuditsOf(entry, before, thread.DecidedAt(h.entries, entry)), nil
}

// replace puts an entry in the place of another.
func (h *history) replace(i int, entry thread.Entry, line []byte) {
	n := &h.noted
	if stored := len(n.before); i >= stored {
		n.lines[i-stored] = line
	} else {
		if n.rewrites == nil {
			n.rewrites = make(map[int][]byte)
		}
		n.rewrites[i] = line
	}
	if !n.own {
		h.entries, n.own = slices.Clone(h.entries), true
	}
	h.volume.Remove(h.entries[i])
	h.volume.Add(entry)
	h.entries[i] = entry
}

// excess reports whether the log has room for what an event would add to it.
func (h *history) excess(e event) thread.Excess {
	if x, ok := sharedEvent(e); ok {
		return roundtable.ExcessOf(h.volume, h.entries, x)
	}
	return thread.ExcessNone
}

// overtaken reports whether an event brings words of a message that do not stand any more.
func (h *history) overtaken(e event) bool {
	x, ok := sharedEvent(e)
	return ok && roundtable.Overtaken(h.entries, x)
}

// hasReceipt reports whether the log has the receipt of a post.
func (h *history) hasReceipt(ts string) bool {
	return slices.ContainsFunc(h.entries, func(e thread.Entry) bool { return e.Kind == thread.EntryPosted && e.TS == ts })
}

// fill puts what was noted into a commit.
func (h *history) fill(c *Commit) {
	c.Append = h.noted.lines
	for _, i := range slices.Sorted(maps.Keys(h.noted.rewrites)) {
		c.Rewrite = append(c.Rewrite, Rewrite{Index: i, Line: h.noted.rewrites[i]})
	}
}

// changed is how many entries were noted since the last commit.
func (h *history) changed() int { return len(h.noted.lines) + len(h.noted.rewrites) }

// saved notes that a commit was applied: the store has all of the log.
func (h *history) saved(r Committed) {
	if len(h.noted.rewrites) > 0 {
		h.rev = LogRev(r.Token)
	}
	h.noted, h.committed = noted{}, h.entries
}

// inDoubt notes that a commit failed: whether it was applied is not known.
func (h *history) inDoubt() { h.committed = nil }

// undo makes the log what the store has.
func (h *history) undo() {
	if h.noted.begun {
		h.entries = h.noted.before
		h.volume = thread.VolumeOf(h.entries)
	}
	h.noted = noted{}
}
