package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// narrowStore refuses changes whose log or outbox holds a word, as a store refuses
// what is too large.
type narrowStore struct {
	engine.Store
	word []byte
}

func (s narrowStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	for _, line := range c.Append {
		if bytes.Contains(line, s.word) {
			return engine.Committed{}, fmt.Errorf("commit: %w", engine.ErrTooLarge)
		}
	}
	return s.Store.Commit(ctx, h, c)
}

// A message that makes the discussion too large to be stored is put aside and the
// room is told; its neighbours are taken in (I1, I10).
func TestTooLargeMessage(t *testing.T) {
	inRoom(t, func(r *room) {
		r.stop()
		r.options.Store = narrowStore{r.store, []byte("enormous")}
		r.start()
		r.say("first")
		large := r.say("enormous")
		r.say("last")
		r.pass(5 * time.Minute)
		letters, err := r.store.DeadLetters(t.Context(), 10)
		if err != nil || len(letters) != 1 || letters[0].Reason != "too_large" || letters[0].Mail.ID != "m:"+large {
			t.Errorf("got dead letters %v (%v), want the one that is too large", letters, err)
		}
		if got, want := r.people(), []string{"first", "last"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := r.notices("put aside"); got != 1 {
			t.Errorf("the room was told %d times", got)
		}
	})
}

// A contribution that is too large to be stored is a stated stop, not an endless
// repetition (I10).
func TestTooLargeContribution(t *testing.T) {
	inRoom(t, func(r *room) {
		r.stop()
		r.options.Store = narrowStore{r.store, []byte("view after")} // every puppet says so
		r.start()
		asked := r.panel.Asked()
		r.say("What about refunds?")
		r.pass(10 * time.Minute)
		if d := r.discussion(); d.Stalled == nil || d.Stalled.Reason != thread.ReasonTooLarge {
			t.Errorf("got stalled %v, want a stop for its size", d.Stalled)
		}
		if got := r.panel.Asked() - asked; got > 3 {
			t.Errorf("the panel was asked %d times", got)
		}
	})
}

// notices counts the app's own posts that contain a text.
func (r *room) notices(text string) (n int) {
	for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
		if m.Message.Kind == thread.KindNotice && strings.Contains(m.Message.Text, text) {
			n++
		}
	}
	return n
}
