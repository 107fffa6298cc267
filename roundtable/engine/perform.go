package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
)

// perform does the effect at the head of the outbox.
func (t *turn) perform(ctx context.Context) error {
	if t.attempted.IsZero() {
		doomed, err := t.announce(ctx, t.outbox[0].intent.Key)
		if doomed {
			err = t.giveUp(ctx, t.giveUpReason(t.outbox[0].effect))
		}
		if doomed || err != nil {
			return err
		}
	}
	switch e := t.outbox[0].effect.(type) {
	case roundtable.Post:
		return t.post(ctx, e)
	case roundtable.Open:
		return t.openAnother(ctx, e)
	case roundtable.Report:
		return t.report(ctx, e)
	case roundtable.Knock:
		return t.knock(ctx, e)
	case roundtable.Analyse:
		return t.analyse(ctx, e)
	case analysis.Welcome:
		return t.welcome(ctx, e)
	case roundtable.Tell:
		return t.courtesy(ctx, e, func(ctx context.Context) error {
			return t.e.opt.Workplace.Tell(ctx, t.place(), e.User, e.Text)
		})
	case roundtable.React:
		return t.courtesy(ctx, e, func(ctx context.Context) error {
			return t.e.opt.Workplace.React(ctx, t.place(), e.TS, e.Emoji)
		})
	default:
		if w, ok := t.m.writing(e); ok {
			return t.write(ctx, e, w)
		}
		return fmt.Errorf("perform %s: %T is nothing to be performed", e.EffectKey(), e)
	}
}

// courtesyTime bounds what may as well not happen.
const courtesyTime = 5 * time.Second

// courtesy performs an effect that may be lost: it is tried once, and its receipt
// goes along with the next commit.
func (t *turn) courtesy(ctx context.Context, e effect, do func(context.Context) error) error {
	start := time.Now()
	ctx, cancel := t.bounded(ctx, start.Add(courtesyTime), errPostTime)
	defer cancel()
	err := do(ctx)
	t.effectDone(ctx, e, outcomeOf(err), start, err)
	t.pop()
	return nil
}

// knock asks whether a person may be disturbed. What Slack does not say keeps nobody
// from being reminded in their working hours.
func (t *turn) knock(ctx context.Context, e roundtable.Knock) error {
	start := time.Now()
	wire, cancel := t.bounded(ctx, start.Add(courtesyTime), errPostTime)
	until, err := t.e.opt.Workplace.QuietUntil(wire, e.User)
	cancel()
	if err != nil {
		until = time.Time{}
	}
	t.effectDone(ctx, e, outcomeOf(err), start, err)
	t.pop()
	return t.feed(ctx, input{id: e.Key + "/knocked", at: t.now(), event: roundtable.Knocked{Effect: e.Key, Until: until}})
}

// openAnother opens a further discussion. Delivering it again is harmless.
func (t *turn) openAnother(ctx context.Context, e roundtable.Open) error {
	start := time.Now()
	body, err := roundtable.EncodeInput(roundtable.Input{ID: e.Key, At: t.now(), Event: e.Opened})
	if err != nil {
		return err
	}
	place := e.Opened.Place
	r, err := t.e.Receive(ctx, Delivery{
		Ref:   Ref{Team: place.Team, Channel: place.Channel, ID: e.Opened.Discussion},
		Mail:  Mail{ID: e.Key, Body: body},
		Opens: true, Thread: place.Thread,
	})
	if err != nil {
		return err
	}
	t.effectDone(ctx, e, string(r), start, nil)
	t.pop()
	return nil
}

// bounded is a context for a request in the holding's name: it ends at the given
// local time, and in any case when the right to act does. Connections enforce it
// at the wire (reliability §1.3).
func (t *turn) bounded(ctx context.Context, at time.Time, cause error) (context.Context, context.CancelFunc) {
	if t.h.Until.Before(at) {
		at, cause = t.h.Until, errLate
	}
	return context.WithDeadlineCause(ctx, at, cause)
}

// effectDone writes the one line that every effect leaves.
func (t *turn) effectDone(ctx context.Context, e effect, outcome string, start time.Time, err error) {
	took := time.Since(start)
	t.e.metrics.effects.WithLabelValues(effectName(e), outcome).Observe(took.Seconds())
	attrs := []slog.Attr{
		slog.String("effect", effectName(e)), slog.String("key", e.EffectKey()),
		slog.String("outcome", outcome), slog.Duration("took", took),
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	t.log.LogAttrs(ctx, slog.LevelInfo, "effect", attrs...)
}

// outcomeDone is the outcome of what went well.
const outcomeDone = "done"

// outcomeOf names what became of a request to Slack. An error that does not say
// is in doubt, which is always the safe reading.
func outcomeOf(err error) string {
	if err == nil {
		return outcomeDone
	}
	return string(sendError(err).Outcome)
}

func sendError(err error) *SendError {
	if s, ok := errors.AsType[*SendError](err); ok {
		return s
	}
	return &SendError{Outcome: InDoubt, Err: err}
}

func eventName(e event) string   { return bareName(e) }
func effectName(e effect) string { return bareName(e) }

// bareName is a type's name without its package, in lower case.
func bareName(v any) string {
	name := fmt.Sprintf("%T", v)
	return strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
}
