package checkout_test

import (
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage/checkout"
	"github.com/roundtable-chat/app/storage/storagetest"
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
	storagetest.RunItemsContract(t, func(t *testing.T) engine.Items { return open(t, t.TempDir()) })
}
