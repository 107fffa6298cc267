package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// change is what was decided and not committed yet, apart from the state itself
// and from errands that are not stored.
type change struct {
	consumed []string
	lines    [][]byte
	done     int
	alias    string
	park     []string
	parkFor  string
}

// errand is an effect to be performed. stored is false while only this turn
// knows of it.
type errand struct {
	intent Intent
	effect effect
	stored bool
}

func (t *turn) readErrand(in Intent) (errand, error) {
	e, err := t.m.decodeEffect(in.Body)
	if err != nil {
		return errand{}, fmt.Errorf("effect %s: %w", in.Key, err)
	}
	return errand{intent: in, effect: e, stored: true}, nil
}

// feed gives an input to the rules and gathers what they decide.
func (t *turn) feed(ctx context.Context, in input) error {
	before := t.at.place.Thread
	effects, entries, err := t.decide(in)
	if err != nil {
		return err
	}
	t.at = t.m.standing()
	for _, entry := range entries {
		line, err := roundtable.EncodeEntry(t.h.Ref.ID, entry)
		if err != nil {
			return err
		}
		t.change.lines = append(t.change.lines, line)
		t.entries = append(t.entries, entry)
	}
	for _, e := range effects {
		body, err := t.m.encodeEffect(e)
		if err != nil {
			return err
		}
		t.outbox = append(t.outbox, errand{intent: Intent{Key: e.EffectKey(), Body: body}, effect: e})
	}
	if t.at.place.Thread != before {
		t.change.alias = t.at.place.Thread
	}
	t.e.metrics.steps.WithLabelValues(eventName(in.event)).Inc()
	t.log.LogAttrs(ctx, slog.LevelInfo, "step",
		slog.String("input", in.id), slog.String("event", eventName(in.event)), slog.String("state", t.at.state),
		slog.Int("turns", t.at.turns), slog.Int("effects", len(effects)), slog.Int("entries", len(entries)))
	return nil
}

// stepPanic is a panic of the rules.
type stepPanic struct {
	input string
	value any
}

func (p *stepPanic) Error() string {
	// The value may quote a person's text, so only its type is told (I11).
	return fmt.Sprintf("the rules panicked on input %s (%T)", p.input, p.value)
}

// decide calls the rules. A panic is theirs, not ours: it becomes an error.
func (t *turn) decide(in input) (effects []effect, entries []roundtable.Entry, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &stepPanic{input: in.id, value: v}
		}
	}()
	effects, entries = t.m.step(in)
	return effects, entries, nil
}

// pop takes the head off the outbox: it was performed or given up.
func (t *turn) pop() {
	if t.outbox[0].stored {
		t.change.done++
	}
	t.outbox = t.outbox[1:]
	t.attempted, t.attempts = time.Time{}, 0
}

// owes reports whether something happened that only this turn knows of and that
// cannot simply be decided again: a receipt, or an errand the world should see.
func (t *turn) owes() bool {
	if t.change.done > 0 || t.change.alias != "" {
		return true
	}
	for _, e := range t.outbox {
		if !e.stored {
			return true
		}
	}
	return false
}

// gathered reports whether anything was decided that is not committed yet.
func (t *turn) gathered() bool {
	c := &t.change
	return t.owes() || len(c.consumed)+len(c.lines)+len(c.park) > 0
}

// flush commits everything gathered together with c.
func (t *turn) flush(ctx context.Context, c Commit) (Committed, error) {
	if err := t.inTime(); err != nil {
		return Committed{}, err
	}
	body, err := t.fill(&c)
	if err != nil {
		return Committed{}, err
	}
	sent := time.Now()
	r, err := t.e.opt.Store.Commit(ctx, t.h, c)
	if err != nil {
		t.committed = nil // whether it was applied is not known
		return Committed{}, fmt.Errorf("commit discussion %s: %w", t.h.Ref.ID, err)
	}
	t.state = body
	t.change = change{}
	t.h.Tried = "" // the store forgot it, too
	for i := range t.outbox {
		t.outbox[i].stored = true
	}
	t.isCommitted()
	return r, t.accept(r, sent)
}

// fill puts what was gathered into a commit and returns the state's stored form.
func (t *turn) fill(c *Commit) ([]byte, error) {
	body := t.state
	if t.at.state != "" {
		var err error
		if body, err = t.m.encode(); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(body, t.state) {
		c.State = body
	}
	c.Consumed, c.Append, c.Done, c.Alias = t.change.consumed, t.change.lines, t.change.done, t.change.alias
	c.Park, c.ParkReason = t.change.park, t.change.parkFor
	c.Doubt = t.adopting(*c)
	for _, e := range t.outbox {
		if !e.stored {
			c.Enqueue = append(c.Enqueue, e.intent)
		}
	}
	return body, nil
}

// accept takes in the store's reply to a change.
func (t *turn) accept(r Committed, sent time.Time) error {
	t.h.Token, t.h.Until, t.h.Now = r.Token, r.Until, r.Now
	t.stamp(sent)
	return t.sortMail(r.Mail)
}

// renew extends the lease and looks for mail. Trouble with the store is not the
// end while the lease still holds.
func (t *turn) renew(ctx context.Context) error {
	if err := t.inTime(); err != nil {
		return err
	}
	sent := time.Now()
	r, err := t.e.opt.Store.Renew(ctx, t.h)
	switch {
	case err == nil:
		return t.accept(r, sent)
	case isFinal(err), ctx.Err() != nil:
		return fmt.Errorf("renew discussion %s: %w", t.h.Ref.ID, err)
	default:
		t.log.LogAttrs(ctx, slog.LevelWarn, "renew_failed", slog.Any("error", err))
		t.renewAt = time.Now().Add(min(time.Second, time.Until(t.h.Until)))
		return nil
	}
}

// isFinal reports whether an error means that the holding is lost.
func isFinal(err error) bool { return errors.Is(err, ErrFenced) || errors.Is(err, errLate) }
