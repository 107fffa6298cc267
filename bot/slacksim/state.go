package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// snapshotVersion is the form of the state file. A file of another version is
// refused rather than misread.
const snapshotVersion = 1

// snapshot is the state file: what Slack itself would still know after the app
// and the page were restarted. Ephemeral messages, modals and triggers are not
// in it, because in Slack they do not survive either.
type snapshot struct {
	Version  int              `json:"version"`
	SavedAt  time.Time        `json:"saved_at"`
	IDs      idSource         `json:"ids"`
	People   []*Person        `json:"people"`
	Channels []*channel       `json:"channels"`
	Files    map[string]*file `json:"files"`
	Homes    map[string]any   `json:"homes"`
	Events   []*delivery      `json:"events"` // not acknowledged yet
}

// save writes the state file if anything changed since the last time.
func (w *Workspace) save() error {
	if w.opts.StateFile == "" {
		return nil
	}
	w.saving.Lock()
	defer w.saving.Unlock()
	w.mu.Lock()
	if !w.dirty {
		w.mu.Unlock()
		return nil
	}
	raw, err := json.Marshal(w.snapshot())
	w.dirty = false
	w.mu.Unlock()
	if err != nil {
		return fmt.Errorf("encode workspace state: %w", err)
	}
	if err := replaceFile(w.opts.StateFile, raw); err != nil {
		w.mu.Lock()
		w.dirty = true
		w.mu.Unlock()
		return fmt.Errorf("save workspace state: %w", err)
	}
	return nil
}

// saveBeforeAnswer saves before an answer leaves, where nothing that was answered may be
// forgotten by a kill.
func (w *Workspace) saveBeforeAnswer() {
	if w.opts.Timing.SaveEvery >= 0 {
		return
	}
	if err := w.save(); err != nil {
		w.log.Error("workspace state not saved", "error", err)
	}
}

// saveIfDue saves at most as often as Timing.SaveEvery; the clock loop calls it.
func (w *Workspace) saveIfDue() {
	w.mu.Lock()
	due := w.dirty && w.now().Sub(w.savedAt) >= w.opts.Timing.SaveEvery
	if due {
		w.savedAt = w.now()
	}
	w.mu.Unlock()
	if !due {
		return
	}
	if err := w.save(); err != nil {
		w.log.Error("workspace state not saved", "error", err)
	}
}

// snapshot gathers the state. The caller holds mu.
func (w *Workspace) snapshot() snapshot {
	s := snapshot{Version: snapshotVersion, SavedAt: w.now(), IDs: w.ids, People: w.people, Channels: w.channels, Files: w.files, Homes: map[string]any{}}
	for user, v := range w.homes {
		s.Homes[user] = v.body
	}
	for _, d := range append(w.unacknowledged(func(*delivery) bool { return true }), w.pending...) {
		if d.Kind == kindEvents {
			s.Events = append(s.Events, d)
		}
	}
	return s
}

// replaceFile puts new content in place of a file so that a reader, or a restart
// after a kill, finds the old or the new, never a mixture.
func replaceFile(name string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(content); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// load takes up a state file; a missing one is an empty workspace. People and
// channels that the options have and the file lacks are added.
func (w *Workspace) load(name string) error {
	raw, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var s snapshot
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("version %d, want %d", s.Version, snapshotVersion)
	}
	w.ids = s.IDs
	for _, p := range s.People {
		if i := slices.IndexFunc(w.people, func(o *Person) bool { return o.ID == p.ID }); i < 0 {
			w.people = append(w.people, p)
		} else if !p.IsBot {
			w.people[i] = p
		}
	}
	for _, c := range s.Channels {
		if old := w.byID[c.ID]; old != nil {
			*old = *c
		} else {
			w.keep(c)
		}
	}
	if s.Files != nil {
		w.files = s.Files
	}
	for user, body := range s.Homes {
		if o, ok := body.(object); ok {
			w.homes[user] = &view{user: user, body: o}
		}
	}
	for _, d := range s.Events {
		w.number(d)
		w.queue(d)
	}
	return nil
}
