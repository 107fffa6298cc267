package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
)

// quick makes the workspace deliver again without long waits.
var quick = slacksim.Timing{AckWait: 300 * time.Millisecond, Retry: []time.Duration{20 * time.Millisecond, 300 * time.Millisecond, time.Second}}

func TestNothingIsAcknowledgedBeforeItIsStored_I1(t *testing.T) {
	s := set(t, slacksim.Options{Timing: quick}, nil, true)
	_, place := s.seated()
	s.inbox.setAway(true)
	ts := s.say(priya, place.Thread, "do not lose this")
	before := s.inbox.attempts()
	s.until("a second attempt", func() bool { return s.inbox.attempts() > before })
	s.inbox.setAway(false)
	if _, e := await[roundtable.Said](t, s.inbox); e.TS != ts {
		t.Errorf("got %q, want %q", e.TS, ts)
	}
	t.Run("a command is answered", func(t *testing.T) {
		s.inbox.setAway(true)
		s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": "another topic"})
		s.told(priya, "could not save that")
	})
}

func TestRedeliveryIsOneInput_I2(t *testing.T) {
	s := set(t, slacksim.Options{Timing: quick}, nil, true)
	_, place := s.seated()
	s.ws.Arm(slacksim.Fault{Event: "message", DropAck: true})
	s.say(priya, place.Thread, "once")
	await[roundtable.Said](t, s.inbox)
	s.until("a second delivery", func() bool { return s.inbox.attempts() >= 2 })
	if got := s.inbox.all(); len(got) != 1 {
		t.Errorf("inputs: got %d, want 1", len(got))
	}
}

func TestRefreshLeavesNoGap_I1(t *testing.T) {
	s := set(t, slacksim.Options{Timing: quick}, nil, true)
	_, place := s.seated()
	var want []string
	for i := range 30 {
		if i%10 == 5 {
			s.ws.Disconnect("refresh_requested")
		}
		want = append(want, s.say(priya, place.Thread, fmt.Sprintf("message %d", i)))
	}
	s.until("all messages", func() bool { return len(s.inbox.all()) == len(want) })
	got := map[string]bool{}
	for _, in := range s.inbox.all() {
		got[in.Event.(roundtable.Said).TS] = true
	}
	for _, ts := range want {
		if !got[ts] {
			t.Errorf("lost: %s", ts)
		}
	}
}

func TestStopsWhenItsTokensAreRefused(t *testing.T) {
	s := set(t, slacksim.Options{}, func(o *bot.Options) { o.AppToken = "xapp-canary" }, false)
	err := s.bot.Run(t.Context(), s.inbox)
	if err == nil || !strings.Contains(err.Error(), "invalid_auth") || strings.Contains(err.Error(), "canary") {
		t.Errorf("got %v, want invalid_auth and no token", err)
	}
}

func TestDrainClosesEveryConnection(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	s.until("no connection left", func() bool { return s.ws.Connections() == 0 })
	if s.bot.Connected() {
		t.Error("still connected")
	}
}

// TestEveryEnvelopeIsCountedOnce shows what the metrics count.
func TestEveryEnvelopeIsCountedOnce(t *testing.T) {
	counts := prometheus.NewRegistry()
	s := set(t, slacksim.Options{Timing: quick}, func(o *bot.Options) { o.Metrics = counts }, true)
	_, place := s.seated()
	ends := func(end string) float64 { return counted(t, counts, "roundtable_slack_envelopes_total", "end", end) }
	s.until("our own post came back", func() bool { return ends("own") == 1 })
	s.inbox.setAway(true)
	s.say(priya, place.Thread, "Noted?")
	s.until("a delivery without acknowledgement", func() bool { return ends("unacknowledged") >= 1 })
	s.inbox.setAway(false)
	s.until("the next one", func() bool { return ends("delivered") == 1 })
	if got := counted(t, counts, "roundtable_slack_ack_seconds", "type", "events_api"); got != 2 {
		t.Errorf("%v acknowledgements were timed, want 2", got)
	}
	if got, want := counted(t, counts, "roundtable_slack_envelopes_total", "type", "events_api"), 2+ends("unacknowledged"); got != want {
		t.Errorf("%v envelopes were counted, want %v", got, want)
	}
}
