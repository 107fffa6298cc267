package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestCommandOpensADiscussion shows FR-001, NFR-001.
func TestCommandOpensADiscussion(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	began := time.Now()
	s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": "How do we roll out <sso>?"})
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("NFR-001: answered after %s", took)
	}
	in, e := await[roundtable.Opened](t, s.inbox)
	if want := "o:" + e.Discussion; in.ID != want {
		t.Errorf("input id: got %q, want %q", in.ID, want)
	}
	got := []string{e.Topic, e.By.ID, e.By.Name, e.Step.ID, e.Step.Title, strings.Join(e.Step.Outputs, ","), string(e.Lead), fmt.Sprint(len(e.Cast)), e.Place.Channel, e.Place.Thread, fmt.Sprint(e.Settings.MaxTurns)}
	want := []string{"How do we roll out <sso>?", priya, "Priya Nair", "00-00", "How do we roll out <sso>?", "elaboration-notes.md", "business-analyst", "3", product, "", "10"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("opening (-want +got):\n%s", diff)
	}
	if e.Item == "" || e.Item != strings.ToLower(e.Item) {
		t.Errorf("item: got %q, want a slug", e.Item)
	}
	s.told(priya, "Opening a roundtable on “How do we roll out &lt;sso&gt;?”")
}

func TestCommandWords(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	for _, c := range []struct{ text, want string }{
		{"help", "/roundtable &lt;topic&gt;"},
		{"personas", "Maya Chen (Business Analyst)"},
		{"list", "No roundtable is under way"},
		{"status", "Slack is connected"},
		{"export", "no items to export"},
		{"analyze", "What is to be analysed?"},
		{strings.Repeat("long ", 80), "too long"},
	} {
		t.Run(clipName(c.text), func(t *testing.T) {
			s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": c.text})
			s.told(priya, c.want)
		})
	}
	if n := len(s.inbox.all()); n != 0 {
		t.Errorf("inputs: got %d, want none", n)
	}
}

func clipName(s string) string {
	if len(s) > 20 {
		return s[:20]
	}
	return s
}

func TestRefusalsAreSentences_I12(t *testing.T) {
	people := []slacksim.Person{
		{ID: priya, Name: "priya", RealName: "Priya Nair"},
		{ID: "U0GUEST01", Name: "gus", RealName: "Gus Guest", IsRestricted: true},
	}
	channels := []slacksim.Channel{
		{ID: product, Name: "product"},
		{ID: "C0SHARED1", Name: "shared", IsExtShared: true},
		{ID: "C0WITHOUT", Name: "without", WithoutBot: true},
		{ID: "C0CLOSED1", Name: "closed-list"},
	}
	s := set(t, slacksim.Options{People: people, Channels: channels}, func(o *bot.Options) {
		o.Policy.Channels = []string{product, "C0SHARED1", "C0WITHOUT"}
	}, true)
	for _, c := range []struct{ name, as, channel, want string }{
		{"guest", "U0GUEST01", product, "full members"},
		{"shared channel", priya, "C0SHARED1", "another organisation"},
		{"not invited", priya, "C0WITHOUT", "/invite @Roundtable"},
		{"channel outside the list", priya, "C0CLOSED1", "not switched on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.act("command", fields{"as": c.as, "channel": c.channel, "command": "/roundtable", "text": "a topic"})
			s.told(c.as, c.want)
		})
	}
	if n := len(s.inbox.all()); n != 0 {
		t.Errorf("inputs: got %d, want none", n)
	}
}

// TestMentionOpensInItsThread shows FR-001.
func TestMentionOpensInItsThread(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	ts := s.say(priya, "", "@Roundtable should we cache search results?")
	_, e := await[roundtable.Opened](t, s.inbox)
	if e.Topic != "should we cache search results?" || e.Place.Thread != ts {
		t.Errorf("got topic %q in thread %q, want the words in thread %q", e.Topic, e.Place.Thread, ts)
	}
	// The message is the opening and must not be a turn as well; the next is one.
	reply := s.say(priya, ts, "it is slow today")
	in, said := await[roundtable.Said](t, s.inbox)
	if said.TS != reply || in.ID != "m:"+reply {
		t.Errorf("first turn: got %q, want the reply %q", said.TS, reply)
	}
	if n := len(s.inbox.all()); n != 2 {
		t.Errorf("inputs: got %d, want 2: %v", n, s.inbox.all())
	}
}

// TestMentionInAThread shows that a message which opens a discussion in a thread
// of people's is not a turn of it as well, though it is delivered twice and here
// the message comes last. I2.
func TestMentionInAThread_I2(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	ts := s.say(priya, "", "search is slow")
	s.ws.Arm(slacksim.Fault{Event: "message", LateMS: 200, Count: 1})
	s.say(priya, ts, "@Roundtable should we cache?")
	if _, e := await[roundtable.Opened](t, s.inbox); e.Place.Thread != ts || e.Topic != "should we cache?" {
		t.Errorf("got %q in thread %q", e.Topic, e.Place.Thread)
	}
	s.until("the message itself", func() bool { return s.inbox.attempts() >= 2 })
	if n := len(s.inbox.all()); n != 1 {
		t.Errorf("inputs: got %d, want the opening only: %v", n, s.inbox.all())
	}
}

