package checkout_test

import (
	"crypto/rand"
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/checkout"
	"github.com/roundtable-chat/app/storage/storagetest"
	"github.com/roundtable-chat/app/storage/storagetest/contract"
)

func open(t *testing.T, dir string) *checkout.Store {
	t.Helper()
	s, err := checkout.Open(t.Context(), checkout.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestContract holds the directory to what the store in Redis is held to.
func TestContract(t *testing.T) {
	contract.RunItems(t, func(t *testing.T) engine.Items { return open(t, t.TempDir()) })
}

// TestWritesDuringARemoval holds it to what a write during a removal may come to.
func TestWritesDuringARemoval(t *testing.T) {
	server := storagetest.Mini(t)
	contract.RunRemoval(t, func(t *testing.T) (contract.Documents, *storage.Redis) {
		return open(t, t.TempDir()), storagetest.Open(t, server, storage.Options{Prefix: "removal" + rand.Text()})
	})
}
