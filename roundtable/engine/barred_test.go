package engine_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// barredItems refuses every write until it is mended.
type barredItems struct {
	engine.Items
	mended atomic.Bool
	tries  atomic.Int32
}

func (i *barredItems) WriteItem(ctx context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	if !i.mended.Load() {
		i.tries.Add(1)
		return fmt.Errorf("rename the artifact: read-only file system: %w", engine.ErrBarred)
	}
	return i.Items.WriteItem(ctx, ref, w)
}

// What only an operator can mend is said once, not tried on in silence; then the
// person goes on with the button (I10).
func TestBarredItem(t *testing.T) {
	inRoom(t, func(r *room) {
		r.stop()
		barred := &barredItems{Items: r.store}
		r.items = barred
		r.start()
		r.say("done")
		r.pass(time.Hour)
		if d := r.discussion(); d.Stalled == nil || d.Stalled.Reason != thread.ReasonArtifactRefused {
			t.Fatalf("got stall %v, want artifact_refused", d.Stalled)
		}
		if got := barred.tries.Load(); got != 1 {
			t.Errorf("tried %d times, want once", got)
		}
		barred.mended.Store(true)
		r.press(roundtable.ButtonRetry)
		r.pass(time.Minute)
		item, err := r.store.ReadItem(t.Context(), ledgers)
		if err != nil || len(item.Files) == 0 || item.Meta == nil {
			t.Errorf("got %d files, %v, want the synthesis and the record", len(item.Files), err)
		}
	})
}
