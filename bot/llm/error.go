package llm

import (
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Kind says what went wrong with a call, and so what may be done about it.
type Kind string

// The kinds. Those that may pass are tried again and then left to the next model;
// Auth and Config are for the operator, and no other model is asked in their place.
const (
	RateLimited Kind = "rate_limited" // 429; Error.After says when
	Overloaded  Kind = "overloaded"   // 529, 503, "overloaded"
	Transient   Kind = "transient"    // 5xx, cut connections, silence, an answer without its end
	Unknown     Kind = "unknown"      // the provider does not know the model (404)
	Auth        Kind = "auth"         // 401, 403
	Config      Kind = "config"       // 400: the request is one the provider will never take
	Refused     Kind = "refused"      // the model or a filter refused to answer
	Truncated   Kind = "truncated"    // the answer was cut at its length limit
	Malformed   Kind = "malformed"    // complete, and not what the schema asked for
	OverBudget  Kind = "over_budget"  // not asked, because nothing is left to pay for it
	Cancelled   Kind = "cancelled"    // our own context ended
)

// Exhausted is how long a provider is left alone that says that our credit with it
// is used up.
const Exhausted = time.Hour

// passes reports whether the same model may answer in a moment.
func (k Kind) passes() bool { return k == RateLimited || k == Overloaded || k == Transient }

// Elsewhere reports whether another model may do better. What the operator has to
// mend is not papered over by another model.
func (k Kind) Elsewhere() bool {
	switch k {
	case RateLimited, Overloaded, Transient, Unknown, Refused, Truncated, Malformed:
		return true
	case Auth, Config, OverBudget, Cancelled:
	}
	return false
}

// Error is why a call failed. Its text holds no key, no prompt and no answer, so
// that it may be logged; Detail is a short word of the provider's (an error
// type, a status), never free text.
type Error struct {
	Kind   Kind
	Model  string
	Status int
	Detail string
	// After is how long the provider asked to wait; zero if it did not.
	After time.Duration
	// RequestID is the provider's name for the request, if it gave one.
	RequestID string
	// Budget is the one that is used up (OverBudget).
	Budget *thread.Budget
	// Err is the cause, if there is one besides what the provider said. It is made
	// of connections and clocks only: no error of a provider's library is kept,
	// because those hold requests and answers.
	Err error
}

func (e *Error) Error() string {
	s := fmt.Sprintf("ask %s: %s", e.Model, e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
