package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// letter is an input that waits, decoded; err is set if it cannot be.
type letter struct {
	id  string
	in  input
	err error
}

// sortMail makes the waiting mail what the store says it is, in the order in
// which it happened. What was taken in but not committed yet is left out.
func (t *turn) sortMail(mail []Mail) error {
	known := make(map[string]letter, len(t.mail))
	for _, l := range t.mail {
		known[l.id] = l
	}
	letters := make([]letter, 0, len(mail))
	for _, m := range mail {
		if slices.Contains(t.change.consumed, m.ID) || slices.Contains(t.change.park, m.ID) {
			continue
		}
		l, ok := known[m.ID]
		if !ok {
			in, err := t.m.decodeInput(m.Body)
			if errors.Is(err, roundtable.ErrNewer) {
				return err
			}
			in.id = m.ID
			l = letter{id: m.ID, in: in, err: err}
		}
		letters = append(letters, l)
	}
	slices.SortFunc(letters, func(a, b letter) int {
		return cmp.Or(opensFirst(a, b), a.in.at.Compare(b.in.at), cmp.Compare(a.id, b.id))
	})
	t.mail = letters
	return nil
}

// opensFirst puts the input that opens a matter before whatever was said in
// it, though its time may be later: it is noted when the request was understood.
func opensFirst(a, b letter) int {
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

// takeIn gives everything that waits to the rules, in order, and then lets time
// pass as far as it is due. Mail goes before time: who wrote before anybody
// looked was not silent.
func (t *turn) takeIn(ctx context.Context) error {
	for len(t.mail) > 0 && !t.heldBack(t.mail[0]) {
		take := t.open
		if t.careful {
			take = t.openAlone
		}
		if err := take(ctx, t.mail[0]); err != nil {
			return err
		}
	}
	return t.wake(ctx)
}

// open takes in one letter. What cannot be read or makes the rules panic is put
// aside with a reason (I1): nothing else of the discussion has to wait for it.
func (t *turn) open(ctx context.Context, l letter) error {
	t.mail = t.mail[1:]
	if l.err != nil {
		return t.park(ctx, l, "unreadable", l.err)
	}
	err := t.feed(ctx, l.in)
	if p, ok := errors.AsType[*stepPanic](err); ok {
		return t.park(ctx, l, "panic", p)
	}
	if err == nil {
		t.change.consumed = append(t.change.consumed, l.id)
	}
	return err
}

// wake lets time pass if it is due. The input's id follows from what is due, where the
// discussion stands and how many turns it has, so that the same wake-up has the same id
// after a crash (I9), and another never: a failure, or two messages of one instant that
// are taken in at different times, make the same time due twice. Turns can be heard
// again in Slack after the store forgot them; other entries of the log, as marks, are
// lost.
func (t *turn) wake(ctx context.Context) error {
	for {
		due := t.at.wakeAt
		if due.IsZero() || t.now().Before(due) || due.Equal(t.woken) {
			return nil
		}
		t.woken = due
		id := fmt.Sprintf("w:%s/%s/%d", due.UTC().Format(time.RFC3339Nano), t.at.state, t.at.turns)
		in := input{id: id, at: t.now(), event: roundtable.Woken{}}
		if err := t.feed(ctx, in); err != nil {
			return err
		}
	}
}

// failure is the input that says that an effect was given up.
func (t *turn) failure(key string, reason roundtable.Reason) input {
	return input{id: key + "/failed", at: t.now(), event: roundtable.Failed{Effect: key, Reason: reason}}
}

// giveUp takes the head off the outbox unperformed and tells the rules why.
func (t *turn) giveUp(ctx context.Context, reason roundtable.Reason) error {
	failed := roundtable.Failed{Effect: t.outbox[0].intent.Key, Reason: reason}
	if p, ok := t.outbox[0].effect.(roundtable.Post); ok {
		failed.Kind = p.Message.Kind
	}
	t.pop()
	return t.feed(ctx, input{id: failed.Effect + "/failed", at: t.now(), event: failed})
}

func (t *turn) giveUpReason(e effect) roundtable.Reason {
	if _, ok := t.m.writing(e); ok {
		return roundtable.ReasonArtifactRefused
	}
	return roundtable.ReasonMessageRefused
}
