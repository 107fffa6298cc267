package checkout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// WriteItem changes an item that still stands as it was read, else it returns
// engine.ErrConflict; so it does when somebody edits a file while the change is
// being made. A key whose change was made is success whatever the version, and
// changes nothing. What only a person can mend is engine.ErrBarred.
func (s *Store) WriteItem(ctx context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	files := slices.Collect(maps.Keys(w.Files))
	if err := errors.Join(checkRef(ref), checkWrite(w)); err != nil {
		return private(ref, fmt.Errorf("write item %s: %w", ref.Slug, err), files...)
	}
	err := s.locked(ctx, func() error {
		f, err := s.look(ref)
		switch {
		case err != nil:
			return err
		case f.record != nil && f.record.applied(w.Key):
			return nil
		case f.version() != w.Version:
			return engine.ErrConflict
		}
		// What was being removed is removed first: its discussions are gone, and what was moved
		// aside must neither be missing in what is written now nor outlast it.
		if torn, err := s.torn(f); err != nil {
			return err
		} else if torn {
			return errors.Join(engine.ErrConflict, s.remove(f))
		}
		if f.record != nil && f.record.Forgotten != nil && f.record.Forgotten.Sealed {
			return engine.ErrConflict // its discussions are being removed, and it is next
		}
		if err := f.room(w); err != nil {
			return err
		}
		return s.write(ref, f, w)
	})
	if err != nil {
		return private(ref, fmt.Errorf("write item %s: %w", ref.Slug, err), files...)
	}
	return nil
}

func checkWrite(w engine.ItemWrite) error {
	for name := range w.Files {
		if err := document.CheckArtifactName(name); err != nil {
			return fmt.Errorf("artifact %q: %w", name, err)
		}
	}
	return w.Check()
}

// write makes a change as the package comment says.
func (s *Store) write(ref engine.ItemRef, f *folder, w engine.ItemWrite) error {
	r := f.record
	if r == nil {
		r = newRecord(ref)
		s.log.Info("a channel has a folder from now on", "folder", engine.Private(f.name), "team", ref.Team, "channel", ref.Channel, "files", len(f.files))
	}
	changes, err := s.plan(f, r, w)
	if err != nil {
		return err
	}
	if err := s.stage(f.name, changes); err != nil {
		// Nothing refers to what was staged. What cannot be removed now is later.
		return errors.Join(err, s.sweep(f.name))
	}
	r.Forgotten = nil // what is written into is not forgotten any more
	if w.Opener != "" && !slices.Contains(r.Openers, w.Opener) {
		r.Openers = slices.Sorted(slices.Values(append(r.Openers, w.Opener)))
	}
	r.Pending = &pending{Key: w.Key, Result: w.Result, Files: changes}
	if err := s.save(f.name, r); err != nil {
		return err
	}
	landed, err := s.settle(f.name, r)
	if err == nil && !landed {
		err = engine.ErrConflict
	}
	return err
}

