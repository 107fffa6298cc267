package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// rereads remembers the discussions whose thread may hold what their mailbox
// does not: the mailbox took no more, or the thread could not be read when something
// was missed. Slack delivers what was refused a few times and then gives up; the thread
// still has it, and is read again once Slack has (I1).
type rereads struct {
	mu    sync.Mutex
	again map[Ref]time.Time // when the thread is to be read
}

// How long after a refusal Slack has given up (it repeats at once, after a minute
// and after five), how often that is looked for, and how many are remembered.
const (
	rereadAfter = 6 * time.Minute
	rereadEvery = 30 * time.Second
	rereadsKept = 1024
)

// note remembers that a thread is to be read again. Beyond rereadsKept nothing is
// remembered that the next reading of all threads would not find.
func (r *rereads) note(ref Ref) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.again == nil {
		r.again = make(map[Ref]time.Time)
	}
	if _, known := r.again[ref]; known || len(r.again) < rereadsKept {
		r.again[ref] = time.Now().Add(rereadAfter)
	}
}

// due takes out those whose time has come.
func (r *rereads) due() []Ref {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	var refs []Ref
	for ref, at := range r.again {
		if !now.Before(at) {
			refs = append(refs, ref)
			delete(r.again, ref)
		}
	}
	return refs
}

// recoverLater reads the threads that are due, one after the other at the pace of
// Options.RecoverEvery, until each was read or Slack refuses for good. Receive notes
// those whose mailbox is full again.
func (e *Engine) recoverLater(ctx context.Context) {
	for _, ref := range e.rereads.due() {
		m, _, err := e.read(ctx, ref)
		found := 0
		if err == nil {
			found, err = e.recoverThread(ctx, ref, m.standing())
		}
		switch {
		case errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			e.log.LogAttrs(ctx, slog.LevelWarn, "thread_not_recovered", slog.String("discussion", ref.ID), slog.Any("error", err))
			if sendError(err).Outcome != Refused {
				e.rereads.note(ref)
			}
		default:
			e.log.LogAttrs(ctx, slog.LevelInfo, "recovered_later", slog.String("discussion", ref.ID), slog.Int("inputs", found))
		}
		if !e.breathe(ctx, e.opt.RecoverEvery) {
			return
		}
	}
}
