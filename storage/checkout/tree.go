package checkout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// tree is what a Store does with files, so that tests can end the process, or the
// power, between any two calls. Names are relative to the directory, with slashes;
// none leads out of it.
type tree interface {
	// ReadDir returns the entries of a directory, by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Lstat does not follow a symbolic link.
	Lstat(name string) (fs.FileInfo, error)
	// Read returns a plain file's bytes, or errTooLarge.
	Read(name string, limit int64) ([]byte, error)
	Mkdir(name string) error
	// Create makes a file that must not exist, with these permissions, or with the
	// process' own if they are 0; its bytes are on the disk when it returns.
	Create(name string, perm fs.FileMode, content []byte) error
	Rename(from, to string) error
	Remove(name string) error
	// Sync returns when what was made, renamed and removed in a directory is on
	// the disk.
	Sync(dir string) error
	// Lock waits until nobody else, in this process or another, holds the lock.
	Lock(ctx context.Context, name string) (unlock func() error, err error)
	Close() error
}

var (
	errTooLarge = errors.New("the file is too large")
	errNotPlain = errors.New("not a plain file")
)

// disk is a directory of the operating system.
type disk struct{ root *os.Root }

func (d disk) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }
func (d disk) Mkdir(name string) error                { return d.root.Mkdir(name, 0o755) }
func (d disk) Rename(from, to string) error           { return d.root.Rename(from, to) }
func (d disk) Remove(name string) error               { return d.root.Remove(name) }
func (d disk) Close() error                           { return d.root.Close() }

func (d disk) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(d.root.FS(), name) }

func (d disk) Read(name string, limit int64) ([]byte, error) {
	before, err := d.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !before.Mode().IsRegular():
		return nil, fmt.Errorf("%s: %w", name, errNotPlain)
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// A link may have taken the file's place meanwhile.
	if opened, err := f.Stat(); err != nil {
		return nil, err
	} else if !os.SameFile(before, opened) {
		return nil, fmt.Errorf("%s: %w", name, errNotPlain)
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s: %w", name, errTooLarge)
	}
	return content, err
}

func (d disk) Create(name string, perm fs.FileMode, content []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil && perm != 0 {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (d disk) Sync(dir string) error {
	f, err := d.root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// lockEvery is how often a lock that somebody holds is tried again. A change takes
// some milliseconds.
const lockEvery = 5 * time.Millisecond

func (d disk) Lock(ctx context.Context, name string) (unlock func() error, err error) {
	again := time.NewTicker(lockEvery)
	defer again.Stop()
	for {
		f, err := d.tryLock(name)
		if err != nil {
			return nil, err
		}
		if f != nil {
			return f.Close, nil // which lets go of the lock
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the lock: %w", context.Cause(ctx))
		}
	}
}

// tryLock returns the locked file, or nil if somebody else holds it. Where nothing
// can be written any more a file opened for reading serves, so that documents can
// still be read.
func (d disk) tryLock(name string) (*os.File, error) {
	f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		var readOnly error
		if f, readOnly = d.root.Open(name); readOnly != nil {
			return nil, err
		}
	}
	locked, err := flock(f)
	if locked {
		// Whoever removed the file meanwhile has others lock a new one.
		mine, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if now, err := d.root.Lstat(name); err == nil && os.SameFile(mine, now) {
			return f, nil
		}
	}
	return nil, errors.Join(err, f.Close())
}
