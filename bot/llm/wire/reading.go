package wire

import (
	"context"

	"github.com/roundtable-chat/app/bot/llm"
)

// Events is a stream of events as a provider's library hands it out.
type Events[E any] interface {
	Next() bool
	Current() E
	Err() error
	Close() error
}

// Reading makes an answer of a provider's events.
type Reading[E any] interface {
	// Take takes in an event and hands its text on.
	Take(e E, text func(string) error) error
	// Ended reports whether the provider's terminal marker came; Done whether nothing
	// more is worth waiting for.
	Ended() bool
	Done() bool
	// Outcome says how an answer that ended did so.
	Outcome() error
	// Announced is what the provider itself said of a failure in the stream; false if
	// the failure is not one that it announced.
	Announced(err error) ([]byte, bool)
}

// Hear reads a stream to its end within an exchange, whose context ctx is. An answer is
// complete only if its terminal marker came: the libraries take the early end of a
// stream, and a page in its place, for an answer without words.
func Hear[E any](ctx context.Context, x *Exchange, s Events[E], r Reading[E], result *llm.Result, text func(string) error) error {
	defer func() { _ = s.Close() }()
	var err error
	for err == nil && !r.Done() && s.Next() {
		err = r.Take(s.Current(), text)
	}
	x.Fill(result)
	switch {
	case err != nil:
		return err
	case r.Ended(): // whatever happened after it: the text is complete
		return r.Outcome()
	case s.Err() == nil:
		return x.Problem(llm.Transient, "no_end")
	}
	if said, ok := r.Announced(s.Err()); ok {
		return x.Said(said)
	}
	return x.Fail(ctx, s.Err())
}

// Unfit is the failure of a request that is none in the provider's words. Nothing has
// left.
func (x *Exchange) Unfit(err error) *llm.Error {
	e := x.Problem(llm.Config, "")
	e.Err = err
	return e
}
