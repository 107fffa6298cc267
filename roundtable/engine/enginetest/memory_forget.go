package enginetest

import (
	"context"
	"errors"
	"maps"
	"slices"
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
func (m *Memory) busy(th *threadTS) bool {
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
