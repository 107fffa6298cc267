package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CallRecord is one Web API call, for tests that ask what a bot did.
type CallRecord struct {
	Method    string            `json:"method"`
	Args      map[string]string `json:"-"` // as sent, without the token
	Error     string            `json:"error,omitempty"`
	Status    int               `json:"status"`
	Performed bool              `json:"performed"`
	At        time.Time         `json:"at"`
	// RetryAfter is how long Slack asked to wait, where it refused a call for its rate.
	RetryAfter time.Duration `json:"-"`
}

// keptCalls is how many calls and warnings are remembered.
const keptCalls = 2000

// Calls are the latest Web API calls, oldest first.
func (w *Workspace) Calls() []CallRecord {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// Warnings name what real Slack would silently ignore or mishandle: undocumented
// arguments, acknowledgements that are too long, unknown envelopes.
func (w *Workspace) Warnings() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.warnings)
}

// warn records a warning. The caller holds mu.
func (w *Workspace) warn(format string, args ...any) {
	if len(w.warnings) == keptCalls {
		w.warnings = slices.Delete(w.warnings, 0, keptCalls/2)
	}
	w.warnings = append(w.warnings, fmt.Sprintf(format, args...))
}

// reply is what goes back to the client of a method.
type reply struct {
	status     int
	retryAfter time.Duration
	body       []byte
	scopes     bool // tell the scopes in the headers
	cut        bool // break the connection instead of answering
}

// serveMethod performs one Web API method, with the faults that are due.
func (w *Workspace) serveMethod(rw http.ResponseWriter, r *http.Request) {
	w.learnOrigin(r)
	r.Body = http.MaxBytesReader(rw, r.Body, bodyLimit)
	c, err := decodeCall(r)
	verdict := w.judge(c)
	if verdict.Delay > 0 {
		select {
		case <-time.After(verdict.Delay):
		case <-r.Context().Done():
			return
		}
	}
	out, record := w.answer(c, err, verdict)
	if w.opts.After != nil {
		w.opts.After(record)
	}
	w.saveBeforeAnswer()
	w.write(rw, out)
}

