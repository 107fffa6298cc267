package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

func TestExportGoesToTheAskerOnly_I12(t *testing.T) {
	item := engine.Item{Files: map[string][]byte{"elaboration-notes.md": []byte("# Notes")}, Meta: []byte(`{"slug":"sso-rollout"}`)}
	people := []slacksim.Person{{ID: priya, Name: "priya", RealName: "Priya Nair"}, {ID: "U0OUTSIDE", Name: "tom", RealName: "Tom"}}
	channels := []slacksim.Channel{{ID: product, Name: "product", Members: []string{priya}}, {ID: "C0RANDOM1", Name: "random"}}
	with := func(o *bot.Options) { o.Items = shelf{item} }
	export := fields{"as": priya, "channel": product, "command": "/roundtable", "text": "export sso-rollout"}

	t.Run("as a file in a direct message", func(t *testing.T) {
		s := set(t, slacksim.Options{People: people, Channels: channels}, with, true)
		s.act("command", export)
		s.told(priya, "sending you the documents of sso-rollout")
		s.until("the file", func() bool {
			return strings.Contains(fmt.Sprint(s.state(priya)["channels"]), "sso-rollout.zip")
		})
		if strings.Contains(fmt.Sprint(s.state("U0OUTSIDE")["channels"]), "sso-rollout.zip") {
			t.Error("somebody else sees the file")
		}
	})
	t.Run("as text without the scope", func(t *testing.T) {
		s := set(t, slacksim.Options{People: people, Channels: channels, Scopes: []string{"chat:write", "commands", "channels:read", "channels:history", "users:read", "im:read"}}, with, true)
		s.act("command", export)
		s.told(priya, "# Notes")
	})
	t.Run("not to another channel", func(t *testing.T) {
		s := set(t, slacksim.Options{People: people, Channels: channels}, with, true)
		s.act("command", fields{"as": priya, "channel": "C0RANDOM1", "command": "/roundtable", "text": "export sso-rollout"})
		s.told(priya, "no items to export")
	})
}

func TestCatchUpIsPrivate(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	ref, place := s.seated()
	state, err := roundtable.Encode(roundtable.Discussion{ID: ref.ID, Place: place, Cast: testRoster().Seats(), State: roundtable.StateDiscussionLoop})
	if err != nil {
		t.Fatal(err)
	}
	var log [][]byte
	for i, e := range []thread.Entry{
		{Kind: thread.EntryTurn, Persona: "business-analyst", Text: "Before."},
		{Kind: thread.EntryTurn, Person: &thread.Person{ID: priya, Name: "Priya Nair"}, Text: "My words."},
		{Kind: thread.EntryTurn, Persona: "solutions-architect", Text: "Latency is fine. And more."},
	} {
		e.Turn, e.At, e.TS = i+1, time.Now(), fmt.Sprintf("170000000%d.000100", i)
		b, err := thread.EncodeEntry("D1", e)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, b)
	}
	s.inbox.mu.Lock()
	s.inbox.state[ref], s.inbox.log[ref] = state, log
	s.inbox.mu.Unlock()
	if err := s.bot.Workplace().ShowRoot(t.Context(), place, thread.Message{
		Kind: thread.KindRoot, Text: "ELABORATION MODE", Buttons: []thread.Button{{Kind: roundtable.ButtonCatchUp, Label: "Catch me up"}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, m := range s.ws.Messages(product) {
		for _, block := range m.Blocks {
			if b := block.(map[string]any); b["type"] == "actions" {
				s.act("act", fields{"as": priya, "channel": product, "message_ts": m.TS, "block_id": b["block_id"], "action_id": "rt:catch_up"})
			}
		}
	}
	s.told(priya, "Since you last spoke:\n• Alex: Latency is fine.")
	if got := s.inbox.all(); len(got) != 0 {
		t.Errorf("inputs: got %v, want none", got)
	}
	t.Run("listed for members", func(t *testing.T) {
		s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": "list"})
		s.told(priya, "Under way in this channel")
	})
}