// TestTwoAskInOneThread shows that of two who ask for a discussion in one thread at the same
// moment, when neither finds one there, the first gets it and the other is led to it: by a
// mention, by a message's shortcut, and for an analysis (I12).
func TestTwoAskInOneThread(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	ts := s.say(priya, "", "search is slow")
	s.inbox.mu.Lock()
	s.inbox.blind = true
	s.inbox.mu.Unlock()
	s.act("shortcut", fields{"as": priya, "callback_id": bot.ShortcutDiscuss, "channel": product, "ts": ts})
	s.say(priya, ts, "@Roundtable should we cache?")
	await[roundtable.Opened](t, s.inbox)
	for _, wish := range []string{"@Roundtable should we index?", "@Roundtable analyze search"} {
		s.refused(sam, "That thread has a roundtable already", func() { s.say(sam, ts, wish) })
	}
	if errs := s.submit("Slow search", "10", nil); !strings.Contains(fmt.Sprint(errs), "That thread has a roundtable already") {
		t.Errorf("the form was answered with %v", errs)
	}
	if n := len(s.inbox.all()); n != 1 {
		t.Errorf("inputs: got %d, want the opening only: %v", n, s.inbox.all())
	}
}

// TestThreadMessages shows FR-003.
func TestThreadMessages(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	_, place := s.seated()
	ts := s.say(priya, place.Thread, "Alex, what about latency? a < b")
	in, said := await[roundtable.Said](t, s.inbox)
	clock := 19800 // Kolkata's
	want := roundtable.Said{TS: ts, By: thread.Person{ID: priya, Name: "Priya Nair"}, Text: "Alex, what about latency? a &lt; b", BotUser: botUser, Zone: &clock}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
	if in.At.IsZero() || in.ID != "m:"+ts {
		t.Errorf("input: got %q at %v", in.ID, in.At)
	}
	s.act("edit", fields{"as": priya, "channel": product, "ts": ts, "text": "Alex, what about cost?"})
	if in, e := await[roundtable.Edited](t, s.inbox); e.TS != ts || e.Text != "Alex, what about cost?" || !strings.HasPrefix(in.ID, "e:"+ts+":") {
		t.Errorf("edit: got %q %+v", in.ID, e)
	}
	s.act("react", fields{"as": priya, "channel": product, "ts": ts, "name": "white_check_mark"})
	if _, e := await[roundtable.Reacted](t, s.inbox); e.TS != ts || e.Emoji != "white_check_mark" || e.By.Name != "Priya Nair" || e.Removed {
		t.Errorf("reaction: got %+v", e)
	}
	s.act("delete", fields{"as": priya, "channel": product, "ts": ts})
	if in, e := await[roundtable.Deleted](t, s.inbox); e.TS != ts || in.ID != "d:"+ts {
		t.Errorf("deletion: got %q %+v", in.ID, e)
	}
}

// TestMentionsCarryNames shows that a person who is mentioned and has said nothing is
// somebody to whoever reads the message later (AC-008-05).
func TestMentionsCarryNames(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	_, place := s.seated()
	s.say(priya, place.Thread, "@Sam Okafor owns it, @Roundtable")
	_, said := await[roundtable.Said](t, s.inbox)
	if want := "<@U0SAM0001|Sam Okafor> owns it, <@" + botUser + ">"; said.Text != want {
		t.Errorf("said %q, want %q", said.Text, want)
	}
}

func TestReactionOnAMessageNobodyRemembers(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, false)
	_, place := s.seated()
	// A second bot, as after a restart, has to ask Slack which thread it is: nobody
	// delivered the message, so that the store does not know it either.
	ts := s.say(priya, place.Thread, "before the restart")
	fresh := set2(t, s)
	s.act("react", fields{"as": priya, "channel": product, "ts": ts, "name": "pushpin"})
	if _, e := await[roundtable.Reacted](t, fresh); e.TS != ts || e.Emoji != "pushpin" {
		t.Errorf("got %+v", e)
	}
}

