package checkout

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
)

const (
	// The bounds of an item are those of every store, so that items can move. They
	// bound what is read of a folder, too.
	maxFile  = engine.MaxArtifactBytes
	maxFiles = engine.MaxArtifacts
	maxBytes = engine.MaxItemBytes
)

// folder is an item as it stands in the directory.
type folder struct {
	name   string
	record *record // nil: no channel has it yet
	files  map[string]file
	// others are the things that stand there and are no artifact, with what they
	// are; dirs the folders in it that may hold artifacts.
	others map[string]string
	dirs   map[string]bool
	size   int // of the files, in bytes
}

// file is an artifact, or meta.json.
type file struct {
	content []byte
	perm    fs.FileMode
}

// read reads a folder's files. One that does not exist has none.
func (s *Store) read(name string, r *record) (*folder, error) {
	f := &folder{name: name, record: r, files: map[string]file{}, others: map[string]string{}, dirs: map[string]bool{}}
	info, err := s.tree.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, fmt.Errorf("look at %s: %w", name, err)
	case !info.IsDir():
		return nil, barred("%s is %s, not a folder", name, kind(info.Mode()))
	}
	if err := s.readDir(f, ""); err != nil {
		return nil, err
	}
	if what, ok := f.others[document.MetaName]; ok {
		return nil, barred("%s/%s is %s", name, document.MetaName, what)
	}
	return f, nil
}

// readDir reads what is in a folder, or in one of its folders, and no deeper.
func (s *Store) readDir(f *folder, sub string) error {
	entries, err := s.tree.ReadDir(path.Join(f.name, sub))
	if err != nil {
		return engine.Discreet(fmt.Errorf("read folder %s: %w", path.Join(f.name, sub), err), sub)
	}
	for _, e := range entries {
		name := path.Join(sub, e.Name())
		if e.IsDir() {
			if sub == "" && !strings.HasPrefix(name, ".") {
				f.dirs[name] = true
				if err := s.readDir(f, name); err != nil {
					return err
				}
			}
			continue
		}
		if err := s.readFile(f, name, e.Type()); err != nil {
			return err
		}
		if f.artifacts() > maxFiles || f.size > maxBytes {
			return barred("folder %s holds more than %d documents, or more than %d MiB of them; move what is no document elsewhere", f.name, maxFiles, maxBytes>>20)
		}
	}
	return nil
}

// artifacts counts the files that are artifacts.
func (f *folder) artifacts() int {
	if _, ok := f.files[document.MetaName]; ok {
		return len(f.files) - 1
	}
	return len(f.files)
}

// room refuses a change after which the folder could not be read any more.
func (f *folder) room(w engine.ItemWrite) error {
	files, size := f.artifacts(), f.size
	for name, content := range w.Files {
		old, exists := f.files[name]
		if !exists {
			files++
		}
		size += len(content) - len(old.content)
	}
	if w.Meta != nil {
		size += len(w.Meta) - len(f.files[document.MetaName].content)
	}
	if files > maxFiles || size > maxBytes {
		return fmt.Errorf("more than %d artifacts, or than %d bytes of them: %w", maxFiles, maxBytes, engine.ErrTooLarge)
	}
	return nil
}

func (s *Store) readFile(f *folder, name string, mode fs.FileMode) error {
	if !mode.IsRegular() {
		f.others[name] = kind(mode)
		return nil
	}
	if name != document.MetaName && document.CheckArtifactName(name) != nil {
		return nil // no artifact is ever written there either
	}
	at := path.Join(f.name, name)
	info, err := s.tree.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed since the folder was listed
	}
	if err != nil {
		return engine.Discreet(fmt.Errorf("look at %s: %w", at, err), name)
	}
	content, err := s.tree.Read(at, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, errTooLarge):
		f.others[name] = fmt.Sprintf("larger than %d bytes", maxFile)
		return nil
	case err != nil:
		return engine.Discreet(fmt.Errorf("read %s: %w", at, err), name)
	}
	f.size += len(content)
	f.files[name] = file{content: content, perm: info.Mode().Perm()}
	return nil
}

// kind names what is no plain file.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link, which is not followed"
	case mode.IsRegular():
		return "a file"
	default:
		return "a device, a pipe or a socket"
	}
}

// item is the folder as the engine knows it.
func (f *folder) item() engine.Item {
	i := engine.Item{Version: f.version(), Files: map[string][]byte{}, Applied: map[string][]byte{}}
	for name, file := range f.files {
		if name == document.MetaName {
			i.Meta = file.content
		} else {
			i.Files[name] = file.content
		}
	}
	if f.record != nil {
		maps.Copy(i.Applied, f.record.Applied)
		i.Openers, i.Hidden = slices.Clone(f.record.Openers), f.record.Forgotten != nil
	}
	return i
}

// version is a digest of everything that a reader sees, so that it changes with
// whatever people change, too. An item that does not exist has 0.
func (f *folder) version() int64 {
	if f.record == nil && len(f.files) == 0 {
		return 0
	}
	h := sha256.New()
	put := func(parts ...[]byte) {
		for _, p := range parts {
			var size [8]byte
			binary.BigEndian.PutUint64(size[:], uint64(len(p)))
			h.Write(size[:])
			h.Write(p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		put([]byte(name), f.files[name].content)
	}
	put([]byte("applied"))
	if f.record != nil {
		for _, key := range slices.Sorted(maps.Keys(f.record.Applied)) {
			put([]byte(key))
		}
	}
	// Never 0, never negative.
	return int64(binary.BigEndian.Uint64(h.Sum(nil))>>1 | 1)
}

// digest identifies a file's bytes; "" is kept for no file.
func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// unread is the digest of what is there and is no artifact: it equals none.
const unread = "unread"

// digestOf is the digest of what stands at a name now.
func (s *Store) digestOf(name string) (string, error) {
	content, err := s.tree.Read(name, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case errors.Is(err, errTooLarge), errors.Is(err, errNotPlain):
		return unread, nil
	case err != nil:
		return "", fmt.Errorf("look at %s: %w", name, err)
	}
	return digest(content), nil
}
