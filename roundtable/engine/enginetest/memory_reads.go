package enginetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Due implements engine.Store.
func (m *Memory) Due(_ context.Context, limit int) ([]engine.Ref, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	var due []engine.Ref
	for ref, th := range m.threads {
		if !th.closed && th.isDue(now) {
			due = append(due, ref)
		}
	}
	slices.SortFunc(due, func(a, b engine.Ref) int {
		if c := m.threads[a].due.Compare(m.threads[b].due); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return due[:min(len(due), limit)], nil
}

// FindThread implements engine.Store.
func (m *Memory) FindThread(_ context.Context, team, channel, ts string) (engine.Ref, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref, ok := m.aliases[spot{team, channel, ts}]
	return ref, ok, nil
}

// List implements engine.Store.
func (m *Memory) List(_ context.Context, team, channel string, limit int) ([]engine.Listed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var listed []engine.Listed
	for ref, th := range m.threads {
		if ref.Team == team && ref.Channel == channel && !th.closed && th.state != nil {
			listed = append(listed, engine.Listed{Ref: ref, State: slices.Clone(th.state)})
		}
	}
	slices.SortFunc(listed, m.newestFirst)
	return listed[:min(len(listed), limit)], nil
}

// newestFirst puts what was active last first; among equals the id decides, so that
// the same history always gives the same list.
func (m *Memory) newestFirst(a, b engine.Listed) int {
	return cmp.Or(m.threads[b.Ref].active.Compare(m.threads[a.Ref].active), strings.Compare(a.Ref.ID, b.Ref.ID))
}

// ListOpen implements engine.Store.
func (m *Memory) ListOpen(_ context.Context, limit int) ([]engine.Listed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var listed []engine.Listed
	for ref, th := range m.threads {
		if !th.closed && th.state != nil {
			listed = append(listed, engine.Listed{Ref: ref, State: slices.Clone(th.state)})
		}
	}
	slices.SortFunc(listed, m.newestFirst)
	return listed[:min(len(listed), limit)], nil
}

// MayRead implements engine.Store.
func (m *Memory) MayRead(_ context.Context, team string, every time.Duration) (time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if free := m.readings[team]; free.After(now) {
		return free.Sub(now), nil
	}
	if m.readings == nil {
		m.readings = make(map[string]time.Time)
	}
	m.readings[team] = now.Add(every)
	return 0, nil
}

// First implements engine.Store.
func (m *Memory) First(_ context.Context, what string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := !m.asked[what]
	if m.asked == nil {
		m.asked = make(map[string]bool)
	}
	m.asked[what] = true
	return first, nil
}

// Read implements engine.Store.
func (m *Memory) Read(_ context.Context, ref engine.Ref) ([]byte, [][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.threads[ref]
	if th == nil {
		return nil, nil, fmt.Errorf("read discussion %s: %w", ref.ID, engine.ErrNotFound)
	}
	return slices.Clone(th.state), slices.Clone(th.log), nil
}

// Log implements engine.Store.
func (m *Memory) Log(ctx context.Context, ref engine.Ref, from int) ([][]byte, error) {
	_, log, err := m.Read(ctx, ref)
	if err != nil {
		return nil, err
	}
	return log[min(max(from, 0), len(log)):], nil
}

// DeadLetters implements engine.Letters.
func (m *Memory) DeadLetters(_ context.Context, limit int) ([]engine.DeadLetter, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := slices.Clone(m.letters)
	slices.Reverse(newest)
	return newest[:min(len(newest), limit)], nil
}

// Replay implements engine.Letters.
func (m *Memory) Replay(_ context.Context, letter string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.letters, func(l engine.DeadLetter) bool { return l.ID == letter })
	if i < 0 {
		return fmt.Errorf("replay: %w", engine.ErrNotFound)
	}
	th := m.threads[m.letters[i].Ref]
	if th == nil || th.closed {
		return fmt.Errorf("replay: %w", engine.ErrClosed)
	}
	th.mail = append(th.mail, m.letters[i].Mail)
	if now := m.now(); !th.isHeld(now) {
		th.due = now
	}
	m.letters = slices.Delete(m.letters, i, i+1)
	return nil
}

// ReadItem implements engine.Items.
func (m *Memory) ReadItem(_ context.Context, ref engine.ItemRef) (engine.Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return copyItem(m.items[ref]), nil
}

// largest is the size in bytes of the largest artifact, as in package storage.
const largest = 1 << 20

// WriteItem implements engine.Items.
func (m *Memory) WriteItem(_ context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.items[ref]
	if _, done := old.Applied[w.Key]; done && w.Key != "" {
		return nil
	}
	if old.Version != w.Version {
		return fmt.Errorf("write item %s: %w", ref.Slug, engine.ErrConflict)
	}
	next := copyItem(old)
	next.Version++
	for name, text := range w.Files {
		if len(text) > largest {
			return fmt.Errorf("artifact %s: %w", name, engine.ErrTooLarge)
		}
		next.Files[name] = bytes.Clone(text)
	}
	if w.Meta != nil {
		next.Meta = bytes.Clone(w.Meta)
	}
	if w.Key != "" {
		next.Applied[w.Key] = bytes.Clone(w.Result)
	}
	if m.items == nil {
		m.items = make(map[engine.ItemRef]engine.Item)
	}
	m.items[ref] = next
	return nil
}

// ListItems implements engine.Items.
func (m *Memory) ListItems(_ context.Context, team, channel string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var slugs []string
	for ref := range m.items {
		if ref.Team == team && ref.Channel == channel {
			slugs = append(slugs, ref.Slug)
		}
	}
	slices.Sort(slugs)
	return slugs, nil
}

// copyItem copies what a write changes.
func copyItem(i engine.Item) engine.Item {
	c := engine.Item{Version: i.Version, Meta: i.Meta, Files: maps.Clone(i.Files), Applied: maps.Clone(i.Applied)}
	if c.Files == nil {
		c.Files = make(map[string][]byte)
	}
	if c.Applied == nil {
		c.Applied = make(map[string][]byte)
	}
	return c
}
