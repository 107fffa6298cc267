package checkout

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// faulty is a disk that refuses to be written to, as a full or read-only one does.
type faulty struct {
	*platter
	err error
	// allows lets so many calls through that write.
	allows int
}

func (f *faulty) refuse(op, name string) error {
	if f.err == nil {
		return nil
	}
	if f.allows--; f.allows >= 0 {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: f.err}
}

func (f *faulty) Mkdir(name string) error {
	if err := f.refuse("mkdir", name); err != nil {
		return err
	}
	return f.platter.Mkdir(name)
}

func (f *faulty) Create(name string, perm fs.FileMode, content []byte) error {
	if err := f.refuse("write", name); err != nil {
		// A full disk leaves what it had room for.
		_ = f.platter.Create(name, perm, content[:len(content)/2])
		return err
	}
	return f.platter.Create(name, perm, content)
}

func (f *faulty) Rename(from, to string) error {
	if err := f.refuse("rename", to); err != nil {
		return err
	}
	return f.platter.Rename(from, to)
}

// TestFullDisk has the disk refuse every write from each moment on: the error is one
// for a person, nothing is lost, and once there is room the work is done once (I8).
func TestFullDisk(t *testing.T) {
	for _, refusal := range []syscall.Errno{syscall.ENOSPC, syscall.EROFS, syscall.EACCES, syscall.EDQUOT} {
		for allows := 0; ; allows++ {
			p := newPlatter(t, foreign())
			f := &faulty{platter: p, err: refusal, allows: allows}
			err := work(t, f)
			if err == nil {
				if allows < 10 {
					t.Errorf("%v: only %d writes were needed", refusal, allows)
				}
				break
			}
			if !errors.Is(err, engine.ErrBarred) || !strings.Contains(err.Error(), refusal.Error()) {
				t.Fatalf("%v after %d writes: got %v, want ErrBarred", refusal, allows, err)
			}
			for name, old := range foreign() {
				if rest, ours := strings.CutPrefix(name, "login/"); ours && !subsequence(old, p.files("login")[rest]) {
					t.Errorf("%v after %d writes: %s lost something", refusal, allows, name)
				}
			}
			f.err = nil
			if err := work(t, f); err != nil {
				t.Fatalf("%v after %d writes, mended: %v", refusal, allows, err)
			}
			judge(t, refusal.Error(), foreign(), p.files("login"))
		}
	}
}

// What can only be read can still be read (a document is wanted most when something
// is wrong).
func TestReadOnlyDirectory(t *testing.T) {
	p := newPlatter(t, foreign())
	if err := work(t, p); err != nil {
		t.Fatal(err)
	}
	s, err := open(t.Context(), p, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.tree = &faulty{platter: p, err: syscall.EROFS}
	item, err := s.ReadItem(t.Context(), login)
	if err != nil || len(item.Files) == 0 {
		t.Errorf("got %d files, %v", len(item.Files), err)
	}
	if _, err := open(t.Context(), s.tree, nil); !errors.Is(err, engine.ErrBarred) {
		t.Errorf("at the start: got %v, want ErrBarred", err)
	}
}

// Whoever waits for the directory can give up.
func TestWaitEnds(t *testing.T) {
	s, err := Open(t.Context(), Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other := &Store{tree: s.tree, log: s.log, turn: make(chan struct{}, 1)} // another process' turn
	err = s.locked(t.Context(), func() error {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("enough"))
		for name, store := range map[string]*Store{"the same process": s, "another process": other} {
			if _, err := store.ReadItem(ctx, login); err == nil || !strings.Contains(err.Error(), "enough") {
				t.Errorf("%s: got %v", name, err)
			}
		}
		return nil
	})
	if diff := cmp.Diff(nil, err); diff != "" {
		t.Error(diff)
	}
}
