package bot_test

import (
	"context"
	"strings"
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

func (s *shredder) ForgetDiscussion(_ context.Context, ref engine.Ref) error {
	if ref.Channel == product && ref.ID == "DTEST" {
		s.n.Add(1)
	}
	return nil
}

// TestForgetAThread shows the same of one discussion, named by the address of a message
// in its thread.
func TestForgetAThread(t *testing.T) {
	shred := &shredder{}
	s := set(t, slacksim.Options{}, func(o *bot.Options) { o.Items, o.Forget = shelf{}, shred }, true)
	ref, place := s.seated()
	keep := func(state roundtable.State) {
		b, err := roundtable.Encode(roundtable.Discussion{ID: ref.ID, Place: place, Topic: "Keys", Item: "sso-rollout", Cast: testRoster().Seats(), State: state})
		if err != nil {
			t.Fatal(err)
		}
		s.inbox.keep(ref, b)
	}
	root := s.url + "/archives/" + product + "/p" + strings.Replace(place.Thread, ".", "", 1)
	reply := s.url + "/archives/" + product + "/p1795250860817602?thread_ts=" + place.Thread + "&cid=" + product
	keep(roundtable.StateDiscussionLoop)
	for _, c := range []struct {
		text, want string
		forgotten  int32
	}{
		{"forget " + root + " for good", "still being discussed (“Keys”)", 0},
		{"forget " + s.url + "/archives/" + product + "/p1795250860817602", "keeps nothing of that thread", 0},
		{"forget " + strings.Replace(root, product, "C0NOWHERE", 1), "Only members of this channel", 0},
		{"forget " + reply, "the link once more, and: for good", 0},
		{"forget " + reply + " for good", "keeps nothing of that thread any more", 1},
		{"forget " + root + " for good", "keeps nothing of that thread any more", 2},
	} {
		s.refused(priya, c.want, func() { s.command(priya, product, c.text) })
		if got := shred.n.Load(); got != c.forgotten {
			t.Fatalf("after %q: %d forgotten, want %d", c.text, got, c.forgotten)
		}
		if strings.HasSuffix(c.want, "members of this channel") {
			keep(roundtable.StateClosed)
		}
	}
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