// plan says which files change, meta.json last: what is recorded there must have
// been written (AC-NFR-003-02).
func (s *Store) plan(f *folder, r *record, w engine.ItemWrite) ([]change, error) {
	var changes []change
	add := func(name string, content []byte) error {
		old, exists := f.files[name]
		if exists && bytes.Equal(old.content, content) || slices.Contains(r.Landed[w.Key], name) {
			return nil
		}
		c := change{Name: name, Now: digest(content), Staged: strconv.Itoa(len(changes)), content: content}
		if exists {
			c.Was, c.perm = digest(old.content), old.perm
		} else if err := s.free(f, name); err != nil {
			return err
		}
		changes = append(changes, c)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(w.Files)) {
		if err := add(name, w.Files[name]); err != nil {
			return nil, err
		}
	}
	if w.Meta != nil {
		if err := add(document.MetaName, w.Meta); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// free reports what is in the way of a new file.
func (s *Store) free(f *folder, name string) error {
	if dir := path.Dir(name); dir != "." {
		what, other := f.others[dir]
		if _, isFile := f.files[dir]; isFile {
			what, other = "a file", true
		}
		if other {
			return barred("%s cannot be made, because %s is %s", path.Join(f.name, name), path.Join(f.name, dir), what)
		}
	}
	if what, other := f.others[name]; other {
		return barred("%s is %s", path.Join(f.name, name), what)
	}
	if f.dirs[name] {
		return barred("%s is a folder", path.Join(f.name, name))
	}
	// Where case does not count, a file may stand there under another spelling.
	switch _, err := s.tree.Lstat(path.Join(f.name, name)); {
	case err == nil:
		return barred("something stands in the place of %s under another spelling", path.Join(f.name, name))
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return fmt.Errorf("look at %s: %w", path.Join(f.name, name), err)
	}
}

// stage writes the new files aside and has them on the disk when it returns.
func (s *Store) stage(folder string, changes []change) error {
	if err := s.sweep(folder); err != nil {
		return err
	}
	if len(changes) == 0 {
		return nil
	}
	dir := stagedDir(folder)
	if err := s.tree.Mkdir(dir); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	for _, c := range changes {
		if err := s.tree.Create(path.Join(dir, c.Staged), c.perm, c.content); err != nil {
			return fmt.Errorf("write %s aside: %w", path.Join(folder, c.Name), err)
		}
	}
	// A staged file that is missing counts as landed, so each must be safe before
	// the record names it.
	if err := errors.Join(s.tree.Sync(dir), s.tree.Sync(bookkeeping)); err != nil {
		return fmt.Errorf("sync what was written aside: %w", err)
	}
	return nil
}

// sweep removes what was staged and is not referred to.
func (s *Store) sweep(folder string) error {
	dir := stagedDir(folder)
	entries, err := s.tree.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for what was written aside: %w", err)
	}
	for _, e := range entries {
		if err := s.tree.Remove(path.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("clear away what was written aside: %w", err)
		}
	}
	if err := s.tree.Remove(dir); err != nil {
		return fmt.Errorf("clear away what was written aside: %w", err)
	}
	return nil
}

// settle completes the pending change. It reports false when it gave up because
// somebody edited a file meanwhile.
func (s *Store) settle(folder string, r *record) (bool, error) {
	var landed []string
	for _, c := range r.Pending.Files {
		ok, err := s.land(folder, c)
		if err != nil {
			return false, engine.Discreet(err, c.Name)
		}
		if !ok {
			s.log.Info("a file was edited while it was being changed", "folder", engine.Private(folder), "file", engine.Private(c.Name))
			r.giveUp(landed)
			return false, errors.Join(s.save(folder, r), s.sweep(folder))
		}
		landed = append(landed, c.Name)
	}
	r.complete()
	if err := s.save(folder, r); err != nil {
		return false, err
	}
	return true, s.sweep(folder)
}

// land puts one staged file in its place unless it is there already. It reports
// false when what it would replace is not what was read.
func (s *Store) land(folder string, c change) (bool, error) {
	from, to := path.Join(stagedDir(folder), c.Staged), path.Join(folder, c.Name)
	if _, err := s.tree.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	} else if err != nil {
		return false, fmt.Errorf("look at what was written aside: %w", err)
	}
	if err := s.makeDirs(to); err != nil {
		return false, err
	}
	now, err := s.digestOf(to)
	if err != nil || now != c.Was && now != c.Now {
		return false, err
	}
	if err := s.tree.Rename(from, to); err != nil {
		return false, fmt.Errorf("put %s in its place: %w", to, err)
	}
	if err := s.tree.Sync(path.Dir(to)); err != nil {
		return false, fmt.Errorf("sync %s: %w", path.Dir(to), err)
	}
	return true, nil
}

// makeDirs makes the folders above a file. None of them may be a link, also not the
// outermost, or the file would land in another item.
func (s *Store) makeDirs(name string) error {
	dir := path.Dir(name)
	if dir == "." {
		return nil
	}
	if err := s.makeDirs(dir); err != nil {
		return err
	}
	info, err := s.tree.Lstat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return barred("%s is %s, not a folder", dir, kind(info.Mode()))
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if err := s.tree.Mkdir(dir); err != nil {
		return fmt.Errorf("make folder %s: %w", dir, err)
	}
	if err := s.tree.Sync(path.Dir(dir)); err != nil {
		return fmt.Errorf("sync %s: %w", path.Dir(dir), err)
	}
	return nil
}
