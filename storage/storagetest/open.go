package storagetest

import (
	"context"
	"testing"

	"github.com/roundtable-chat/app/storage"
)

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
