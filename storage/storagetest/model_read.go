package storagetest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
)

// FindThread implements engine.Store.
func (m *Model) FindThread(_ context.Context, team, channel, thread string) (engine.Ref, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ref, ok := m.threads[[3]string{team, channel, thread}]
	return ref, ok, nil
}

// List implements engine.Store.
func (m *Model) List(_ context.Context, team, channel string, limit int) ([]engine.Listed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []engine.Listed
	for ref, k := range m.kept {
		if ref.Team == team && ref.Channel == channel && !k.closed && k.state != nil {
			out = append(out, engine.Listed{Ref: ref, State: slices.Clone(k.state)})
		}
	}
	slices.SortFunc(out, func(a, b engine.Listed) int { return m.kept[b.Ref].active.Compare(m.kept[a.Ref].active) })
	return out[:min(limit, len(out))], nil
}

// ListOpen implements engine.Store.
func (m *Model) ListOpen(_ context.Context, limit int) ([]engine.Listed, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []engine.Listed
	for ref, k := range m.kept {
		if !k.closed && k.state != nil {
			out = append(out, engine.Listed{Ref: ref, State: slices.Clone(k.state)})
		}
	}
	slices.SortFunc(out, func(a, b engine.Listed) int { return m.kept[b.Ref].active.Compare(m.kept[a.Ref].active) })
	return out[:min(limit, len(out))], nil
}

// Read implements engine.Store.
func (m *Model) Read(_ context.Context, ref engine.Ref) ([]byte, [][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kept[ref]
	if k == nil {
		return nil, nil, fmt.Errorf("read discussion %s: %w", ref.ID, engine.ErrNotFound)
	}
	return slices.Clone(k.state), slices.Clone(k.log), nil
}

// Log implements engine.Store.
func (m *Model) Log(ctx context.Context, ref engine.Ref, from int) ([][]byte, error) {
	_, log, err := m.Read(ctx, ref)
	if err != nil {
		return nil, err
	}
	return log[min(max(from, 0), len(log)):], nil
}

// DeadLetters implements engine.Store.
func (m *Model) DeadLetters(_ context.Context, limit int) ([]engine.DeadLetter, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := slices.Clone(m.letters)
	slices.Reverse(out)
	return out[:min(limit, len(out))], nil
}

// Replay implements engine.Store.
func (m *Model) Replay(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.letters, func(l engine.DeadLetter) bool { return l.ID == id })
	if at < 0 {
		return fmt.Errorf("replay: %w", engine.ErrNotFound)
	}
	letter, now := m.letters[at], m.now()
	k := m.kept[letter.Ref]
	if k.closed {
		return fmt.Errorf("replay: %w", storage.ErrClosed)
	}
	m.letters = slices.Delete(m.letters, at, at+1)
	k.mail = append(k.mail, letter.Mail)
	if !k.held(now) {
		k.due = now
	}
	return nil
}

// ReadItem implements engine.Items.
func (m *Model) ReadItem(_ context.Context, ref engine.ItemRef) (engine.Item, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.item(ref), nil
}

// item returns a copy.
func (m *Model) item(ref engine.ItemRef) engine.Item {
	i := m.items[ref]
	files, applied := maps.Clone(i.Files), maps.Clone(i.Applied)
	if files == nil {
		files = make(map[string][]byte)
	}
	if applied == nil {
		applied = make(map[string][]byte)
	}
	return engine.Item{Version: i.Version, Files: files, Meta: slices.Clone(i.Meta), Applied: applied}
}

// WriteItem implements engine.Items.
func (m *Model) WriteItem(_ context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.item(ref)
	if _, merged := i.Applied[w.Key]; merged && w.Key != "" {
		return nil
	}
	if i.Version != w.Version {
		return fmt.Errorf("write item %s: %w", ref.Slug, engine.ErrConflict)
	}
	for name, file := range w.Files {
		if len(file) > storage.MaxValue {
			return fmt.Errorf("artifact %s: %w", name, storage.ErrTooLarge)
		}
		i.Files[name] = slices.Clone(file)
	}
	if w.Meta != nil {
		i.Meta = slices.Clone(w.Meta)
	}
	if w.Key != "" {
		i.Applied[w.Key] = slices.Clone(w.Result)
	}
	i.Version++
	m.items[ref] = i
	return nil
}

// ListItems implements engine.Items.
func (m *Model) ListItems(_ context.Context, team, channel string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for ref := range m.items {
		if ref.Team == team && ref.Channel == channel {
			out = append(out, ref.Slug)
		}
	}
	slices.Sort(out)
	return out, nil
}
