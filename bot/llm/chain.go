package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// ChainOptions say who is asked, in which order, and who pays. Models and Ledger
// are needed; the zero value of the rest is useful.
type ChainOptions struct {
	// Models are asked in this order: the next one where one does not answer.
	Models []Model
	// Own are the models that personas bring with them, found by name.
	Own []Model
	// Ledger keeps the budgets within Limits. Money is counted by Prices.
	// An analysis takes many times what a discussion does; Analysis is its limit, in
	// place of that of a discussion.
	Ledger   Ledger
	Limits   thread.Limits
	Analysis thread.Spend
	Prices   Prices
	// Retries is how often a model is asked again whose failure may pass, 2 by
	// default; negative: never. Patience is the longest wait that a provider may
	// ask for before that, 10 s by default; beyond, the next model is asked.
	Retries  int
	Patience time.Duration
	// CallLimit is longer than any call may take, 5 min by default: after it, what
	// a replica set aside and never settled counts as spent.
	CallLimit time.Duration

	Logger  *slog.Logger          // nil: discard
	Metrics prometheus.Registerer // nil: kept to themselves

	// Now, Sleep and Chance are the clock, a wait that ends early with an error
	// when the context ends, and a number in [0, 1); nil for the real ones.
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Chance func() float64
}

// Chain asks models in a fallback order, again where a failure may pass, within
// budgets. It implements Asker.
type Chain struct {
	opt    ChainOptions
	log    *slog.Logger
	meter  *meter
	scales scales

	mu sync.Mutex
	// resting are models that failed, until when they are passed over.
	resting map[string]time.Time
}

var _ Asker = (*Chain)(nil)

// NewChain checks the options. With a limit in money every model needs a price.
func NewChain(o ChainOptions) (*Chain, error) {
	if len(o.Models) == 0 || o.Ledger == nil {
		return nil, errors.New("new chain: a model and a ledger are needed")
	}
	if o.Retries == 0 {
		o.Retries = 2
	}
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	if o.CallLimit == 0 {
		o.CallLimit = 5 * time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Chance == nil {
		o.Chance = rand.Float64
	}
	if err := priced(o); err != nil {
		return nil, fmt.Errorf("new chain: %w", err)
	}
	m, err := newMeter(o.Metrics)
	if err != nil {
		return nil, fmt.Errorf("new chain: %w", err)
	}
	return &Chain{opt: o, log: o.Logger, meter: m, resting: map[string]time.Time{}}, nil
}

// priced reports models that a budget in money cannot be kept for.
func priced(o ChainOptions) error {
	if o.Limits.Discussion.Micros == 0 && o.Analysis.Micros == 0 && o.Limits.Day.Micros == 0 && o.Limits.Deployment.Micros == 0 {
		return nil
	}
	var missing []error
	for _, models := range [][]Model{o.Models, o.Own} {
		for _, m := range models {
			if _, ok := o.Prices.At(m.Name(), o.Now()); !ok {
				missing = append(missing, fmt.Errorf("a budget in money needs a price for %s", m.Name()))
			}
		}
	}
	return errors.Join(missing...)
}

// Budgets returns the budgets that all discussions share, as they stand.
func (c *Chain) Budgets(ctx context.Context) ([]thread.Budget, error) {
	budgets, err := c.opt.Ledger.Budgets(ctx, thread.Charge{At: c.opt.Now(), Limits: c.opt.Limits})
	if err != nil {
		return nil, fmt.Errorf("read the budgets: %w", err)
	}
	c.meter.standing(budgets)
	return budgets, nil
}

// Ask implements Asker. It goes to the next model where a failure may be the
// model's own, unless something of its answer was acted upon.
func (c *Chain) Ask(ctx context.Context, q Question, sink Sink) (Result, error) {
	order, err := c.order(q.Model)
	if err != nil {
		return Result{}, err
	}
	var total bill
	var failures []*Error
	for _, m := range c.awake(order) {
		engine := ""
		if m != order[0] {
			engine = m.Name()
		}
		result, err := c.persist(ctx, m, q, engine, sink, &total)
		failure, ours := errors.AsType[*Error](err)
		if err == nil && engine != "" {
			c.meter.standIn.WithLabelValues(engine).Inc()
		}
		result.Engine, result.Asked = engine, m.Name()
		if !ours || sink.Taken() || !failure.Kind.Elsewhere() || errors.Is(err, errLedger) {
			return total.fill(result), err
		}
		c.rest(m, failure)
		failures = append(failures, failure)
		total.last = result
	}
	return total.fill(total.last), telling(failures)
}

// bill adds up the attempts at an answer.
type bill struct {
	usage Usage
	spent thread.Spend
	last  Result
}

func (t *bill) fill(r Result) Result {
	r.Usage, r.Spent = t.usage, t.spent
	return r
}

// order is who may answer, the one asked for first.
func (c *Chain) order(own string) ([]Model, error) {
	if own == "" {
		return c.opt.Models, nil
	}
	for _, models := range [][]Model{c.opt.Own, c.opt.Models} {
		for _, m := range models {
			if m.Name() == own {
				order := []Model{m}
				for _, other := range c.opt.Models {
					if other.Name() != own {
						order = append(order, other)
					}
				}
				return order, nil
			}
		}
	}
	return nil, &Error{Kind: Config, Model: own, Detail: "not configured"}
}

// How long a model is passed over once it was given up. A model that a provider
// does not know will not be known in a minute.
const (
	leastRest   = 10 * time.Second
	unknownRest = 5 * time.Minute
)

// awake leaves out models that failed a moment ago, unless nobody is left.
func (c *Chain) awake(order []Model) []Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.opt.Now()
	var up []Model
	for _, m := range order {
		if !now.Before(c.resting[m.Name()]) {
			up = append(up, m)
		}
	}
	if len(up) == 0 {
		return order
	}
	return up
}

// rest passes a model over for a while. A refusal or a bad answer says nothing
// about the next one.
func (c *Chain) rest(m Model, e *Error) {
	d := max(e.After, leastRest)
	switch e.Kind {
	case Unknown:
		d = max(d, unknownRest)
	case RateLimited, Overloaded, Transient:
	case Refused, Truncated, Malformed, Auth, Config, OverBudget, Cancelled:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.resting[m.Name()] = c.opt.Now().Add(d)
}

// telling chooses, of several models' failures, the one that says most about what
// can be done: one that passes, then one of this question, then one of the
// configuration.
func telling(failures []*Error) *Error {
	for _, kinds := range [][]Kind{{RateLimited, Overloaded, Transient}, {Refused}, {Truncated, Malformed}} {
		for _, e := range failures {
			for _, k := range kinds {
				if e.Kind == k {
					return e
				}
			}
		}
	}
	return failures[0]
}

// sleep waits for real.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
