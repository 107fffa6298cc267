package slacksim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// TestHooksTellWhatHappened shows that After and Acked say what a load driver
// measures: who was answered, where, and how long an event waited.
func TestHooksTellWhatHappened(t *testing.T) {
	calls, acks := make(chan slacksim.CallRecord, 64), make(chan slacksim.Ack, 64)
	r := start(t, slacksim.Options{
		After: func(c slacksim.CallRecord) { calls <- c },
		Acked: func(a slacksim.Ack) { acks <- a },
	})
	s := r.connect()
	ts, err := r.w.Say(priya, product, "", "is anybody here?")
	if err != nil {
		t.Fatal(err)
	}
	s.message()
	select {
	case a := <-acks:
		if a.Kind != "events_api" || a.Name != "message" || a.Took <= 0 || a.Sent.IsZero() || a.Attempt != 0 || !strings.Contains(string(a.Payload), ts) {
			t.Errorf("acknowledged %+v, want the message %s", a, ts)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the acknowledgement was not told")
	}
	if err := r.post("here"); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case c := <-calls:
			if c.Method != "chat.postMessage" {
				continue // the clients' own
			}
			if !c.Performed || c.Error != "" || c.Args["text"] != "here" {
				t.Errorf("called %+v, want a performed post", c)
			}
			return
		case <-time.After(10 * time.Second):
			t.Fatal("the post was not told")
		}
	}
}

func TestSayRefusesWhatThePageRefuses(t *testing.T) {
	r := start(t, slacksim.Options{})
	for name, c := range map[string]struct{ person, channel, thread, text string }{
		"nobody":     {"U0NOBODY1", product, "", "hello"},
		"the bot":    {"U0ROUND01", product, "", "hello"},
		"no channel": {priya, "C0NOWHERE", "", "hello"},
		"no thread":  {priya, product, "1.000001", "hello"},
		"no words":   {priya, product, "", " "},
	} {
		if ts, err := r.w.Say(c.person, c.channel, c.thread, c.text); err == nil {
			t.Errorf("%s: posted %s, want an error", name, ts)
		}
	}
}
