package slacksim_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// post posts through slack-go and gives its error.
func (r *running) post(text string) error {
	_, _, err := r.api.PostMessageContext(r.t.Context(), general, slack.MsgOptionText(text, false))
	return err
}

// A 429 carries Retry-After, and slack-go understands it.
func TestRateFault(t *testing.T) {
	r := start(t, slacksim.Options{Faults: []slacksim.Fault{{Method: "chat.postMessage", Status: http.StatusTooManyRequests, RetryAfterMS: 1500, Count: 1}}})
	var limited *slack.RateLimitedError
	if err := r.post("one"); !errors.As(err, &limited) || limited.RetryAfter != 2*time.Second {
		t.Errorf("got %v, want a rate limit of 2 s", err)
	}
	if err := r.post("two"); err != nil {
		t.Errorf("after the fault was used up: %v", err)
	}
}

// A failed call was performed or not, as the fault says (I3).
func TestFailedCalls(t *testing.T) {
	tests := []struct {
		name      string
		fault     slacksim.Fault
		performed bool
	}{
		{"server error before", slacksim.Fault{Status: 503}, false},
		{"server error after", slacksim.Fault{Status: 503, After: true}, true},
		{"cut before", slacksim.Fault{Cut: true}, false},
		{"cut after", slacksim.Fault{Cut: true, After: true}, true},
		{"named error", slacksim.Fault{Error: "fatal_error"}, false},
		{"named error after", slacksim.Fault{Error: "internal_error", After: true}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, slacksim.Options{})
			tt.fault.Method, tt.fault.Count = "chat.*", 1
			r.do("faults", map[string]any{"faults": []slacksim.Fault{tt.fault}})
			if err := r.post("text"); err == nil {
				t.Error("the call did not fail")
			}
			if got := len(r.w.Messages(general)) == 1; got != tt.performed {
				t.Errorf("performed: got %v, want %v", got, tt.performed)
			}
			calls := r.w.Calls()
			if last := calls[len(calls)-1]; last.Performed != tt.performed {
				t.Errorf("recorded as performed: %v", last.Performed)
			}
			if len(r.w.Armed()) != 0 {
				t.Errorf("still armed: %v", r.w.Armed())
			}
		})
	}
}

// A lagging read does not see what was just posted.
func TestReadLag(t *testing.T) {
	r := start(t, slacksim.Options{Faults: []slacksim.Fault{{Method: "conversations.replies", LagMS: 60000, Count: 1}}})
	root := r.say(priya, general, "", "root")
	r.say(priya, general, root, "reply")
	for i, want := range []int{1, 2} {
		out := r.method("conversations.replies", map[string]string{"channel": general, "ts": root})
		if got := len(out["messages"].([]any)); got != want {
			t.Errorf("read %d: got %d messages, want %d", i+1, got, want)
		}
	}
}

func TestHookJudgesCalls(t *testing.T) {
	r := start(t, slacksim.Options{Before: func(method string, args map[string]string) slacksim.Verdict {
		if method == "chat.postMessage" && args["text"] == "bad" {
			return slacksim.Verdict{Error: "restricted_action"}
		}
		return slacksim.Verdict{}
	}})
	if err := r.post("bad"); err == nil || err.Error() != "restricted_action" {
		t.Errorf("got %v", err)
	}
	if err := r.post("good"); err != nil {
		t.Errorf("got %v", err)
	}
}

// The same seed gives the same luck.
func TestProbabilityIsSeeded(t *testing.T) {
	luck := func(seed uint64) string {
		r := start(t, slacksim.Options{Seed: seed, Faults: []slacksim.Fault{{Method: "api.test", Error: "fatal_error", Probability: 0.5}}})
		var b strings.Builder
		for range 40 {
			if r.method("api.test", nil)["ok"] == true {
				b.WriteByte('.')
			} else {
				b.WriteByte('x')
			}
		}
		return b.String()
	}
	one := luck(1)
	if again := luck(1); one != again {
		t.Errorf("seed 1 gave %s and %s", one, again)
	}
	if other := luck(2); one == other || !strings.Contains(one, "x") || !strings.Contains(one, ".") {
		t.Errorf("seeds 1 and 2 gave %s and %s", one, other)
	}
}

func TestPacing(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	r := start(t, slacksim.Options{Now: func() time.Time { return now }, Pace: slacksim.Pace{Tiers: true, PostEvery: time.Second, PostBurst: 3}})
	for i, want := range []bool{true, true, true, false} {
		if err := r.post("x"); (err == nil) != want {
			t.Errorf("post %d: got %v", i+1, err)
		}
	}
	if out := r.method("chat.postMessage", map[string]string{"channel": product, "text": "x"}); out["ok"] != true {
		t.Errorf("another channel: got %v", out)
	}
	refused := 0
	for range 25 {
		if r.method("users.list", nil)["ok"] != true {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("users.list refused %d of 25 calls, want 5 (tier 2: 20 a minute)", refused)
	}
}

// A status clears itself, and with any post of the app in its thread.
func TestStatusClears(t *testing.T) {
	r := start(t, slacksim.Options{Timing: slacksim.Timing{StatusLife: 50 * time.Millisecond}})
	events := r.stream(priya)
	root := r.say(priya, general, "", "root")
	r.method("assistant.threads.setStatus", map[string]string{"channel_id": general, "thread_ts": root, "status": "is thinking…", "username": "Maya"})
	if e := events.next("status"); e["username"] != "Maya" {
		t.Errorf("got %v", e)
	}
	if e := events.next("status"); e["status"] != "" {
		t.Errorf("got %v, want it cleared", e)
	}
}
