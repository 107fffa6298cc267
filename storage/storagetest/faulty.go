package storagetest

import (
	"context"
	"errors"
	"sync"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// ErrCrashed is what a process that crashed gets from its store.
var ErrCrashed = errors.New("the process crashed here")

// Call is one call of a store. N counts all calls of one Faulty from 1.
type Call struct {
	N      int
	Method string // "Deliver", "Commit", …
}

// Faulty is a store with somebody in the line. It numbers the calls and asks
// Before whether a call may be performed and After whether its reply arrives; an
// error from either is what the caller gets. Both may be nil, and may be called by
// several goroutines at once.
//
// A crash sweep runs a scenario once to learn Calls, then once for every call with
// CrashBefore and once with CrashAfter, lets everything of the crashed process end,
// starts it anew on the inner store, and checks the invariants.
type Faulty struct {
	Store  Store
	Before func(Call) error
	After  func(Call) error

	mu    sync.Mutex
	calls []Call
}

var _ Store = (*Faulty)(nil)

// CrashBefore returns a store whose process dies before call n is performed: that
// call and all later ones fail with ErrCrashed and do nothing.
func CrashBefore(inner Store, n int) *Faulty {
	return &Faulty{Store: inner, Before: from(n)}
}

// CrashAfter returns a store whose process dies when call n was performed: its
// reply is lost, and all later calls fail with ErrCrashed and do nothing.
func CrashAfter(inner Store, n int) *Faulty {
	return &Faulty{Store: inner, Before: from(n + 1), After: from(n)}
}

func from(n int) func(Call) error {
	return func(c Call) error {
		if c.N >= n {
			return ErrCrashed
		}
		return nil
	}
}

// Calls returns the calls so far, failed ones included.
func (f *Faulty) Calls() []Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Call(nil), f.calls...)
}

// through performs a call between the hooks.
func (f *Faulty) through(method string, perform func() error) error {
	f.mu.Lock()
	c := Call{N: len(f.calls) + 1, Method: method}
	f.calls = append(f.calls, c)
	f.mu.Unlock()
	if f.Before != nil {
		if err := f.Before(c); err != nil {
			return err
		}
	}
	err := perform()
	if f.After != nil {
		if lost := f.After(c); lost != nil {
			return lost
		}
	}
	return err
}

// lossy performs a call that returns a value; with an error there is none.
func lossy[T any](f *Faulty, method string, perform func() (T, error)) (T, error) {
	var out T
	err := f.through(method, func() (err error) {
		out, err = perform()
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return out, nil
}

// Deliver is call "Deliver".
func (f *Faulty) Deliver(ctx context.Context, d engine.Delivery) (engine.Reception, *engine.Holding, bool, error) {
	type received struct {
		r    engine.Reception
		h    *engine.Holding
		busy bool
	}
	out, err := lossy(f, "Deliver", func() (out received, err error) {
		out.r, out.h, out.busy, err = f.Store.Deliver(ctx, d)
		return out, err
	})
	return out.r, out.h, out.busy, err
}

// Claim is call "Claim".
func (f *Faulty) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Holding, error) {
	return lossy(f, "Claim", func() (*engine.Holding, error) { return f.Store.Claim(ctx, ref, by) })
}

// Commit is call "Commit".
func (f *Faulty) Commit(ctx context.Context, h *engine.Holding, c engine.Commit) (engine.Committed, error) {
	return lossy(f, "Commit", func() (engine.Committed, error) { return f.Store.Commit(ctx, h, c) })
}

// Renew is call "Renew".
func (f *Faulty) Renew(ctx context.Context, h *engine.Holding) (engine.Committed, error) {
	return lossy(f, "Renew", func() (engine.Committed, error) { return f.Store.Renew(ctx, h) })
}

// Try is call "Try".
func (f *Faulty) Try(ctx context.Context, h *engine.Holding, what string) (engine.Committed, error) {
	return lossy(f, "Try", func() (engine.Committed, error) { return f.Store.Try(ctx, h, what) })
}

// Due is call "Due".
func (f *Faulty) Due(ctx context.Context, limit int) ([]engine.Ref, error) {
	return lossy(f, "Due", func() ([]engine.Ref, error) { return f.Store.Due(ctx, limit) })
}

// FindThread is call "FindThread".
func (f *Faulty) FindThread(ctx context.Context, team, channel, thread string) (engine.Ref, bool, error) {
	var ref engine.Ref
	ok, err := lossy(f, "FindThread", func() (ok bool, err error) {
		ref, ok, err = f.Store.FindThread(ctx, team, channel, thread)
		return ok, err
	})
	if !ok {
		ref = engine.Ref{}
	}
	return ref, ok, err
}

// ListOpen is call "ListOpen".
func (f *Faulty) ListOpen(ctx context.Context, limit int) ([]engine.Listed, error) {
	return lossy(f, "ListOpen", func() ([]engine.Listed, error) { return f.Store.ListOpen(ctx, limit) })
}

// List is call "List".
func (f *Faulty) List(ctx context.Context, team, channel string, limit int) ([]engine.Listed, error) {
	return lossy(f, "List", func() ([]engine.Listed, error) { return f.Store.List(ctx, team, channel, limit) })
}

// Read is call "Read".
func (f *Faulty) Read(ctx context.Context, ref engine.Ref) ([]byte, [][]byte, error) {
	var state []byte
	log, err := lossy(f, "Read", func() (log [][]byte, err error) {
		state, log, err = f.Store.Read(ctx, ref)
		return log, err
	})
	if err != nil {
		return nil, nil, err
	}
	return state, log, nil
}

// Log is call "Log".
func (f *Faulty) Log(ctx context.Context, ref engine.Ref, from int) ([][]byte, error) {
	return lossy(f, "Log", func() ([][]byte, error) { return f.Store.Log(ctx, ref, from) })
}

// DeadLetters is call "DeadLetters".
func (f *Faulty) DeadLetters(ctx context.Context, limit int) ([]engine.DeadLetter, error) {
	return lossy(f, "DeadLetters", func() ([]engine.DeadLetter, error) { return f.Store.DeadLetters(ctx, limit) })
}

// Replay is call "Replay".
func (f *Faulty) Replay(ctx context.Context, letter string) error {
	return f.through("Replay", func() error { return f.Store.Replay(ctx, letter) })
}

// Ping is call "Ping".
func (f *Faulty) Ping(ctx context.Context) error {
	return f.through("Ping", func() error { return f.Store.Ping(ctx) })
}

// ReadItem is call "ReadItem".
func (f *Faulty) ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error) {
	return lossy(f, "ReadItem", func() (engine.Item, error) { return f.Store.ReadItem(ctx, ref) })
}

// WriteItem is call "WriteItem".
func (f *Faulty) WriteItem(ctx context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	return f.through("WriteItem", func() error { return f.Store.WriteItem(ctx, ref, w) })
}

// ListItems is call "ListItems".
func (f *Faulty) ListItems(ctx context.Context, team, channel string) ([]string, error) {
	return lossy(f, "ListItems", func() ([]string, error) { return f.Store.ListItems(ctx, team, channel) })
}
