package webapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/slack-go/slack"
)

// Shared is where the replicas tell each other which methods of Slack's Web API want
// to be left alone: Slack counts the calls of a workspace, whichever replica makes
// them.
type Shared interface {
	// BackOff notes that a method is to be left alone for a while from now on. It never
	// shortens what was noted before.
	BackOff(ctx context.Context, team, method string, wait time.Duration) error
	// Backoffs returns for how long from now on methods are to be left alone; those
	// that may be called are not among them.
	Backoffs(ctx context.Context, team string) (map[string]time.Duration, error)
}

// Times of backing off.
const (
	// backoffFresh is how long a replica relies on what the others noted: at most one
	// request to the store in that time, however many calls are made.
	backoffFresh = time.Second
	// backoffWithin bounds a request to the store about it. Without an answer the
	// replica goes by what it was told itself.
	backoffWithin = 250 * time.Millisecond
	// longestBackoff bounds what is believed of a Retry-After: Slack asks for minutes,
	// and a method must not stay barred because one answer was wrong.
	longestBackoff = time.Hour
)

// ownPace is the method whose pace is kept by channel in the store, where the outbox
// asks for it before a post leaves.
const ownPace = "chat.postMessage"

// Backoff is a transport that holds back the calls of a method that Slack answered with
// 429 until its Retry-After has passed, whoever in whichever replica was told so. Who
// calls meanwhile gets a *slack.RateLimitedError with the time that is left, and no
// byte leaves.
type Backoff struct {
	base   http.RoundTripper
	api    string // the path below which methods are
	host   string
	shared Shared // nil: what this replica was told itself is all there is
	held   *prometheus.CounterVec
	log    *slog.Logger

	mu    sync.Mutex
	team  string // "" until Slack has said whose the token is
	until map[string]time.Time

	asking sync.Mutex // the store is asked by one call at a time
	asked  time.Time
}

// NewBackoff holds back calls of the Web API at an address. shared is nil where there is
// one replica only; held counts the calls that were held back, by method.
func NewBackoff(base http.RoundTripper, address string, shared Shared, held *prometheus.CounterVec, log *slog.Logger) (*Backoff, error) {
	api, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the address of the Web API: %w", err)
	}
	return &Backoff{
		base: base, api: api.Path, host: api.Host, shared: shared, held: held, log: log,
		until: map[string]time.Time{},
	}, nil
}

// Serve says of which workspace the calls are from now on.
func (b *Backoff) Serve(team string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.team = team
}

// RoundTrip implements http.RoundTripper.
func (b *Backoff) RoundTrip(req *http.Request) (*http.Response, error) {
	method := b.method(req)
	if method == "" {
		answer, _, err := b.ask(req)
		return answer, err
	}
	b.listen(req.Context())
	if wait := b.left(method); wait > 0 {
		b.held.WithLabelValues(method).Inc()
		if req.Body != nil {
			_ = req.Body.Close() // nothing was read of it
		}
		return nil, &slack.RateLimitedError{RetryAfter: wait}
	}
	answer, wait, err := b.ask(req)
	if wait > 0 {
		b.obey(req.Context(), method, wait)
	}
	return answer, err
}

// ask makes a call, and says for how long Slack wants to be left alone if it does. The
// answer says the same, so that whoever reads it believes no more and no less.
func (b *Backoff) ask(req *http.Request) (answer *http.Response, wait time.Duration, err error) {
	answer, err = b.base.RoundTrip(req)
	if err == nil && answer.StatusCode == http.StatusTooManyRequests {
		wait = retryAfter(answer.Header)
		answer.Header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	}
	return answer, wait, err
}

// CloseIdleConnections lets go of connections nobody uses.
func (b *Backoff) CloseIdleConnections() {
	if c, ok := b.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// method is the method of the Web API that a request calls, if its pace is kept here;
// uploads and answers to commands go elsewhere.
func (b *Backoff) method(req *http.Request) string {
	name, ok := strings.CutPrefix(req.URL.Path, b.api)
	if !ok || req.URL.Host != b.host || name == ownPace {
		return ""
	}
	return name
}

// left is for how long a method is to be left alone.
func (b *Backoff) left(method string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Until(b.until[method])
}

// Calm reports whether Slack has not wanted a method left alone for a while, as far as
// this replica knows.
func (b *Backoff) Calm(method string, since time.Duration) bool {
	return b.left(method) < -since
}

// listen takes over what other replicas were told, if that was not done lately. Where
// the store does not answer, the calls go on.
func (b *Backoff) listen(ctx context.Context) {
	b.mu.Lock()
	team := b.team
	b.mu.Unlock()
	if b.shared == nil || team == "" {
		return
	}
	b.asking.Lock()
	defer b.asking.Unlock()
	if time.Since(b.asked) < backoffFresh {
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), backoffWithin, fmt.Errorf("the store took more than %s", backoffWithin))
	defer cancel()
	waits, err := b.shared.Backoffs(ctx, team)
	b.asked = time.Now()
	if err != nil {
		b.log.Warn("methods that are to be left alone are not known", "error", err)
		return
	}
	for method, wait := range waits {
		b.note(method, wait)
	}
}

// obey remembers that Slack wants a method left alone, and tells the other replicas.
func (b *Backoff) obey(ctx context.Context, method string, wait time.Duration) {
	b.note(method, wait)
	b.log.Warn("Slack wants to be left alone", "method", method, "retry_after", wait)
	b.mu.Lock()
	team := b.team
	b.mu.Unlock()
	if b.shared == nil || team == "" {
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), backoffWithin, fmt.Errorf("the store took more than %s", backoffWithin))
	defer cancel()
	if err := b.shared.BackOff(ctx, team, method, wait); err != nil {
		b.log.Warn("other replicas are not told to leave Slack alone", "method", method, "error", err)
	}
}

// note remembers until when a method is to be left alone, unless it is longer already.
func (b *Backoff) note(method string, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if until := time.Now().Add(wait); until.After(b.until[method]) {
		b.until[method] = until
	}
}

// retryAfter is how long Slack asks to be left alone; defaultPause if it does not say.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds <= 0 {
		return defaultPause
	}
	return time.Duration(min(seconds, int(longestBackoff/time.Second))) * time.Second
}

// Timeout bounds a request to the Web API.
const Timeout = 10 * time.Second

// LookupWithin bounds what may be asked of Slack before one.
const LookupWithin = 900 * time.Millisecond
