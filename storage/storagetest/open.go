package storagetest

import (
	"context"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
)

// Store is everything that a store of the bot keeps.
type Store interface {
	engine.Store
	engine.Items
	engine.Letters
}

// Open opens a store on a server and closes it when the test ends. URL need not be
// set in o.
func Open(t testing.TB, s *Server, o storage.Options) *storage.Redis {
	t.Helper()
	o.URL = s.URL
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	r, err := storage.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// Subject is a store under test, empty at first.
type Subject struct {
	Store Store
	// Lease is its lease and MailboxLimit the limit of its mailboxes. Its pace must
	// be one post a second in bursts of three.
	Lease        time.Duration
	MailboxLimit int
	// Pass lets time pass on the store's clock.
	Pass func(time.Duration)
}
