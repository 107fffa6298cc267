package enginetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// FindMessage implements engine.Store.
func (m *Memory) FindMessage(_ context.Context, team, channel, ts string) (engine.Sighting, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ref, ok := m.aliases[spot{team, channel, ts}]; ok {
		return engine.Sighting{Ref: ref, Known: true}, nil
	}
	var perhaps []engine.Listed
	for ref, th := range m.threads {
		switch {
		case ref.Team != team || ref.Channel != channel || th.closed || th.root == "" || micros(th.root) > micros(ts):
		case th.seen["m:"+ts] || th.posted[ts]:
			return engine.Sighting{Ref: ref, Known: true}, nil
		default:
			perhaps = append(perhaps, engine.Listed{Ref: ref})
		}
	}
	slices.SortFunc(perhaps, m.newestFirst)
	var s engine.Sighting
	for _, l := range perhaps {
		s.Perhaps = append(s.Perhaps, l.Ref)
	}
	return s, nil
}

// micros is a timestamp as a number.
func micros(ts string) int {
	digits := strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, ts)
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0 // it has no digits
	}
	return n
}

// List implements engine.Store.
func (m *Memory) List(_ context.Context, team, channel string, limit int) ([]engine.Listed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var listed []engine.Listed
	for ref, th := range m.threads {
		if ref.Team == team && ref.Channel == channel && !th.closed && th.gone == "" && th.state != nil {
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
		if !th.closed && th.gone == "" && th.state != nil {
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

// States implements engine.Store.
func (m *Memory) States(_ context.Context, refs []engine.Ref) ([]engine.StoredState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]engine.StoredState, len(refs))
	for i, ref := range refs {
		switch th := m.threads[ref]; {
		case th == nil:
			out[i].Err = engine.ErrNotFound
		case th.gone != "":
			out[i].Err = engine.ErrForgotten
		default:
			out[i].State = slices.Clone(th.state)
		}
	}
	return out, nil
}

// Read implements engine.Store.
func (m *Memory) Read(_ context.Context, ref engine.Ref) ([]byte, [][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.threads[ref]
	if th == nil {
		return nil, nil, fmt.Errorf("read discussion %s: %w", ref.ID, engine.ErrNotFound)
	}
	if th.gone != "" {
		return nil, nil, fmt.Errorf("read discussion %s: %w", ref.ID, engine.ErrForgotten)
	}
	return slices.Clone(th.state), slices.Clone(th.log), nil
}

// Log implements engine.Store.
func (m *Memory) Log(_ context.Context, ref engine.Ref, from int) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	th := m.threads[ref]
	if th == nil {
		return nil, fmt.Errorf("read log of discussion %s: %w", ref.ID, engine.ErrNotFound)
	}
	log := slices.Clone(th.log)
	return log[min(max(from, 0), len(log)):], nil
}

// DeadLetters implements engine.DeadLetters.
func (m *Memory) DeadLetters(_ context.Context, limit int) ([]engine.DeadLetter, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := slices.Clone(m.letters)
	slices.Reverse(newest)
	return newest[:min(len(newest), limit)], nil
}

// Replay implements engine.DeadLetters.
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
	if err := w.Check(); err != nil {
		return fmt.Errorf("write item %s: %w", ref.Slug, err)
	}
	next := copyItem(old)
	next.Version++
	for name, text := range w.Files {
		next.Files[name] = bytes.Clone(text)
	}
	if w.Meta != nil {
		next.Meta = bytes.Clone(w.Meta)
	}
	whole := engine.ItemWrite{Files: next.Files, Meta: next.Meta}
	if err := whole.Check(); err != nil {
		return fmt.Errorf("write item %s: %w", ref.Slug, err)
	}
	if w.Key != "" {
		next.Applied[w.Key] = bytes.Clone(w.Result)
	}
	if w.Opener != "" && !slices.Contains(next.Openers, w.Opener) {
		next.Openers = slices.Sorted(slices.Values(append(next.Openers, w.Opener)))
	}
	next.Hidden = false
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
	for ref, item := range m.items {
		if ref.Team == team && ref.Channel == channel && !item.Hidden {
			slugs = append(slugs, ref.Slug)
		}
	}
	slices.Sort(slugs)
	return slugs, nil
}

// copyItem copies what a write changes.
func copyItem(i engine.Item) engine.Item {
	c := engine.Item{Version: i.Version, Meta: i.Meta, Files: maps.Clone(i.Files), Applied: maps.Clone(i.Applied), Openers: slices.Clone(i.Openers), Hidden: i.Hidden}
	if c.Files == nil {
		c.Files = make(map[string][]byte)
	}
	if c.Applied == nil {
		c.Applied = make(map[string][]byte)
	}
	return c
}
