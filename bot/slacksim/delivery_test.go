package slacksim_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// quick is Slack's timing in small.
var quick = slacksim.Timing{AckWait: 50 * time.Millisecond, Retry: []time.Duration{0, 30 * time.Millisecond, 60 * time.Millisecond}}

// An event that is not acknowledged comes back three times with the same event
// id, a new envelope id and the number of the attempt (I1).
func TestUnacknowledgedEventIsRedelivered(t *testing.T) {
	r := start(t, slacksim.Options{Timing: quick})
	s := r.dial()
	r.say(priya, general, "", "hello")
	envelopes := map[string]bool{}
	var event any
	for attempt := range 4 {
		f := s.event("message")
		if *f.RetryAttempt != attempt {
			t.Errorf("attempt: got %d, want %d", *f.RetryAttempt, attempt)
		}
		if attempt > 0 && *f.RetryReason != "timeout" {
			t.Errorf("reason: got %q", *f.RetryReason)
		}
		if event == nil {
			event = f.Payload["event_id"]
		}
		if f.Payload["event_id"] != event || envelopes[f.EnvelopeID] {
			t.Errorf("attempt %d: event %v in envelope %s", attempt, f.Payload["event_id"], f.EnvelopeID)
		}
		envelopes[f.EnvelopeID] = true
	}
	s.quiet(300 * time.Millisecond)
}

func TestAcknowledgedEventIsNotRepeated(t *testing.T) {
	r := start(t, slacksim.Options{Timing: quick})
	s := r.dial()
	r.say(priya, general, "", "hello")
	s.ack(s.event("message"))
	s.quiet(200 * time.Millisecond)
}

// What a dead connection did not acknowledge goes to another.
func TestClosedConnectionHandsOver(t *testing.T) {
	r := start(t, slacksim.Options{})
	first := r.dial()
	r.say(priya, general, "", "hello")
	f := first.event("message")
	second := r.dial()
	_ = first.ws.CloseNow()
	again := second.event("message")
	if again.Payload["event_id"] != f.Payload["event_id"] || *again.RetryAttempt != 1 || *again.RetryReason != "connection_failed" {
		t.Errorf("got attempt %d because %s", *again.RetryAttempt, *again.RetryReason)
	}
	second.ack(again)
}

// An event that finds no connection waits for the next retry.
func TestEventWithoutConnection(t *testing.T) {
	r := start(t, slacksim.Options{Timing: slacksim.Timing{Retry: []time.Duration{0, 100 * time.Millisecond, time.Hour}}})
	r.say(priya, general, "", "hello")
	s := r.dial()
	f := s.event("message")
	if *f.RetryAttempt == 0 || *f.RetryReason != "connection_failed" {
		t.Errorf("got attempt %d because %q, want a retry after connection_failed", *f.RetryAttempt, *f.RetryReason)
	}
	s.ack(f)
}

// Each envelope goes to one of the open connections, in turn.
func TestConnectionsShareTheLoad(t *testing.T) {
	r := start(t, slacksim.Options{})
	a, b := r.dial(), r.dial()
	for i := range 4 {
		r.say(priya, general, "", fmt.Sprint("message ", i))
	}
	for _, s := range []*wire{a, b} {
		s.ack(s.event("message"))
		s.ack(s.event("message"))
		s.quiet(50 * time.Millisecond)
	}
}

func TestEleventhConnectionIsRefused(t *testing.T) {
	r := start(t, slacksim.Options{})
	for range 10 {
		r.dial()
	}
	if f := r.dialRaw().next(); f.Type != "disconnect" || f.Reason != "too_many_websockets" {
		t.Errorf("got %s %s, want disconnect too_many_websockets", f.Type, f.Reason)
	}
}

// A connection is warned, then asked to go, then closed.
func TestRefresh(t *testing.T) {
	r := start(t, slacksim.Options{Timing: slacksim.Timing{Refresh: 300 * time.Millisecond, RefreshWarning: 200 * time.Millisecond}})
	s := r.dial()
	for _, want := range []string{"warning", "refresh_requested"} {
		if f := s.next(); f.Type != "disconnect" || f.Reason != want {
			t.Fatalf("got %s %s, want disconnect %s", f.Type, f.Reason, want)
		}
	}
	if f := s.next(); f.Type != "" {
		t.Errorf("after the refresh: got %s, want the end", f.Type)
	}
}

