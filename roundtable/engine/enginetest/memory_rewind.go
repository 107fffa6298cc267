package enginetest

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Snapshot is what a store knew at one moment.
type Snapshot struct {
	threads map[engine.Ref]threadTS
	aliases map[spot]engine.Ref
	letters []engine.DeadLetter
	items   map[engine.ItemRef]engine.Item
	acts    []engine.Act
}

// Snapshot remembers the discussions, the dead letters and the items as they are
// now. The pace of channels is not part of it: nothing depends on its being kept.
func (m *Memory) Snapshot() Snapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	// Items are never changed in place, so their map is enough.
	s := Snapshot{threads: make(map[engine.Ref]threadTS, len(m.threads)), aliases: maps.Clone(m.aliases), letters: slices.Clone(m.letters), items: maps.Clone(m.items), acts: slices.Clone(m.acts)}
	for ref, th := range m.threads {
		s.threads[ref] = th.clone()
	}
	return s
}

// Rewind makes the store forget everything since a snapshot, as a failover may.
func (m *Memory) Rewind(s Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rewinds++
	m.threads = make(map[engine.Ref]*threadTS)
	for ref, th := range s.threads {
		th = th.clone()
		m.threads[ref] = &th
	}
	m.aliases, m.letters, m.items = maps.Clone(s.aliases), slices.Clone(s.letters), maps.Clone(s.items)
	m.acts = slices.Clone(s.acts)
}

func (th *threadTS) clone() threadTS {
	c := *th
	c.log, c.mail, c.outbox = slices.Clone(th.log), slices.Clone(th.mail), slices.Clone(th.outbox)
	c.seen, c.from, c.posted = maps.Clone(th.seen), maps.Clone(th.from), maps.Clone(th.posted)
	return c
}

// Refs returns all discussions there ever were, also those that are closed, by id.
func (m *Memory) Refs() []engine.Ref {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Keys(m.threads), func(a, b engine.Ref) int { return strings.Compare(a.ID, b.ID) })
}

// NextDue returns when a discussion next needs somebody, or a lease ends; zero if
// none ever does.
func (m *Memory) NextDue() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	var next time.Time
	for _, th := range m.threads {
		if !th.closed && !th.due.IsZero() && (next.IsZero() || th.due.Before(next)) {
			next = th.due
		}
	}
	return next
}

// Knows reports whether an input was delivered to a discussion, and not forgotten.
func (m *Memory) Knows(ref engine.Ref, id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.threads[ref]
	return th != nil && th.seen[id]
}

// Holder returns who claimed a discussion last, also after the end of the lease or
// once it was given back, and the newest token; both are empty if nobody ever did.
func (m *Memory) Holder(ref engine.Ref) (owner string, newest engine.Token) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if th := m.threads[ref]; th != nil {
		return th.owner, th.token
	}
	return "", ""
}