// TestButton shows FR-007.
func TestButton(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	_, place := s.seated()
	press := func() {
		for _, m := range s.ws.Messages(product) {
			for _, block := range m.Blocks {
				if b := block.(map[string]any); b["type"] == "actions" {
					button := b["elements"].([]any)[0].(map[string]any)
					s.act("act", fields{"as": priya, "channel": product, "message_ts": m.TS, "block_id": b["block_id"], "action_id": button["action_id"]})
					return
				}
			}
		}
		t.Fatal("no button")
	}
	press()
	in, e := await[roundtable.Pressed](t, s.inbox)
	if e.Button != roundtable.ButtonContinue || e.By.ID != priya || !strings.HasSuffix(in.ID, ":"+priya+":continue") {
		t.Errorf("got %q %+v", in.ID, e)
	}
	t.Run("without the discussion's id it is found by its thread", func(t *testing.T) {
		err := s.bot.Workplace().ShowRoot(t.Context(), place, thread.Message{
			Kind: thread.KindRoot, Text: "ELABORATION MODE", Status: "Waiting", Buttons: []thread.Button{{Kind: roundtable.ButtonWrapUp, Label: "Wrap up"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		press()
		s.until("wrap up pressed", func() bool {
			for _, in := range s.inbox.all() {
				if e, ok := in.Event.(roundtable.Pressed); ok && e.Button == roundtable.ButtonWrapUp {
					return true
				}
			}
			return false
		})
	})
	t.Run("the store is away", func(t *testing.T) {
		s.inbox.setAway(true)
		press()
		s.told(priya, "could not save that")
	})
}

func TestUnknownThreadOfOurs(t *testing.T) {
	s := set(t, slacksim.Options{Timing: quick}, nil, true)
	_, place := s.seated()
	s.inbox.mu.Lock()
	alias := s.inbox.threads[product+"/"+place.Thread]
	delete(s.inbox.threads, product+"/"+place.Thread)
	s.inbox.mu.Unlock()
	ts := s.say(priya, place.Thread, "faster than the alias")
	s.inbox.open(alias, place.Thread)
	if _, e := await[roundtable.Said](t, s.inbox); e.TS != ts {
		t.Errorf("got %q, want %q", e.TS, ts)
	}
}

func TestDirectMessageAndMentionedWords(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	app, _ := s.state(priya)["app"].(map[string]any)
	dm := fmt.Sprint(app["dm"])
	t.Run("thanks in a direct message open nothing", func(t *testing.T) {
		s.refused(priya, "brings a few colleagues", func() { s.act("say", fields{"as": priya, "channel": dm, "text": "thanks!"}) })
	})
	t.Run("a topic in a direct message is offered a discussion", func(t *testing.T) {
		var ts string
		s.refused(priya, "discuss “should I split this story?” here", func() {
			ts = fmt.Sprint(s.act("say", fields{"as": priya, "channel": dm, "text": "should I split this story?"})["ts"])
		})
		if got := s.inbox.all(); len(got) != 0 {
			t.Fatalf("inputs before it was wanted: got %v", got)
		}
		list := s.state(priya)["ephemerals"].([]any)
		offer := list[len(list)-1].(map[string]any)
		actions := offer["blocks"].([]any)[1].(map[string]any)
		s.act("act", fields{"as": priya, "channel": dm, "message_ts": offer["ts"], "block_id": actions["block_id"], "action_id": "rt_offer"})
		s.submit("should I split this story?", "10", nil)
		_, e := await[roundtable.Opened](t, s.inbox)
		if e.Place.Channel != dm || e.Place.Thread != ts || e.Topic != "should I split this story?" {
			t.Errorf("got %+v", e.Place)
		}
	})
	t.Run("a word of ours opens nothing", func(t *testing.T) {
		before := len(s.inbox.all())
		s.refused(priya, "brings a few colleagues", func() { s.say(priya, "", "@Roundtable help") })
		if got := len(s.inbox.all()); got != before {
			t.Errorf("inputs: got %d, want %d", got, before)
		}
	})
}

// TestMentionedCommandIsPerformedOnce shows a mention whose acknowledgement was lost
// (I2).
func TestMentionedCommandIsPerformedOnce_I2(t *testing.T) {
	counts := prometheus.NewRegistry()
	s := set(t, slacksim.Options{Timing: quick}, func(o *bot.Options) {
		o.Items, o.Metrics = shelf{engine.Item{Files: map[string][]byte{"notes.md": []byte("# Notes")}}}, counts
	}, true)
	s.ws.Arm(slacksim.Fault{Event: "app_mention", DropAck: true, Count: 1})
	s.say(priya, "", "@Roundtable export sso-rollout")
	s.until("both deliveries", func() bool { return counted(t, counts, "roundtable_slack_envelopes_total", "end", "delivered") == 2 })
	if err := s.stop(); err != nil { // and with it, what is still being sent
		t.Fatal(err)
	}
	uploads := 0
	for _, c := range s.ws.Calls() {
		if c.Method == "files.completeUploadExternal" {
			uploads++
		}
	}
	if got := len(s.private(priya)); uploads != 1 || got != 1 {
		t.Errorf("got %d uploads and %d answers, want one of each", uploads, got)
	}
}

// TestNobodyKeepsAnothersDeletedWords shows that a message which its client named like
// another's deletion hides nothing: the deletion arrives (I1, I2).
func TestNobodyKeepsAnothersDeletedWords_I2(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	_, place := s.seated()
	words := s.say(priya, place.Thread, "I did not mean to write this")
	s.act("say", fields{"as": sam, "channel": product, "thread_ts": place.Thread, "text": "me neither", "client_msg_id": "d:" + words})
	s.until("both messages", func() bool { return len(s.inbox.all()) == 2 })
	s.act("delete", fields{"as": priya, "channel": product, "ts": words})
	if _, e := await[roundtable.Deleted](t, s.inbox); e.TS != words {
		t.Errorf("%s is struck, want %s", e.TS, words)
	}
}
