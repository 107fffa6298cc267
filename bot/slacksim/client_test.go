package slacksim_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"
	"github.com/slack-go/slack/socketmode"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// TestUtterPostsWhatThePageWouldNot shows that a client's message keeps its length,
// its labelled link and the id that the sender chose.
func TestUtterPostsWhatThePageWouldNot(t *testing.T) {
	r := start(t, slacksim.Options{})
	s := r.connect()
	text := "<https://evil.example/|https://bank.example> " + strings.Repeat("a", 39_000)
	ts, err := r.w.Utter(priya, slacksim.Utterance{Channel: product, Text: text, ClientMsgID: "d:1.000001"})
	if err != nil {
		t.Fatal(err)
	}
	got, _ := s.message()
	if got.TimeStamp != ts || got.Text != text || got.ClientMsgID != "d:1.000001" {
		t.Errorf("delivered %s %.60q with id %q, want %s %.60q as it was sent", got.TimeStamp, got.Text, got.ClientMsgID, ts, text)
	}
	if _, err := r.w.Utter(priya, slacksim.Utterance{Channel: product, Text: strings.Repeat("a", 40_001)}); err == nil {
		t.Error("40,001 characters were taken")
	}
	if _, err := r.w.Utter("U0ROUND01", slacksim.Utterance{Channel: product, Text: "I am the app"}); err == nil {
		t.Error("the app's user was taken for a person")
	}
}

// TestUtterOfAnotherApp shows that another app's post names no user.
func TestUtterOfAnotherApp(t *testing.T) {
	r := start(t, slacksim.Options{})
	s := r.connect()
	if _, err := r.w.Utter(priya, slacksim.Utterance{Channel: product, Text: "done", App: "B0OTHER01"}); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.message(); got.User != "" || got.BotID != "B0OTHER01" || got.SubType != "bot_message" {
		t.Errorf("delivered user %q, bot %q, subtype %q, want another app's post", got.User, got.BotID, got.SubType)
	}
}

// TestAmendStampsEveryEdit shows that no two edits share a stamp, however fast they
// follow each other.
func TestAmendStampsEveryEdit(t *testing.T) {
	r := start(t, slacksim.Options{})
	s := r.connect()
	ts, err := r.w.Utter(priya, slacksim.Utterance{Channel: product, Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	s.message()
	stamps := make(map[string]bool)
	for _, text := range []string{"two", "three", "four"} {
		if err := r.w.Amend(priya, product, ts, text); err != nil {
			t.Fatal(err)
		}
		got, _ := s.message()
		if got.Message.Text != text {
			t.Errorf("edited to %q, want %q", got.Message.Text, text)
		}
		stamps[got.Message.Edited.Timestamp] = true
	}
	if len(stamps) != 3 {
		t.Errorf("%d stamps of 3 edits", len(stamps))
	}
	if err := r.w.Amend(sam, product, ts, "not mine"); err == nil {
		t.Error("somebody else's message was edited")
	}
}

// TestForgeTellsWhatBecameOfIt shows that a forged envelope arrives as it was made, and
// that its acknowledgement or its end is told.
func TestForgeTellsWhatBecameOfIt(t *testing.T) {
	r := start(t, slacksim.Options{Timing: slacksim.Timing{AckWait: 100 * time.Millisecond, Retry: []time.Duration{-1}}})
	s := r.connect()
	button := `{"type":"block_actions","user":{"id":"U0NOBODY1"},"actions":[{"action_id":"rt:wrap_up","value":"D1|"}]}`
	answer := r.w.Forge("interactive", "", json.RawMessage(button))
	e := s.next(socketmode.EventTypeInteractive)
	if c, ok := e.Data.(slack.InteractionCallback); !ok || c.User.ID != "U0NOBODY1" {
		t.Errorf("delivered %+v, want the forged click", e.Data)
	}
	s.ack(e)
	if got := <-answer; got.Failure != "" {
		t.Errorf("answered %+v, want an acknowledgement", got)
	}
	lost := r.w.Forge("events_api", "message", json.RawMessage(
		`{"type":"event_callback","team_id":"T0ROUND01","event":{"type":"message","user":"U0NOBODY1","text":"x","ts":"1.000001","channel":"C0NOWHERE"}}`))
	for range 2 {
		e := s.next(socketmode.EventTypeEventsAPI)
		if _, ok := e.Data.(slackevents.EventsAPIEvent); !ok {
			t.Errorf("delivered %T, want an event", e.Data)
		}
	}
	if got := <-lost; got.Failure != "given_up" || r.w.GivenUp() != 1 {
		t.Errorf("answered %+v with %d given up, want one", got, r.w.GivenUp())
	}
	if got := <-r.w.Forge("interactive", "", json.RawMessage("{")); got.Failure != "dispatch_failed" {
		t.Errorf("answered %+v, want a refusal of what is no JSON", got)
	}
}

// TestForgeFrameSendsBytesAsTheyAre shows that a client gets a frame that no workspace
// would send, and goes on.
func TestForgeFrameSendsBytesAsTheyAre(t *testing.T) {
	r := start(t, slacksim.Options{})
	if err := r.w.ForgeFrame([]byte("{")); err == nil {
		t.Error("a frame was sent to nobody")
	}
	s := r.connect()
	if err := r.w.ForgeFrame([]byte(`{"type":"weather_report","envelope_id":"1","payload":7}`)); err != nil {
		t.Fatal(err)
	}
	limit := time.After(10 * time.Second)
	for read := false; !read; {
		select {
		case e := <-s.client.Events:
			read = e.Type == socketmode.EventTypeErrorBadMessage
		case <-limit:
			t.Fatal("the forged frame was not read within 10 s")
		}
	}
	ts := r.say(priya, product, "", "still there?")
	if got, _ := s.message(); got.TimeStamp != ts {
		t.Errorf("delivered %s, want %s", got.TimeStamp, ts)
	}
}
