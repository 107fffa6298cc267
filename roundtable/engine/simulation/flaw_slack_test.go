package simulation_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// brokenSlack changes what a replica does to Slack; what is not set works.
type brokenSlack struct {
	engine.Workplace
	post  func(context.Context, engine.Posting) (string, error)
	find  func() []engine.Found
	deaf  bool
	mu    *sync.Mutex
	found map[string][]string // timestamps by key
}

func (s brokenSlack) Post(ctx context.Context, p engine.Posting) (string, error) {
	if s.post != nil {
		return s.post(ctx, p)
	}
	return s.Workplace.Post(ctx, p)
}

func (s brokenSlack) Find(ctx context.Context, place thread.Place, since time.Time) ([]engine.Found, error) {
	if s.find != nil {
		return s.find(), nil
	}
	found, err := s.Workplace.Find(ctx, place, since)
	if s.found != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		clear(s.found)
		for _, f := range found {
			s.found[f.Key] = append(s.found[f.Key], f.TS)
		}
	}
	return found, err
}

func (s brokenSlack) Read(ctx context.Context, place thread.Place, since time.Time) ([]engine.Heard, error) {
	if s.deaf {
		return nil, nil
	}
	return s.Workplace.Read(ctx, place, since)
}

// Retract removes the other one of a pair, where pairs are known.
func (s brokenSlack) Retract(ctx context.Context, place thread.Place, ts string) error {
	if s.found != nil {
		s.mu.Lock()
		for _, pair := range s.found {
			if len(pair) == 2 && slices.Contains(pair, ts) {
				ts = pair[1-slices.Index(pair, ts)]
				break
			}
		}
		s.mu.Unlock()
	}
	return s.Workplace.Retract(ctx, place, ts)
}

// hasty takes doubt for failure.
func hasty(w engine.Workplace) engine.Workplace {
	return brokenSlack{Workplace: w, post: func(ctx context.Context, p engine.Posting) (string, error) {
		ts, err := w.Post(ctx, p)
		if s, ok := errors.AsType[*engine.SendError](err); ok && s.Outcome == engine.InDoubt {
			return ts, &engine.SendError{Outcome: engine.Unsent, Err: err}
		}
		return ts, err
	}}
}

// hopeful takes doubt for success.
func hopeful(w engine.Workplace) engine.Workplace {
	return brokenSlack{Workplace: w, post: func(ctx context.Context, p engine.Posting) (string, error) {
		ts, err := w.Post(ctx, p)
		if s, ok := errors.AsType[*engine.SendError](err); ok && s.Outcome == engine.InDoubt {
			return "1.000001", nil
		}
		return ts, err
	}}
}

// endless sends whatever it is given, however late.
func endless(w engine.Workplace) engine.Workplace {
	return brokenSlack{Workplace: w, post: func(ctx context.Context, p engine.Posting) (string, error) {
		return w.Post(context.WithoutCancel(ctx), p)
	}}
}

// lossyItems loses the first line of whatever it reads.
type lossyItems struct{ engine.Items }

func (i lossyItems) ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error) {
	item, err := i.Items.ReadItem(ctx, ref)
	for name, text := range item.Files {
		_, item.Files[name], _ = bytes.Cut(text, []byte("\n"))
	}
	return item, err
}

// overwriting lets the last writer win.
type overwriting struct{ engine.Items }

func (i overwriting) WriteItem(ctx context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	err := i.Items.WriteItem(ctx, ref, w)
	if !errors.Is(err, engine.ErrConflict) {
		return err
	}
	item, err := i.ReadItem(ctx, ref)
	if err != nil {
		return err
	}
	w.Version = item.Version
	return i.Items.WriteItem(ctx, ref, w)
}

// misreading takes every refusal of a post for one with this reason.
func misreading(reason thread.Reason) func(engine.Workplace) engine.Workplace {
	return func(w engine.Workplace) engine.Workplace {
		return brokenSlack{Workplace: w, post: func(ctx context.Context, p engine.Posting) (string, error) {
			ts, err := w.Post(ctx, p)
			if e, ok := errors.AsType[*engine.SendError](err); ok && e.Outcome == engine.Refused {
				return "", &engine.SendError{Outcome: e.Outcome, Reason: reason, Err: e.Err}
			}
			return ts, err
		}}
	}
}
