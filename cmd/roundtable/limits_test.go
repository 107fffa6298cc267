package main

import (
	"context"
	"log/slog"
	"testing"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// TestTurnLimitOfAnItem is AC-007-03: an item may set its own limit; one that
// says nothing readable sets none.
func TestTurnLimitOfAnItem(t *testing.T) {
	store := storagetest.Open(t, storagetest.Mini(t), storage.Options{})
	limit := turnLimit(store, slog.New(slog.DiscardHandler))
	tests := []struct {
		name, slug, meta string
		want             int
	}{
		{"its own", "own", `{"elaboration_config":{"max_turns":5}}`, 5},
		{"none said", "silent", `{}`, 0},
		{"no number", "words", `{"elaboration_config":{"max_turns":"many"}}`, 0},
		{"corrupt meta.json", "corrupt", `{"elaboration_config":`, 0},
		{"no item", "nothing", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ref := engine.ItemRef{Team: "T1", Channel: "C1", Slug: tt.slug}
			if tt.meta != "" {
				if err := store.WriteItem(context.Background(), ref, engine.ItemWrite{Key: "k", Meta: []byte(tt.meta)}); err != nil {
					t.Fatal(err)
				}
			}
			if got := limit(context.Background(), ref); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
