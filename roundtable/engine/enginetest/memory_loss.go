package enginetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Hide implements engine.Farewells.
func (m *Memory) Hide(_ context.Context, f engine.Farewell) (engine.Hidden, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.Item == "" {
		return engine.Hidden{Discussions: 1}, m.hideThread(f, f.Discussion)
	}
	ref := engine.ItemRef{Team: f.Team, Channel: f.Channel, Slug: f.Item}
	item := m.items[ref]
	if item.Version == 0 || item.Hidden && m.gone[f.Item] != f.Key {
		return engine.Hidden{}, engine.ErrNotFound
	}
	item.Hidden = true
	m.items[ref] = item
	if m.gone == nil {
		m.gone = make(map[string]string)
	}
	m.gone[f.Item] = f.Key
	count := engine.Hidden{Documents: len(item.Files)}
	for _, id := range item.Sources() {
		switch err := m.hideThread(f, id); {
		case err == nil:
			count.Discussions++
		case errors.Is(err, engine.ErrBusy):
			return count, err
		}
	}
	return count, nil
}

func (m *Memory) hideThread(f engine.Farewell, id string) error {
	th := m.threads[engine.Ref{Team: f.Team, Channel: f.Channel, ID: id}]
	switch {
	case th == nil || th.gone != "" && th.gone != f.Key:
		return engine.ErrNotFound
	case m.busy(th):
		return engine.ErrBusy
	}
	th.gone = f.Key
	return nil
}

// busy reports whether somebody works on a discussion, or has to.
func (m *Memory) busy(th *kept) bool {
	return th.isHeld(m.now()) || len(th.mail)+len(th.outbox) > 0
}

// Restore implements engine.Farewells.
func (m *Memory) Restore(_ context.Context, f engine.Farewell) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restore(f)
	return nil
}

func (m *Memory) restore(f engine.Farewell) {
	for _, th := range m.threads {
		if th.gone == f.Key {
			th.gone = ""
		}
	}
	ref := engine.ItemRef{Team: f.Team, Channel: f.Channel, Slug: f.Item}
	if item := m.items[ref]; item.Hidden && m.gone[f.Item] == f.Key {
		item.Hidden = false
		m.items[ref] = item
	}
}

// Remove implements engine.Farewells.
func (m *Memory) Remove(_ context.Context, f engine.Farewell) (back bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref := engine.ItemRef{Team: f.Team, Channel: f.Channel, Slug: f.Item}
	if item := m.items[ref]; item.Version != 0 && !item.Hidden {
		m.restore(f)
		return true, nil
	}
	for _, th := range m.threads {
		if th.gone == f.Key && m.busy(th) {
			return false, engine.ErrBusy
		}
	}
	for ref, th := range m.threads {
		if th.gone != f.Key {
			continue
		}
		delete(m.threads, ref)
		maps.DeleteFunc(m.aliases, func(_ spot, of engine.Ref) bool { return of == ref })
		m.letters = slices.DeleteFunc(m.letters, func(l engine.DeadLetter) bool { return l.Ref == ref })
	}
	if m.gone[f.Item] == f.Key {
		delete(m.items, ref)
	}
	return false, nil
}

// NoteAct implements engine.Acts.
func (m *Memory) NoteAct(_ context.Context, a engine.Act) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.note(a, m.now())
	return nil
}

func (m *Memory) note(a engine.Act, now time.Time) {
	a.At = now.UTC()
	m.acts = append(m.acts, a)
}

// ReadActs implements engine.Acts.
func (m *Memory) ReadActs(_ context.Context, q engine.ActQuery, each func(engine.Act) error) error {
	m.mu.Lock()
	acts := slices.Clone(m.acts)
	m.mu.Unlock()
	seen := make(map[string]bool)
	for _, a := range acts {
		if seen[a.ID] || a.At.Before(q.Since) || !q.Until.IsZero() && a.At.After(q.Until) || q.Channel != "" && a.Channel != q.Channel {
			continue
		}
		seen[a.ID] = true
		if err := each(a); err != nil {
			return err
		}
	}
	return nil
}

// Snapshot is what a store knew at one moment.
type Snapshot struct {
	threads map[engine.Ref]kept
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
	s := Snapshot{threads: make(map[engine.Ref]kept, len(m.threads)), aliases: maps.Clone(m.aliases), letters: slices.Clone(m.letters), items: maps.Clone(m.items), acts: slices.Clone(m.acts)}
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
	m.threads = make(map[engine.Ref]*kept)
	for ref, th := range s.threads {
		th = th.clone()
		m.threads[ref] = &th
	}
	m.aliases, m.letters, m.items = maps.Clone(s.aliases), slices.Clone(s.letters), maps.Clone(s.items)
	m.acts = slices.Clone(s.acts)
}

func (th *kept) clone() kept {
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