func TestUnansweredClicksAndCommands(t *testing.T) {
	r := start(t, slacksim.Options{Timing: quick})
	command := map[string]any{"as": priya, "channel": general, "command": "/roundtable", "text": "help"}
	if out, status := r.try("command", command); status != http.StatusBadGateway || out["error"] != "dispatch_failed" {
		t.Errorf("without a connection: got %d %v", status, out)
	}
	s := r.dial()
	if out, status := r.try("command", command); status != http.StatusGatewayTimeout || out["error"] != "operation_timeout" {
		t.Errorf("without an acknowledgement: got %d %v", status, out)
	}
	if f := s.next(); f.Type != "slash_commands" || f.RetryAttempt != nil || !f.Accepts {
		t.Errorf("got %+v", f)
	}
	s.quiet(200 * time.Millisecond) // commands are not redelivered
}

// A command that is acknowledged late has failed before.
func TestLateAnswerToACommand(t *testing.T) {
	r := start(t, slacksim.Options{Timing: quick, Faults: []slacksim.Fault{{Event: "slash_commands", LateAck: true}}})
	s := r.dial()
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, status := r.try("command", map[string]any{"as": priya, "channel": general, "command": "/roundtable", "text": "help"})
		if status != http.StatusGatewayTimeout || out["error"] != "operation_timeout" {
			t.Errorf("got %d %v, want operation_timeout", status, out)
		}
	}()
	s.ack(s.next())
	<-done
}

func TestEventFaults(t *testing.T) {
	texts := func(s *wire, n int) []string {
		var got []string
		for range n {
			f := s.event("message")
			s.ack(f)
			got = append(got, f.inner()["text"].(string))
		}
		return got
	}
	tests := []struct {
		name  string
		fault slacksim.Fault
		want  string
	}{
		{"none", slacksim.Fault{Event: "reaction_added", Lose: true}, "[1 2]"},
		{"duplicate", slacksim.Fault{Event: "message", Duplicate: true, Count: 1}, "[1 1 2]"},
		{"swap", slacksim.Fault{Event: "message", Swap: true, Count: 1}, "[2 1]"},
		{"late", slacksim.Fault{Event: "message", LateMS: 150, Count: 1}, "[2 1]"},
		{"lose", slacksim.Fault{Event: "message", Lose: true, Count: 1}, "[2]"},
		{"lose the second", slacksim.Fault{Event: "message", Lose: true, Count: 1, Skip: 1}, "[1]"},
		{"drop ack", slacksim.Fault{Event: "message", DropAck: true, Count: 1}, "[1 2 1]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			timing := quick
			timing.AckWait = 300 * time.Millisecond
			r := start(t, slacksim.Options{Timing: timing, Faults: []slacksim.Fault{tt.fault}})
			s := r.dial()
			r.say(priya, general, "", "1")
			r.say(priya, general, "", "2")
			if got := fmt.Sprint(texts(s, len(tt.want)/2)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			s.quiet(100 * time.Millisecond)
		})
	}
}

// An acknowledgement that comes late counts, but only after the event was sent
// again: the app sees it twice, and no third time, whatever it does then (I1).
func TestLateAcknowledgement(t *testing.T) {
	acks := make(chan slacksim.Ack, 8)
	r := start(t, slacksim.Options{Timing: quick, Acked: func(a slacksim.Ack) { acks <- a }, Faults: []slacksim.Fault{{Event: "*", LateAck: true, Count: 1}}})
	s := r.dial()
	r.say(priya, general, "", "hello")
	first := s.event("message")
	s.ack(first)
	again := s.event("message")
	if again.Payload["event_id"] != first.Payload["event_id"] || *again.RetryAttempt != 1 || *again.RetryReason != "timeout" {
		t.Errorf("got attempt %d because %s, want the event again", *again.RetryAttempt, *again.RetryReason)
	}
	select {
	case a := <-acks:
		if a.Name != "message" || a.Attempt != 1 {
			t.Errorf("took %s at attempt %d, want the message after it was sent again", a.Name, a.Attempt)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the late acknowledgement was not taken")
	}
	s.quiet(300 * time.Millisecond)
	if len(r.w.Armed()) != 0 {
		t.Errorf("still armed: %v", r.w.Armed())
	}
}

// The last attempt at an event is not held back: nothing would be sent after it.
func TestLastAcknowledgementIsTaken(t *testing.T) {
	r := start(t, slacksim.Options{Timing: quick, Faults: []slacksim.Fault{{Event: "message", LateAck: true}}})
	s := r.dial()
	r.say(priya, general, "", "hello")
	for range 3 {
		s.event("message")
	}
	s.ack(s.event("message"))
	s.quiet(200 * time.Millisecond)
	if w := r.w.Warnings(); len(w) != 0 {
		t.Errorf("got %q, want no event given up", w)
	}
}

// With Socket Mode switched off there is an address with a remark, a greeting, and
// nothing else.
func TestSocketModeOffDeliversNothing(t *testing.T) {
	r := start(t, slacksim.Options{SocketModeOff: true, Timing: quick})
	s := r.dial()
	r.say(priya, general, "", "hello")
	s.quiet(200 * time.Millisecond)
}
