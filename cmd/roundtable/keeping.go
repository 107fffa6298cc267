package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/checkout"
)

// keeping is where the documents of items are kept.
type keeping interface {
	engine.Items
	// ForgetItem removes an item and the discussions that it came from, and says how
	// many those were.
	ForgetItem(ctx context.Context, ref engine.ItemRef) (discussions int, err error)
	// ForgetDiscussion removes one discussion or analysis, and nothing of what it
	// wrote into documents.
	ForgetDiscussion(ctx context.Context, ref engine.Ref) error
	Close() error
}

// openItems opens the directory that c names, or has Redis keep the documents.
func openItems(ctx context.Context, c config, redis *storage.Redis, log *slog.Logger) (keeping, error) {
	if c.Artifacts == "" {
		return inRedis{redis}, nil
	}
	dir, err := openDirectory(ctx, c, log)
	if err != nil {
		return nil, err
	}
	log.InfoContext(ctx, "documents are kept in a directory", "directory", c.Artifacts)
	return folders{dir, redis}, nil
}

// openDirectory opens the directory that c names.
func openDirectory(ctx context.Context, c config, log *slog.Logger) (*checkout.Store, error) {
	dir, err := checkout.Open(ctx, checkout.Options{Dir: c.Artifacts, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("--artifacts: %w", err)
	}
	return dir, nil
}

// inRedis keeps documents beside the discussions. Whoever opened Redis closes it.
type inRedis struct{ *storage.Redis }

func (inRedis) Close() error { return nil }

// folders keeps documents in a directory; the discussions are in Redis.
type folders struct {
	*checkout.Store
	redis *storage.Redis
}

// ForgetItem removes the discussions first: what is left of an item names them.
func (f folders) ForgetItem(ctx context.Context, ref engine.ItemRef) (int, error) {
	item, err := f.ReadItem(ctx, ref)
	if err != nil {
		return 0, err
	}
	n, err := f.redis.ForgetContributors(ctx, ref, item)
	if err != nil {
		return 0, err
	}
	if err := f.Forget(ctx, ref); err != nil {
		return 0, err
	}
	return n, nil
}

// ForgetDiscussion removes a discussion, which is in Redis.
func (f folders) ForgetDiscussion(ctx context.Context, ref engine.Ref) error {
	return f.redis.ForgetDiscussion(ctx, ref)
}

// withItems has the documents worked on that c names. Redis is not needed for those
// in a directory.
func withItems(ctx context.Context, c config, do func(engine.Items) error) error {
	log := slog.New(slog.DiscardHandler)
	if c.Artifacts != "" {
		dir, err := openDirectory(ctx, c, log)
		if err != nil {
			return err
		}
		return errors.Join(do(dir), dir.Close())
	}
	store, err := openStore(ctx, c, log)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}
