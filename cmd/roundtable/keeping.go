package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/checkout"
)

// keeping is where the documents of items are kept.
type keeping interface {
	engine.Items
	storage.Documents
	Close() error
}

// openItems opens the directory that c names, or has Redis keep the documents.
func openItems(ctx context.Context, c config.Config, redis *storage.Redis, log *slog.Logger) (keeping, error) {
	if c.Artifacts == "" {
		return inRedis{redis}, nil
	}
	dir, err := openDirectory(ctx, c, log)
	if err != nil {
		return nil, err
	}
	log.InfoContext(ctx, "documents are kept in a directory", "directory", c.Artifacts)
	return dir, nil
}

// openDirectory opens the directory that c names.
func openDirectory(ctx context.Context, c config.Config, log *slog.Logger) (*checkout.Store, error) {
	dir, err := checkout.Open(ctx, checkout.Options{Dir: c.Artifacts, Logger: log})
	if err != nil {
		return nil, fmt.Errorf("--artifacts: %w", err)
	}
	return dir, nil
}

// inRedis keeps documents beside the discussions. Whoever opened Redis closes it.
type inRedis struct{ *storage.Redis }

func (inRedis) Close() error { return nil }

// withItems has the documents worked on that c names. Redis is not needed for those
// in a directory.
func withItems(ctx context.Context, c config.Config, do func(engine.Items) error) error {
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
