package slacksim

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Verdict is what befalls one Web API call. The zero Verdict lets it pass.
type Verdict struct {
	Delay           time.Duration // before anything else
	Status          int           // HTTP status, e.g. 429 or 503
	RetryAfter      time.Duration // header of a 429
	Error           string        // ok:false with this error
	Cut             bool          // break the connection without an answer
	AfterPerforming bool          // perform the call, then fail it as above
	Lag             time.Duration // a read sees only what is older than this
}

func (v Verdict) fails() bool { return v.Status != 0 || v.Error != "" || v.Cut }

// reply is the failed answer.
func (v Verdict) reply() reply {
	switch {
	case v.Cut:
		return reply{cut: true}
	case v.Status == http.StatusTooManyRequests:
		return tooMany(v.RetryAfter)
	case v.Status != 0:
		return reply{status: v.Status, body: []byte("upstream connect error")}
	}
	return failure(refuse(v.Error))
}

// Fault is a rule for things to go wrong. It concerns Web API calls (Method),
// event deliveries (Event), or acknowledgements (Event with DropAck or LateAck).
//
// Durations are milliseconds so that a page or a script can set them.
type Fault struct {
	// Method is a method name, or a prefix ending in "*": "chat.*".
	Method string `json:"method,omitempty"`
	// Event is the type of an inner event, or "interactive", "slash_commands", or
	// "*" for every envelope.
	Event string `json:"event,omitempty"`

	// For a Method; see Verdict.
	Status       int    `json:"status,omitempty"`
	RetryAfterMS int    `json:"retry_after_ms,omitempty"`
	Error        string `json:"error,omitempty"`
	Cut          bool   `json:"cut,omitempty"`
	After        bool   `json:"after,omitempty"` // performed, then failed
	DelayMS      int    `json:"delay_ms,omitempty"`
	LagMS        int    `json:"lag_ms,omitempty"`

	// For an Event.
	LateMS    int  `json:"late_ms,omitempty"`   // deliver so much later
	Duplicate bool `json:"duplicate,omitempty"` // deliver the same event twice
	Swap      bool `json:"swap,omitempty"`      // deliver it after the next event
	DropAck   bool `json:"drop_ack,omitempty"`  // lose the acknowledgement
	LateAck   bool `json:"late_ack,omitempty"`  // take it once the event was sent again
	CutSocket bool `json:"cut_socket,omitempty"`
	Lose      bool `json:"lose,omitempty"` // never deliver

	// Skip lets that many matches pass first. Count is how often the fault strikes
	// (0: for ever). Probability is per match (0: always).
	Skip        int     `json:"skip,omitempty"`
	Count       int     `json:"count,omitempty"`
	Probability float64 `json:"probability,omitempty"`
}

// matches reports whether the rule's name or prefix pattern covers name.
func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

// verdict is the rule as a judgement on a call.
func (f *Fault) verdict() Verdict {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	v := Verdict{Delay: ms(f.DelayMS), Status: f.Status, RetryAfter: ms(f.RetryAfterMS), Error: f.Error, Cut: f.Cut, AfterPerforming: f.After, Lag: ms(f.LagMS)}
	if v.Status == http.StatusTooManyRequests && v.RetryAfter == 0 {
		v.RetryAfter = time.Second
	}
	return v
}

// Arm adds faults to those in force.
func (w *Workspace) Arm(faults ...Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range faults {
		f := faults[i]
		w.faults = append(w.faults, &f)
	}
}

// Disarm removes every fault.
func (w *Workspace) Disarm() {
	w.mu.Lock()
	w.faults = nil
	w.mu.Unlock()
}

// Armed are the faults still in force.
func (w *Workspace) Armed() []Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]Fault, 0, len(w.faults))
	for _, f := range w.faults {
		out = append(out, *f)
	}
	return out
}

// strike decides whether a matching fault happens now, and uses it up. The
// caller holds mu.
func (w *Workspace) strike(f *Fault) bool {
	if f.Skip > 0 {
		f.Skip--
		return false
	}
	if f.Probability > 0 && w.dice.Float64() >= f.Probability {
		return false
	}
	if f.Count > 0 {
		f.Count--
		if f.Count == 0 {
			w.faults = slices.DeleteFunc(w.faults, func(o *Fault) bool { return o == f })
		}
	}
	return true
}

// judge asks the hook and the faults what befalls a call.
func (w *Workspace) judge(c *call) Verdict {
	if w.opts.Before != nil {
		if v := w.opts.Before(c.method, c.args); v != (Verdict{}) {
			c.lag = v.Lag.Microseconds()
			return v
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range slices.Clone(w.faults) {
		if f.Method != "" && matches(f.Method, c.method) && w.strike(f) {
			v := f.verdict()
			c.lag = v.Lag.Microseconds()
			return v
		}
	}
	return Verdict{}
}

// misfortune gives the first fault that strikes an envelope and satisfies want,
// or nil. The caller holds mu.
func (w *Workspace) misfortune(name string, want func(*Fault) bool) *Fault {
	for _, f := range slices.Clone(w.faults) {
		if f.Event != "" && matches(f.Event, name) && want(f) && w.strike(f) {
			return f
		}
	}
	return nil
}
