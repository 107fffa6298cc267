package checkout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Options say where the items are.
type Options struct {
	// Dir is the directory that holds one folder for each item. It must exist, and
	// files must be allowed to be made, renamed and locked in it.
	Dir    string
	Logger *slog.Logger // nil: discards
}

// Store keeps items in a directory. It may be used by several goroutines, and by
// several processes of one host at once.
type Store struct {
	tree tree
	log  *slog.Logger
	// turn is held by the goroutine that is at work: flock orders processes, and
	// would have goroutines poll.
	turn chan struct{}
}

// Open checks that the directory can be worked in, and makes the folder of records.
func Open(ctx context.Context, o Options) (*Store, error) {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of artifacts: %w", err)
	}
	s, err := open(ctx, disk{root}, o.Logger)
	if err != nil {
		return nil, fmt.Errorf("open the directory of artifacts %s: %w", o.Dir, errors.Join(err, root.Close()))
	}
	return s, nil
}

func open(ctx context.Context, t tree, log *slog.Logger) (*Store, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Store{tree: t, log: log, turn: make(chan struct{}, 1)}
	return s, s.locked(ctx, func() error {
		if err := s.hideRecords(); err != nil {
			return err
		}
		// Whether it can be written to is better known now than after a discussion.
		if err := t.Remove(nextRecord); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return errors.Join(t.Create(nextRecord, 0, nil), t.Remove(nextRecord))
	})
}

// Close lets go of the directory.
func (s *Store) Close() error { return s.tree.Close() }

// locked does something that nobody else may do at the same time.
func (s *Store) locked(ctx context.Context, do func() error) (err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("wait for the directory: %w", context.Cause(ctx))
	}
	defer func() { <-s.turn }()
	if err := s.keepRecords(); err != nil {
		return fault(err)
	}
	unlock, err := s.tree.Lock(ctx, lockFile)
	if err != nil {
		return fault(err)
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return fault(do())
}

// keepRecords makes the folder of records where there is none: somebody may have
// cleared away what Git does not know.
func (s *Store) keepRecords() error {
	info, err := s.tree.Lstat(bookkeeping)
	switch {
	case err == nil && !info.IsDir():
		return barred("%s is %s, not a folder", bookkeeping, kind(info.Mode()))
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := s.tree.Mkdir(bookkeeping); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return errors.Join(s.hideRecords(), s.tree.Sync("."))
}

// hideRecords has Git not show the records, which are this host's.
func (s *Store) hideRecords() error {
	if _, err := s.tree.Lstat(ignoreFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.tree.Create(ignoreFile, 0, []byte("*\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// look reads an item as it stands, after completing what somebody left half-way.
func (s *Store) look(ref engine.ItemRef) (*folder, error) {
	name, r, err := s.find(ref)
	if err != nil {
		return nil, err
	}
	if r != nil && r.Pending != nil {
		s.log.Info("a change is completed that was left half-way", "folder", engine.Private(name), "key", r.Pending.Key)
		if _, err := s.settle(name, r); err != nil {
			return nil, err
		}
	}
	return s.read(name, r)
}

// ReadItem returns an item; one that does not exist has version 0. A folder that no
// channel has yet is everybody's to read.
func (s *Store) ReadItem(ctx context.Context, ref engine.ItemRef) (item engine.Item, err error) {
	item = engine.Item{Files: map[string][]byte{}, Applied: map[string][]byte{}}
	if err := checkRef(ref); err != nil {
		return item, fmt.Errorf("read item: %w", err)
	}
	err = s.locked(ctx, func() error {
		f, err := s.look(ref)
		if err == nil {
			item = f.item()
		}
		return err
	})
	if err != nil {
		return item, private(ref, fmt.Errorf("read item %s: %w", ref.Slug, err))
	}
	return item, nil
}

// ListItems returns the slugs of a channel's items, sorted, without those that are
// forgotten. Folders that no channel has yet are nobody's.
func (s *Store) ListItems(ctx context.Context, team, channel string) (slugs []string, err error) {
	if err := checkChannel(team, channel); err != nil {
		return nil, fmt.Errorf("list items: %w", err)
	}
	err = s.locked(ctx, func() error {
		return s.records(func(_ string, r *record) {
			if r.Team == team && r.Channel == channel && r.Forgotten == nil {
				slugs = append(slugs, r.Slug)
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list items of %s: %w", channel, err)
	}
	slices.Sort(slugs)
	return slugs, nil
}