// answer decides what a call gets and writes it down.
func (w *Workspace) answer(c *call, decodeErr error, verdict Verdict) (reply, CallRecord) {
	record := CallRecord{Method: c.method, Args: maps.Clone(c.args), At: w.now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	var out reply
	if verdict.fails() && !verdict.AfterPerforming {
		out = verdict.reply()
	} else {
		out = w.perform(c, decodeErr, &record)
		if verdict.fails() && record.Performed {
			out = verdict.reply()
		}
	}
	var shown struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal(out.body, &shown)
	record.Error, record.Status, record.RetryAfter = shown.Error, out.status, out.retryAfter
	if len(w.calls) == keptCalls {
		w.calls = slices.Delete(w.calls, 0, keptCalls/2)
	}
	w.calls = append(w.calls, record)
	w.log.Debug("web api call", "method", c.method, "error", shown.Error, "status", out.status)
	return out, record
}

// perform runs the method and encodes its result. The caller holds mu.
func (w *Workspace) perform(c *call, decodeErr error, record *CallRecord) reply {
	m, known := methods[c.method]
	if !known {
		return failure(refuse("unknown_method"))
	}
	out := reply{status: http.StatusOK, scopes: m.token == botToken}
	err := decodeErr
	if err == nil {
		err = w.admit(m, c)
	}
	if err == nil {
		if wait := w.overRate(m, c); wait > 0 {
			return tooMany(wait)
		}
		w.noteUndocumented(m, c)
		err = m.missing(c)
	}
	var result object
	if err == nil {
		result, err = m.run(w, c)
	}
	if err != nil {
		refused := failure(err)
		refused.scopes = out.scopes
		return refused
	}
	record.Performed = true
	if result == nil {
		result = object{}
	}
	result["ok"] = true
	body, err := json.Marshal(result)
	if err != nil {
		return failure(refuse("internal_error", err.Error()))
	}
	out.body = body
	return out
}

// admit checks the token and the scopes of a call.
func (w *Workspace) admit(m *method, c *call) error {
	if m.token == noToken {
		return nil
	}
	mine, other := w.opts.BotToken, w.opts.AppToken
	if m.token == appToken {
		mine, other = other, mine
	}
	switch c.token {
	case mine:
	case "":
		return refuse("not_authed")
	case other:
		return refuse("not_allowed_token_type")
	default:
		return refuse("invalid_auth")
	}
	if len(m.scopes) == 0 || m.token == appToken {
		return nil
	}
	for _, s := range m.scopes {
		if w.granted(s) {
			return nil
		}
	}
	return &apiError{Code: "missing_scope", Needed: strings.Join(m.scopes, ","), Provided: strings.Join(w.opts.Scopes, ",")}
}

func (w *Workspace) granted(scope string) bool { return slices.Contains(w.opts.Scopes, scope) }

// noteUndocumented warns of arguments that Slack ignores.
func (w *Workspace) noteUndocumented(m *method, c *call) {
	for name := range c.args {
		if !slices.Contains(m.args, name) {
			w.warn("%s: argument %q is not documented", c.method, name)
		}
	}
}

// failure is an ok:false answer.
func failure(err error) reply {
	var refused *apiError
	if !errors.As(err, &refused) {
		refused = &apiError{Code: "internal_error", Messages: []string{err.Error()}}
	}
	o := object{"ok": false, "error": refused.Code}
	if len(refused.Messages) > 0 {
		o["response_metadata"] = object{"messages": refused.Messages}
	}
	if refused.Needed != "" {
		o["needed"], o["provided"] = refused.Needed, refused.Provided
	}
	body, _ := json.Marshal(o)
	return reply{status: http.StatusOK, body: body}
}

// tooMany is Slack's HTTP 429. Retry-After is whole seconds, at least one.
func tooMany(wait time.Duration) reply {
	return reply{status: http.StatusTooManyRequests, retryAfter: wait, body: []byte(`{"ok":false,"error":"ratelimited"}`)}
}

func (w *Workspace) write(rw http.ResponseWriter, out reply) {
	if out.cut {
		// The documented way to make net/http drop the connection without an answer.
		panic(http.ErrAbortHandler)
	}
	h := rw.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "private, no-cache, no-store")
	if out.scopes {
		h.Set("X-OAuth-Scopes", strings.Join(w.opts.Scopes, ","))
	}
	if out.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(out.retryAfter.Seconds()))))
	}
	rw.WriteHeader(out.status)
	_, _ = rw.Write(out.body)
}

// overRate reports how long the caller must wait, or 0 when the call is within
// the rates that are switched on; such a call counts. The caller holds mu.
func (w *Workspace) overRate(m *method, c *call) time.Duration {
	now := w.now()
	limit := w.opts.Pace.PerMinute[c.method]
	if limit == 0 && w.opts.Pace.Tiers {
		limit = m.perMinute
	}
	if limit > 0 {
		if wait := w.window(c.method, limit, time.Minute, now); wait > 0 {
			return wait
		}
	}
	if every := w.opts.Pace.PostEvery; every > 0 && c.method == "chat.postMessage" {
		burst := max(1, w.opts.Pace.PostBurst)
		return w.window("post "+c.args["channel"], burst, every*time.Duration(burst), now)
	}
	return 0
}

// window admits at most limit calls of one kind in any span of time.
func (w *Workspace) window(key string, limit int, span time.Duration, now time.Time) time.Duration {
	recent := w.windows[key]
	for len(recent) > 0 && now.Sub(recent[0]) >= span {
		recent = recent[1:]
	}
	if len(recent) >= limit {
		w.windows[key] = recent
		return span - now.Sub(recent[0])
	}
	w.windows[key] = append(recent, now)
	return 0
}
