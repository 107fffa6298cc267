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
	"github.com/roundtable-chat/app/roundtable/thread"
)

// crowdedInbox refuses for want of room while full.
type crowdedInbox struct {
	bot.Inbox
	full  atomic.Bool
	tries atomic.Int32
}

func (c *crowdedInbox) Receive(ctx context.Context, d engine.Delivery) (engine.Reception, error) {
	c.tries.Add(1)
	if c.full.Load() && !d.Opens {
		return engine.Full, nil
	}
	return c.Inbox.Receive(ctx, d)
}

// crowdedStore lists as many discussions as open says.
type crowdedStore struct {
	*inbox
	open []engine.Listed
}

func (c *crowdedStore) List(_ context.Context, _, _ string, limit int) ([]engine.Listed, error) {
	return c.open[:min(limit, len(c.open))], nil
}

// A full mailbox is no acknowledgement: Slack delivers again until there is room, and
// the person is told once, however often (I1).
func TestFullMailboxIsToldOnce_I1(t *testing.T) {
	crowd := &crowdedInbox{}
	s := setOn(t, slacksim.Options{Timing: quick}, func(in *inbox) bot.Inbox {
		crowd.Inbox = in
		return crowd
	}, nil, true)
	_, place := s.seated()
	crowd.full.Store(true)
	before := crowd.tries.Load()
	first := s.say(priya, place.Thread, "Remark one")
	s.told(priya, "you need not write it again")
	s.until("a second attempt", func() bool { return crowd.tries.Load() >= before+2 })
	crowd.full.Store(false)
	if _, e := await[roundtable.Said](t, s.inbox); e.TS != first {
		t.Errorf("got %s, want %s", e.TS, first)
	}
	told := 0
	list, _ := s.state(priya)["ephemerals"].([]any)
	for _, e := range list {
		if text, _ := e.(map[string]any)["text"].(string); strings.Contains(text, "you need not write it again") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times, want once", told)
	}
}

// A channel has room for so many discussions; one more is refused with a sentence
// that says how to make room (I10).
func TestTooManyOpenDiscussions_I10(t *testing.T) {
	running, err := roundtable.Encode(roundtable.Discussion{State: roundtable.StateDiscussionLoop})
	if err != nil {
		t.Fatal(err)
	}
	over, err := roundtable.Encode(roundtable.Discussion{State: roundtable.StateClosed})
	if err != nil {
		t.Fatal(err)
	}
	listed := func(states ...[]byte) (l []engine.Listed) {
		for _, state := range states {
			l = append(l, engine.Listed{State: state})
		}
		return l
	}
	crowd := &crowdedStore{inbox: newInbox(), open: listed(over, running, running, over, running)}
	s := set(t, slacksim.Options{}, func(o *bot.Options) {
		o.Reader = engine.NewReader(crowd)
		o.Policy.MaxOpen = 3
	}, true)
	s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": "one too many"})
	s.told(priya, "3 roundtables are open in this channel")
	if n := len(s.inbox.all()); n != 0 {
		t.Fatalf("inputs: got %d, want none", n)
	}
	_, place := s.seated()
	menu := thread.Message{Kind: thread.KindRoot, Text: "Done.", Buttons: []thread.Button{{Kind: roundtable.ButtonAgain, Label: "[E]"}}}
	if err := s.bot.Workplace().ShowRoot(t.Context(), place, menu); err != nil {
		t.Fatal(err)
	}
	s.press(priya, "rt:again")
	s.until("a second refusal", func() bool { return len(s.private(priya)) == 2 })
	if n := len(s.inbox.all()); n != 0 {
		t.Fatalf("inputs: got %d, want none", n)
	}
	crowd.open = listed(over, running, running, over, over)
	s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": "the third"})
	if _, e := await[roundtable.Opened](t, s.inbox); e.Topic != "the third" {
		t.Errorf("got %q", e.Topic)
	}
}

// What a newer version stored is said to be that, to whoever asks for it.
func TestCatchUpWithANewerForm(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	ref, place := s.seated()
	s.inbox.mu.Lock()
	s.inbox.state[ref] = []byte(`{"v":99,"body":{}}`)
	s.inbox.mu.Unlock()
	err := s.bot.Workplace().ShowRoot(t.Context(), place, thread.Message{
		Kind: thread.KindRoot, Text: "ELABORATION MODE", Status: "Waiting", Buttons: []thread.Button{{Kind: roundtable.ButtonCatchUp, Label: "Catch me up"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range s.ws.Messages(product) {
		for _, block := range m.Blocks {
			if b := block.(map[string]any); b["type"] == "actions" {
				button := b["elements"].([]any)[0].(map[string]any)
				s.act("act", fields{"as": priya, "channel": product, "message_ts": m.TS, "block_id": b["block_id"], "action_id": button["action_id"]})
			}
		}
	}
	s.told(priya, "newer version of Roundtable")
}
