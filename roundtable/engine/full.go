package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// fullBoxes remembers the discussions whose mailbox took no more. Slack delivers
// what was refused a few times and then gives up; the thread still has it, and is
// read again once Slack has (I1).
type fullBoxes struct {
	mu    sync.Mutex
	again map[Ref]time.Time // when the thread is to be read
}

// How long after a refusal Slack has given up (it repeats at once, after a minute
// and after five), how often that is looked for, and how many are remembered.
const (
	fullRetry = 6 * time.Minute
	fullEvery = 30 * time.Second
	fullKept  = 1024
)

// note remembers that a mailbox was full just now. Beyond fullKept nothing is
// remembered that the next reading of all threads would not find.
func (f *fullBoxes) note(ref Ref) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.again == nil {
		f.again = make(map[Ref]time.Time)
	}
	if _, known := f.again[ref]; known || len(f.again) < fullKept {
		f.again[ref] = time.Now().Add(fullRetry)
	}
}

// due takes out those whose time has come.
func (f *fullBoxes) due() []Ref {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	var refs []Ref
	for ref, at := range f.again {
		if !now.Before(at) {
			refs = append(refs, ref)
			delete(f.again, ref)
		}
	}
	return refs
}

// recoverFull reads the threads of discussions that refused mail, one after the
// other at the pace of Options.RecoverEvery. Receive notes those that refuse again.
func (e *Engine) recoverFull(ctx context.Context) {
	for _, ref := range e.full.due() {
		m, _, err := e.read(ctx, ref)
		found := 0
		if err == nil {
			found, err = e.recoverThread(ctx, ref, m.standing())
		}
		switch {
		case errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			e.full.note(ref)
			e.log.LogAttrs(ctx, slog.LevelWarn, "thread_not_recovered", slog.String("discussion", ref.ID), slog.Any("error", err))
		default:
			e.log.LogAttrs(ctx, slog.LevelInfo, "recovered_after_full", slog.String("discussion", ref.ID), slog.Int("inputs", found))
		}
		if !e.breathe(ctx, e.opt.RecoverEvery) {
			return
		}
	}
}
