package llm

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"time"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// Waits between attempts at one model: the first, and the longest.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 8 * time.Second
	// settleTime bounds the settling of an attempt, which is due even when the
	// attempt was given up.
	settleTime = 5 * time.Second
)

// persist asks one model until it answers or gives no reason to hope.
func (c *Chain) persist(ctx context.Context, m Model, q Question, engine string, sink Sink, total *bill) (Result, error) {
	for attempt := 0; ; attempt++ {
		sink.Begin(engine)
		result, err := c.attempt(ctx, m, q, sink, total)
		e, ours := errors.AsType[*Error](err)
		if !ours {
			return result, err
		}
		c.report(ctx, e, attempt)
		if sink.Taken() || !e.Kind.passes() || attempt >= c.opt.Retries || e.After > c.opt.Patience || errors.Is(e, errLedger) {
			return result, err
		}
		if err := c.opt.Sleep(ctx, max(e.After, c.wait(attempt))); err != nil {
			return result, &Error{Kind: Cancelled, Model: m.Name(), Err: err}
		}
	}
}

// wait is half fixed and half chance, so that replicas do not return together.
func (c *Chain) wait(attempt int) time.Duration {
	d := min(firstWait<<attempt, longestWait)
	return d/2 + time.Duration(c.opt.Chance()*float64(d/2))
}

// report logs a failure: for the operator where nobody else can help.
func (c *Chain) report(ctx context.Context, e *Error, attempt int) {
	level := slog.LevelWarn
	switch e.Kind {
	case Auth, Config, Unknown:
		level = slog.LevelError
	case Cancelled:
		level = slog.LevelDebug
	case RateLimited, Overloaded, Transient, Refused, Truncated, Malformed, OverBudget:
	}
	if e.After >= Exhausted { // our credit is used up, or as good as that
		level = slog.LevelError
	}
	c.log.LogAttrs(ctx, level, "model_failed",
		slog.String("model", e.Model), slog.String("kind", string(e.Kind)), slog.Int("status", e.Status),
		slog.String("detail", e.Detail), slog.String("request", e.RequestID), slog.Duration("after", e.After),
		slog.Int("attempt", attempt+1), slog.Any("error", e))
}

// attempt asks one model once: it sets aside the most that the answer can cost,
// and charges what it did cost, whatever came of it.
func (c *Chain) attempt(ctx context.Context, m Model, q Question, sink Sink, total *bill) (Result, error) {
	prompt := length(q.Request)
	price, _ := c.opt.Prices.At(m.Name(), c.opt.Now())
	charge := c.charge(m, q, price, prompt)
	over, err := c.opt.Ledger.Reserve(ctx, charge)
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{}, &Error{Kind: Cancelled, Model: m.Name(), Err: context.Cause(ctx)}
	case err != nil:
		return Result{}, &Error{Kind: Transient, Model: m.Name(), Detail: "ledger", Err: errors.Join(errLedger, err)}
	case over != nil:
		if over.Scope == thread.BudgetDiscussion {
			total.spent = over.Spent
		}
		return Result{}, &Error{Kind: OverBudget, Model: m.Name(), Detail: string(over.Scope), Budget: over}
	}
	start, heard := c.opt.Now(), 0
	result, err := m.Stream(ctx, q.Request, func(s string) error {
		heard += utf8.RuneCountInString(s)
		return sink.Text(s)
	})
	if err == nil && result.Usage.Prompt() > 0 {
		c.scales.learn(m.Name(), prompt, result.Usage.Prompt())
	}
	result.Usage = c.used(m.Name(), result, prompt, heard, err == nil)
	total.usage = total.usage.Add(result.Usage)
	used := thread.Spend{Tokens: result.Usage.Total(), Micros: price.Cost(result.Usage)}
	c.meter.call(m.Name(), outcome(err), c.opt.Now().Sub(start), result, used.Micros)
	c.settle(ctx, charge, used, total)
	c.log.LogAttrs(ctx, slog.LevelDebug, "model_asked",
		slog.String("model", m.Name()), slog.String("outcome", outcome(err)), slog.String("request", result.RequestID),
		slog.Duration("first", result.First), slog.Int64("input", result.Usage.Input), slog.Int64("cache_read", result.Usage.CacheRead),
		slog.Int64("cache_write", result.Usage.CacheWrite5m+result.Usage.CacheWrite1h), slog.Int64("output", result.Usage.Output),
		slog.Int64("reasoning", result.Usage.Reasoning), slog.Bool("estimated", result.Usage.Estimated))
	return result, err
}

// charge is the most that a call can cost.
func (c *Chain) charge(m Model, q Question, price Price, prompt int) thread.Charge {
	in, out := c.scales.tokens(m.Name(), prompt), int64(q.Request.MaxTokens)
	limits := c.opt.Limits
	if q.Analysis {
		limits.Discussion = c.opt.Analysis
	}
	return thread.Charge{
		ID: rand.Text(), Discussion: q.Discussion, At: c.opt.Now(), For: c.opt.CallLimit, Limits: limits,
		Hold: thread.Spend{Tokens: in + out, Micros: price.most(in, out)},
	}
}

// settle charges what was used, also when nobody waits for the answer any more.
// If that fails, the hold is charged in its time.
func (c *Chain) settle(ctx context.Context, charge thread.Charge, used thread.Spend, total *bill) {
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	budgets, err := c.opt.Ledger.Settle(settling, charge, used)
	if err != nil {
		c.log.LogAttrs(ctx, slog.LevelWarn, "charge_not_settled", slog.Any("error", err))
		return
	}
	for _, b := range budgets {
		if b.Scope == thread.BudgetDiscussion {
			total.spent = b.Spent
		}
	}
	c.meter.standing(budgets)
}

// used completes what a provider counted by what was sent and heard. A request
// that never left, or was turned away, cost nothing.
func (c *Chain) used(model string, r Result, prompt, heard int, complete bool) Usage {
	u := r.Usage.sane()
	if !r.Sent && u.Total() == 0 {
		return u
	}
	if u.Prompt() == 0 {
		u.Input, u.Estimated = c.scales.tokens(model, prompt), true
	}
	if out := c.scales.tokens(model, heard); u.Output == 0 || !complete && out > u.Output {
		u.Output = out
		u.Estimated = u.Estimated || out > 0
	}
	return u
}

// outcome names how a call ended, for the metrics.
func outcome(err error) string {
	if err == nil {
		return "done"
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return string(e.Kind)
	}
	return "stopped" // by whoever read
}
