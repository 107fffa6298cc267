package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Posting is a message on its way to Slack.
type Posting struct {
	Place   thread.Place // Thread empty: the root itself
	Key     string
	Message thread.Message
}

// Found is a post of ours that stands in Slack.
type Found struct {
	Key string
	TS  string
}

// Heard is something that people did, read back from Slack: the input with the
// same id as if it had come as an event, and its further identities.
type Heard struct {
	Input roundtable.Input
	Also  []string
}

// Workplace is where people and personas meet: Slack.
type Workplace interface {
	// Post says something once. Its error is a *SendError.
	Post(ctx context.Context, p Posting) (ts string, err error)
	// Find reads back posts of ours with their keys, in the thread or, with no
	// thread, in the channel, no older than since.
	Find(ctx context.Context, place thread.Place, since time.Time) ([]Found, error)
	// Read reads back what people wrote in a thread since a time, oldest first, as
	// the inputs that Slack's events about it were, or would have been.
	Read(ctx context.Context, place thread.Place, since time.Time) ([]Heard, error)
	// Retract removes a double.
	Retract(ctx context.Context, place thread.Place, ts string) error
	// ShowRoot brings the introduction, at place.Root, up to date.
	ShowRoot(ctx context.Context, place thread.Place, m thread.Message) error
	// QuietUntil returns until when a person wants not to be disturbed; zero if they may
	// be, or Slack may not be asked.
	QuietUntil(ctx context.Context, user string) (time.Time, error)
	// Identify says who a person is. Where Slack does not say it is an error, a *SendError
	// whose After is when it may be asked again.
	Identify(ctx context.Context, user string, strictly bool) (thread.Person, error)
	// Tell, React and Think are courtesies; Think with no persona clears.
	Tell(ctx context.Context, place thread.Place, user, text string) error
	React(ctx context.Context, place thread.Place, ts, emoji string) error
	Think(ctx context.Context, place thread.Place, personas []persona.Seat) error
}

// SendError says what became of a request to Slack.
type SendError struct {
	// Outcome is what is known of the request.
	Outcome Outcome
	// After is how long Slack asked to wait (Unsent by 429).
	After time.Duration
	// Reason is set for Refused.
	Reason thread.Reason
	Err    error
}

func (e *SendError) Error() string { return fmt.Sprintf("slack: %s: %v", e.Outcome, e.Err) }

func (e *SendError) Unwrap() error { return e.Err }

func sendError(err error) *SendError {
	if s, ok := errors.AsType[*SendError](err); ok {
		return s
	}
	return &SendError{Outcome: InDoubt, Err: err}
}

// Outcome is what is known of a request that did not plainly succeed.
type Outcome string

// The outcomes.
const (
	// Unsent: it certainly had no effect and may be sent again.
	Unsent Outcome = "unsent"
	// InDoubt: it may have been performed; look before sending again.
	InDoubt Outcome = "in_doubt"
	// Refused: it will never be performed.
	Refused Outcome = "refused"
	// Unmade: it failed here, before any byte of it could leave: it could not be drawn,
	// or not in time. Slack had no part in that, and it would go the same way again.
	Unmade Outcome = "unmade"
)
