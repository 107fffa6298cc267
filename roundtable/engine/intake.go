package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// pendingInput is an input that waits, decoded; err is set if it cannot be.
type pendingInput struct {
	id  string
	in  input
	err error
}

// sortMail makes the waiting mail what the store says it is, in the order in
// which it happened. What was taken in but not committed yet is left out.
func (w *workingCopy) sortMail(mail []Mail) error {
	known := make(map[string]pendingInput, len(w.mail))
	for _, pending := range w.mail {
		known[pending.id] = pending
	}
	inputs := make([]pendingInput, 0, len(mail))
	for _, m := range mail {
		if slices.Contains(w.change.consumed, m.ID) || slices.Contains(w.change.park, m.ID) {
			continue
		}
		pending, ok := known[m.ID]
		if !ok {
			in, err := w.m.decodeInput(m.Body)
			if errors.Is(err, thread.ErrNewer) {
				return err
			}
			in.id = m.ID
			pending = pendingInput{id: m.ID, in: in, err: err}
		}
		inputs = append(inputs, pending)
	}
	slices.SortFunc(inputs, func(a, b pendingInput) int {
		return cmp.Or(opensFirst(a, b), a.in.at.Compare(b.in.at), cmp.Compare(a.id, b.id))
	})
	w.mail = inputs
	return nil
}

// opensFirst puts the input that opens a matter before whatever was said in
// it, though its time may be later: it is noted when the request was understood.
func opensFirst(a, b pendingInput) int {
	x, y := opens(a.in), opens(b.in)
	switch {
	case x == y:
		return 0
	case x:
		return -1
	default:
		return 1
	}
}

// intake gives what waits to the rules. An input that cannot be taken in moves to the
// dead letters with a reason.
type intake struct {
	e    *Engine
	copy *workingCopy
}

// takeIn gives everything that waits to the rules, in order, and then lets time
// pass as far as it is due. Mail goes before time: a person who wrote before a replica
// looked was not silent.
func (i *intake) takeIn(ctx context.Context) error {
	for len(i.copy.mail) > 0 && !i.copy.heldBack(i.copy.mail[0]) {
		take := i.take
		if i.copy.careful {
			take = i.takeAlone
		}
		if err := take(ctx, i.copy.mail[0]); err != nil {
			return err
		}
	}
	return i.wake(ctx)
}

// wake lets time pass if it is due. The input's id follows from what is due, where the
// discussion stands and how many turns it has, so that the same wake-up has the same id
// after a crash (I9), and another never: a failure, or two messages of one instant that
// are taken in at different times, make the same time due twice. Turns can be heard
// again in Slack after the store forgot them; other entries of the log, as marks, are
// lost.
func (i *intake) wake(ctx context.Context) error {
	for {
		due := i.copy.at.wakeAt
		if due.IsZero() || i.copy.now().Before(due) || due.Equal(i.copy.woken) {
			return nil
		}
		i.copy.woken = due
		id := fmt.Sprintf("w:%s/%s/%d", due.UTC().Format(time.RFC3339Nano), i.copy.at.state, i.copy.at.turns)
		in := input{id: id, at: i.copy.now(), event: roundtable.TimerFired{}}
		if err := i.copy.feed(ctx, in); err != nil {
			return err
		}
	}
}

// take takes in one input. An input that cannot be read or makes the rules panic moves to
// the dead letters with a reason (I1): nothing else of the discussion has to wait for it.
func (i *intake) take(ctx context.Context, pending pendingInput) error {
	i.copy.mail = i.copy.mail[1:]
	if pending.err != nil {
		return i.park(ctx, pending, "unreadable", pending.err)
	}
	err := i.copy.feed(ctx, pending.in)
	if p, ok := errors.AsType[*stepPanic](err); ok {
		return i.park(ctx, pending, "panic", p)
	}
	if err == nil {
		i.copy.change.consumed = append(i.copy.change.consumed, pending.id)
	}
	return err
}

// takeAlone takes in one input in a commit of its own, after it was announced, so that
// the input that kills, or that makes the state too large to be stored, is known.
func (i *intake) takeAlone(ctx context.Context, pending pendingInput) error {
	if err := i.copy.commitAlone(ctx); err != nil || len(i.copy.mail) == 0 || i.copy.mail[0].id != pending.id {
		return err // or the commit brought older mail
	}
	doomed := false
	if !i.survived(pending) {
		var err error
		if doomed, err = i.copy.announce(ctx, pending.id); err != nil || len(i.copy.mail) == 0 || i.copy.mail[0].id != pending.id {
			return err
		}
	}
	if doomed {
		i.copy.mail = i.copy.mail[1:]
		if err := i.park(ctx, pending, "crashed", nil); err != nil {
			return err
		}
		return i.copy.commitAlone(ctx)
	}
	if err := i.take(ctx, pending); err != nil {
		return err
	}
	err := i.copy.commitAlone(ctx)
	if !errors.Is(err, ErrTooLarge) {
		return err
	}
	if err := i.copy.undo(); err != nil {
		return err
	}
	if err := i.park(ctx, pending, "too_large", err); err != nil {
		return err
	}
	return i.copy.commitAlone(ctx)
}

// survived reports whether a former holder had taken in this input and gone on to
// a later one, before it ended without a commit.
func (i *intake) survived(pending pendingInput) bool {
	return pending.id != i.copy.claim.Tried && slices.ContainsFunc(i.copy.mail, func(m pendingInput) bool { return m.id == i.copy.claim.Tried })
}

// park moves an input to the dead letters.
func (i *intake) park(ctx context.Context, pending pendingInput, reason string, cause error) error {
	if len(i.copy.change.park) > 0 && i.copy.change.parkFor != reason {
		if _, err := i.copy.flush(ctx, Commit{}); err != nil {
			return err
		}
	}
	i.copy.change.park = append(i.copy.change.park, pending.id)
	i.copy.change.parkFor = reason
	i.e.metrics.parked.Inc()
	i.copy.log.LogAttrs(ctx, slog.LevelError, "input_parked", slog.String("input", pending.id), slog.String("reason", reason), slog.Any("error", cause))
	if len(i.copy.change.park) > 1 {
		return nil // the room is told once
	}
	err := i.copy.feed(ctx, input{id: pending.id + "/parked", at: i.copy.now(), event: roundtable.Parked{}})
	if p, ok := errors.AsType[*stepPanic](err); ok {
		i.copy.log.LogAttrs(ctx, slog.LevelError, "parking_not_told", slog.String("input", pending.id), slog.Any("error", p))
		return nil
	}
	return err
}

// putAside removes what the store refused again and again for its size: the oldest
// input (all before it were committed one by one), else the head of the outbox,
// else the question to the panel.
func (i *intake) putAside(ctx context.Context) error {
	asked := i.copy.m.asking()
	var err error
	switch {
	case len(i.copy.mail) > 0:
		pending := i.copy.mail[0]
		i.copy.mail = i.copy.mail[1:]
		err = i.park(ctx, pending, "too_large", nil)
	case len(i.copy.outbox) > 0:
		err = i.copy.giveUp(ctx, i.copy.giveUpReason(i.copy.outbox[0].effect))
	case asked != nil:
		err = i.copy.feed(ctx, i.copy.failure(asked.EffectKey(), thread.ReasonTooLarge))
	}
	if err != nil {
		return err
	}
	_, err = i.copy.flush(ctx, Commit{})
	return err
}
