package webapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// board is what replicas tell each other, in memory.
type board struct {
	mu    sync.Mutex
	until map[string]time.Time
	asked int
	away  bool
}

func (b *board) BackOff(_ context.Context, team, method string, wait time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return errors.New("the store is away")
	}
	if b.until == nil {
		b.until = map[string]time.Time{}
	}
	b.until[team+"/"+method] = time.Now().Add(wait)
	return nil
}

func (b *board) Backoffs(_ context.Context, team string) (map[string]time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if b.away {
		return nil, errors.New("the store is away")
	}
	left := map[string]time.Duration{}
	for name, at := range b.until {
		if method, ok := strings.CutPrefix(name, team+"/"); ok && time.Until(at) > 0 {
			left[method] = time.Until(at)
		}
	}
	return left, nil
}

// limiter is Slack: it answers 429 while limited is set and counts the calls.
type limiter struct {
	mu      sync.Mutex
	limited map[string]string // method → Retry-After
	calls   map[string]int
}

func (l *limiter) RoundTrip(req *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = map[string]int{}
	}
	l.calls[req.URL.Path]++
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"ok":true}`)), Request: req}
	if after, ok := l.limited[req.URL.Path]; ok {
		answer.StatusCode = http.StatusTooManyRequests
		answer.Header.Set("Retry-After", after)
	}
	return answer, nil
}

func (l *limiter) limit(limited map[string]string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limited = limited
}

func (l *limiter) counted() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.calls)
}

// replicaOf is a replica's transport in front of Slack.
func replicaOf(t *testing.T, to *limiter, shared Shared) *Backoff {
	t.Helper()
	held := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "held"}, []string{"method"})
	b, err := NewBackoff(to, "https://slack.test/api/", shared, held, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	b.Serve("T1")
	return b
}

// call calls a method and says how long it is still to be left alone, -1 if the call
// left.
func (b *Backoff) call(t *testing.T, address string) time.Duration {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("a=b"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := (&http.Client{Transport: b}).Do(req)
	if limited := (*slack.RateLimitedError)(nil); errors.As(err, &limited) {
		return limited.RetryAfter
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return -1
}

const usersInfo = "https://slack.test/api/users.info"

// A method that Slack answered with 429 is called by no replica until Retry-After has
// passed; others are, and so is this one afterwards.
func TestNoReplicaCallsBeforeRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited, shared := &limiter{}, &board{}
		limited.limit(map[string]string{"/api/users.info": "30"})
		one, two := replicaOf(t, limited, shared), replicaOf(t, limited, shared)
		two.call(t, "https://slack.test/api/dnd.info") // it has asked the store a moment ago
		if got := one.call(t, usersInfo); got != -1 {
			t.Fatalf("the first call is held back for %s", got)
		}
		time.Sleep(backoffFresh)
		for range 28 {
			for _, replica := range []*Backoff{one, two} {
				if got := replica.call(t, usersInfo); got <= 0 || got > 29*time.Second {
					t.Fatalf("got %s to wait, want what is left of 30s", got)
				}
			}
			time.Sleep(time.Second)
		}
		if got := limited.counted()["/api/users.info"]; got != 1 {
			t.Errorf("Slack was called %d times before Retry-After had passed, want the one call that it refused", got)
		}
		if got := two.call(t, "https://slack.test/api/dnd.info"); got != -1 {
			t.Errorf("another method is held back for %s", got)
		}
		limited.limit(nil)
		time.Sleep(time.Second)
		for _, replica := range []*Backoff{one, two} {
			if got := replica.call(t, usersInfo); got != -1 {
				t.Errorf("after Retry-After the method is held back for %s", got)
			}
		}
	})
}

// However much is called, the store is asked once a second.
func TestTheStoreIsAskedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &board{}
		replica := replicaOf(t, &limiter{}, shared)
		for range 3 {
			for range 100 {
				replica.call(t, usersInfo)
			}
			time.Sleep(backoffFresh)
		}
		if shared.asked != 3 {
			t.Errorf("the store was asked %d times in 3 seconds, want 3", shared.asked)
		}
	})
}

// Without the store a replica goes by what it was told itself.
func TestBackingOffNeedsNoStore(t *testing.T) {
	for name, shared := range map[string]Shared{"none": nil, "away": &board{away: true}} {
		t.Run(name, func(t *testing.T) {
			limited := &limiter{}
			limited.limit(map[string]string{"/api/users.info": "30"})
			replica := replicaOf(t, limited, shared)
			replica.call(t, usersInfo)
			if got := replica.call(t, usersInfo); got <= 0 {
				t.Errorf("got %s to wait", got)
			}
			if got := limited.counted()["/api/users.info"]; got != 1 {
				t.Errorf("Slack was called %d times, want once", got)
			}
		})
	}
}

// What is no method of the Web API, and posts, whose pace is the channel's, leave.
func TestWhatIsNeverHeldBack(t *testing.T) {
	for _, address := range []string{
		"https://slack.test/api/chat.postMessage", "https://slack.test/upload/users.info", "https://hooks.slack.test/api/users.info",
	} {
		limited := &limiter{}
		_, path, _ := strings.Cut(strings.TrimPrefix(address, "https://"), "/")
		limited.limit(map[string]string{"/" + path: "30"})
		replica := replicaOf(t, limited, &board{})
		for i := range 2 {
			if got := replica.call(t, address); got != -1 {
				t.Errorf("%s: call %d is held back for %s", address, i+1, got)
			}
		}
	}
}

// No answer makes anybody leave Slack alone for longer than an hour, whatever its
// Retry-After says: neither who is looked up, nor posts, whose pace the store keeps.
func TestRetryAfterIsBelievedForAnHour(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"30": 30 * time.Second, "99999999": longestBackoff, "9223372036854775807": longestBackoff, "soon": defaultPause, "-5": defaultPause,
	} {
		limited := &limiter{}
		limited.limit(map[string]string{"/api/users.info": header, "/api/chat.postMessage": header})
		replica := replicaOf(t, limited, nil)
		client := slack.New("xoxb-1", slack.OptionAPIURL("https://slack.test/api/"), slack.OptionHTTPClient(&http.Client{Transport: replica}))
		if _, err := client.GetUserInfoContext(t.Context(), "U1"); err == nil {
			t.Fatal("the first to ask is told nothing of the limit")
		}
		if got := replica.left("users.info"); got > want || got < want-time.Minute {
			t.Errorf("Retry-After %q: nobody is looked up for %s, want %s", header, got, want)
		}
		_, _, err := client.PostMessageContext(t.Context(), "C1", slack.MsgOptionText("x", false))
		if got := SendError(err, true); got.Outcome != engine.Unsent || got.After != want {
			t.Errorf("Retry-After %q: a post is %q for %s, want unsent for %s", header, got.Outcome, got.After, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"30": 30 * time.Second, "": defaultPause, "soon": defaultPause, "0": defaultPause, "-5": defaultPause, "99999999": longestBackoff,
		fmt.Sprint(int64(1) << 62): longestBackoff,
	} {
		if got := retryAfter(http.Header{"Retry-After": {header}}); got != want {
			t.Errorf("Retry-After %q: got %s, want %s", header, got, want)
		}
	}
}
