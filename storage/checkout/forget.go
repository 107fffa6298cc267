package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Forget removes a channel's item: its artifacts, its meta.json and its record. What
// stands in the folder and is no artifact stays, and so does what Git has
// committed. An item that the channel does not have is engine.ErrNotFound. After an
// error some may be gone, and it can be called again.
func (s *Store) Forget(ctx context.Context, ref engine.ItemRef) error {
	if err := checkRef(ref); err != nil {
		return fmt.Errorf("forget item: %w", err)
	}
	err := s.locked(ctx, func() error {
		f, err := s.look(ref)
		if err != nil {
			return err
		}
		if f.record == nil {
			return engine.ErrNotFound
		}
		for _, name := range slices.Sorted(maps.Keys(f.files)) {
			if err := s.tree.Remove(path.Join(f.name, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		for dir := range f.dirs {
			s.removeEmpty(path.Join(f.name, dir))
		}
		s.removeEmpty(f.name)
		// The record goes last: without it a repetition would not find the item.
		if err := s.tree.Remove(recordFile(f.name)); err != nil {
			return err
		}
		return s.tree.Sync(bookkeeping)
	})
	if err != nil {
		return fmt.Errorf("forget item %s: %w", ref.Slug, err)
	}
	return nil
}

// removeEmpty removes a folder unless there is something in it. An empty one that
// stays harms nobody.
func (s *Store) removeEmpty(dir string) {
	if entries, err := s.tree.ReadDir(dir); err == nil && len(entries) == 0 {
		if err := s.tree.Remove(dir); err != nil {
			s.log.Debug("an empty folder was left", "folder", dir, "error", err)
		}
	}
}
