package bot_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// shredder counts what it is told to forget.
type shredder struct{ n atomic.Int32 }

func (s *shredder) ForgetItem(_ context.Context, ref engine.ItemRef) (int, error) {
	if ref.Channel == product && ref.Slug == "sso-rollout" {
		s.n.Add(1)
	}
	return 1, nil
}

// TestForgetAsksFirst shows that an item goes only when a member of its channel
// confirms it, and not while it is being discussed (SPEC §8, I12).
func TestForgetAsksFirst(t *testing.T) {
	shred := &shredder{}
	s := set(t, slacksim.Options{Channels: []slacksim.Channel{{ID: product, Name: "product"}, {ID: "C0RANDOM1", Name: "random"}}}, func(o *bot.Options) {
		o.Items, o.Forget = shelf{}, shred
	}, true)
	ask := func(channel, text, want string, forgotten int32) {
		t.Helper()
		s.act("command", fields{"as": priya, "channel": channel, "command": "/roundtable", "text": text})
		s.told(priya, want)
		if got := shred.n.Load(); got != forgotten {
			t.Fatalf("after %q: %d items forgotten, want %d", text, got, forgotten)
		}
	}
	ask(product, "forget", "Which item?", 0)
	ask(product, "forget sso-rollout", "forget sso-rollout for good", 0)
	ask(product, "forget SSO rollout", "forget sso-rollout for good", 0)
	s.refused(priya, "no item “Offline mode”", func() { s.command(priya, product, "forget Offline mode") })
	s.refused(priya, "no item “Offline mode”", func() { s.command(priya, product, "export Offline mode") })
	if got := s.inbox.all(); len(got) != 0 {
		t.Errorf("inputs: got %v, want none", got)
	}
	ask("C0RANDOM1", "forget sso-rollout for good", "it has no items", 0)

	ref, place := s.seated()
	state, err := roundtable.Encode(roundtable.Discussion{ID: ref.ID, Place: place, Topic: "Keys", Item: "sso-rollout", Cast: testRoster().Seats(), State: roundtable.StateDiscussionLoop})
	if err != nil {
		t.Fatal(err)
	}
	set := func(b []byte) {
		s.inbox.mu.Lock()
		defer s.inbox.mu.Unlock()
		s.inbox.state[ref] = b
	}
	set(state)
	ask(product, "forget sso-rollout for good", "still being discussed", 0)
	set(nil)
	ask(product, "forget sso-rollout for good", "keeps nothing of sso-rollout", 1)
}
