package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// HideItem puts a channel's item out of sight under the key of a forgetting: it is not
// listed any more, and read as hidden. Its files stay where they are, so that nothing that
// somebody edits or has not committed is touched; the record remembers what they held. An
// item that the channel does not have, or another key has, is engine.ErrNotFound.
func (s *Store) HideItem(ctx context.Context, ref engine.ItemRef, key string) error {
	return s.forgetting(ctx, "hide", ref, func(f *folder) error {
		switch r := f.record; {
		case r == nil, r.Forgotten != nil && r.Forgotten.Key != key:
			return engine.ErrNotFound
		case r.Forgotten != nil:
			return nil
		}
		files := make(map[string]string, len(f.files))
		for name, file := range f.files {
			files[name] = digest(file.content)
		}
		f.record.Forgotten = &forgotten{Key: key, Files: files}
		return s.save(f.name, f.record)
	})
}

// SealItem keeps an item that was hidden under a key from being written into until it is
// unsealed, removed or restored: the record says so. back is true where the item is in sight.
func (s *Store) SealItem(ctx context.Context, ref engine.ItemRef, key string) (back bool, err error) {
	err = s.forgetting(ctx, "seal", ref, func(f *folder) error {
		if back = f.record != nil && f.record.Forgotten == nil; back || !f.hiddenUnder(key) || f.record.Forgotten.Sealed {
			return nil
		}
		f.record.Forgotten.Sealed = true
		return s.save(f.name, f.record)
	})
	return back, err
}

// UnsealItem lets an item be written into again that was sealed under a key.
func (s *Store) UnsealItem(ctx context.Context, ref engine.ItemRef, key string) error {
	return s.forgetting(ctx, "unseal", ref, func(f *folder) error {
		if !f.hiddenUnder(key) || !f.record.Forgotten.Sealed {
			return nil
		}
		f.record.Forgotten.Sealed = false
		return s.save(f.name, f.record)
	})
}

// RestoreItem brings an item back that was hidden under a key, with whatever was edited in
// it meanwhile. Of one whose removal had begun, which only a store that forgot as much has
// anybody take back, it brings back what is still there.
func (s *Store) RestoreItem(ctx context.Context, ref engine.ItemRef, key string) error {
	return s.forgetting(ctx, "restore", ref, func(f *folder) error {
		if !f.hiddenUnder(key) {
			return nil
		}
		if err := s.clearAside(f, func(string, string) bool { return true }); err != nil {
			return err
		}
		f.record.Forgotten = nil
		return s.save(f.name, f.record)
	})
}

// RemoveItem removes an item that was hidden under a key: its artifacts, its meta.json and
// its record. What stands in the folder and is no artifact stays, what was made or edited
// in it since it was hidden stays as nobody's, and so does what Git has committed. It goes
// in two steps: every file is moved aside, into .roundtable/<folder>.forgotten, and looked
// at there; then those that are what was forgotten are removed, and the others put back.
// Whoever comes after a crash begins with what was moved aside.
func (s *Store) RemoveItem(ctx context.Context, ref engine.ItemRef, key string) error {
	return s.forgetting(ctx, "remove", ref, func(f *folder) error {
		if !f.hiddenUnder(key) {
			return nil
		}
		return s.remove(f)
	})
}

// remove removes an item that is forgotten, or completes that.
func (s *Store) remove(f *folder) error {
	if err := s.setAside(f); err != nil {
		return err
	}
	edited := func(name, now string) bool { return now != f.record.Forgotten.Files[name] }
	if err := s.clearAside(f, edited); err != nil {
		return err
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
}

// torn reports whether a removal of the item has begun.
func (s *Store) torn(f *folder) (bool, error) {
	if f.record == nil || f.record.Forgotten == nil {
		return false, nil
	}
	_, err := s.tree.Lstat(asideDir(f.name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for what was moved aside: %w", err)
	}
	return true, nil
}

func (f *folder) hiddenUnder(key string) bool {
	return f.record != nil && f.record.Forgotten != nil && f.record.Forgotten.Key == key
}

// forgetting does something with an item as it stands.
func (s *Store) forgetting(ctx context.Context, what string, ref engine.ItemRef, do func(*folder) error) error {
	if err := checkRef(ref); err != nil {
		return fmt.Errorf("%s item: %w", what, err)
	}
	err := s.locked(ctx, func() error {
		f, err := s.look(ref)
		if err != nil {
			return err
		}
		return do(f)
	})
	if err != nil {
		return private(ref, fmt.Errorf("%s item: %w", what, err))
	}
	return nil
}

// aside are the files that are to be removed, in order, each with the name under which it
// is moved aside.
func (f *folder) aside() (names []string, at func(i int) string) {
	names = slices.Sorted(maps.Keys(f.record.Forgotten.Files))
	return names, func(i int) string { return path.Join(asideDir(f.name), strconv.Itoa(i)) }
}

// setAside moves what is forgotten out of the folder. A file that somebody edited since is
// left alone.
func (s *Store) setAside(f *folder) error {
	if err := s.tree.Mkdir(asideDir(f.name)); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make %s: %w", asideDir(f.name), err)
	}
	names, at := f.aside()
	for i, name := range names {
		from := path.Join(f.name, name)
		// What was not read as a plain file of this folder is not followed either.
		if now, plain := f.files[name]; !plain || digest(now.content) != f.record.Forgotten.Files[name] {
			continue // moved before a crash, edited since, or removed by hand
		}
		if err := s.tree.Rename(from, at(i)); err != nil {
			return engine.Discreet(fmt.Errorf("move %s aside: %w", from, err), name)
		}
	}
	dirs := []string{asideDir(f.name), bookkeeping}
	for _, dir := range append(slices.Sorted(maps.Keys(f.dirs)), "") {
		dirs = append(dirs, path.Join(f.name, dir))
	}
	for _, dir := range dirs {
		if err := s.tree.Sync(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return engine.Discreet(fmt.Errorf("sync %s: %w", dir, err), strings.Split(dir, "/")...)
		}
	}
	return nil
}

// clearAside removes what was moved aside. What is theirs, as a file is that somebody saved
// in the moment before it was moved, is put back, unless they saved it anew since.
func (s *Store) clearAside(f *folder, theirs func(name, digest string) bool) error {
	names, at := f.aside()
	for i, name := range names {
		now, err := s.digestOf(at(i))
		if err != nil {
			return err
		}
		if now == "" {
			continue
		}
		to := path.Join(f.name, name)
		if _, err := s.tree.Lstat(to); theirs(name, now) && errors.Is(err, fs.ErrNotExist) {
			s.log.Info("a file is put back that was being removed", "file", i)
			if err := s.makeDirs(to); err != nil {
				return engine.Discreet(err, name)
			}
			if err := s.tree.Rename(at(i), to); err != nil {
				return engine.Discreet(fmt.Errorf("put %s back: %w", to, err), name)
			}
			continue
		}
		if err := s.tree.Remove(at(i)); err != nil {
			return fmt.Errorf("remove what was moved aside: %w", err)
		}
	}
	if err := s.tree.Remove(asideDir(f.name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", asideDir(f.name), err)
	}
	return nil
}

// removeEmpty removes a folder unless there is something in it. An empty one that
// stays harms nobody.
func (s *Store) removeEmpty(dir string) {
	if entries, err := s.tree.ReadDir(dir); err == nil && len(entries) == 0 {
		if err := s.tree.Remove(dir); err != nil {
			s.log.Debug("an empty folder was left", "folder", engine.Private(dir), "error", engine.Discreet(err, dir))
		}
	}
}
