package llm

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// meter counts what models do. Labels come from closed sets: configured models,
// kinds, scopes; never from discussions or people.
type meter struct {
	calls   *prometheus.HistogramVec // seconds by model and outcome
	first   *prometheus.HistogramVec // seconds to the first text by model
	tokens  *prometheus.CounterVec   // by model and kind
	cost    *prometheus.CounterVec   // dollars by model
	standIn *prometheus.CounterVec   // answers by a model other than the one asked for
	budgets *prometheus.GaugeVec     // tokens by scope and what of it
	money   *prometheus.GaugeVec     // dollars by scope and what of it
}

// newMeter registers the metrics; with no registerer they are kept to themselves.
func newMeter(to prometheus.Registerer) (*meter, error) {
	seconds := func(name, help string, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "roundtable_model_" + name, Help: help, Buckets: []float64{.25, .5, 1, 2, 4, 8, 15, 30, 60, 120, 240},
		}, labels)
	}
	count := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "roundtable_model_" + name, Help: help}, labels)
	}
	gauge := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "roundtable_budget_" + name, Help: help}, []string{"scope", "part"})
	}
	m := &meter{
		calls:   seconds("call_seconds", "Time taken by calls to models, by model and outcome.", "model", "outcome"),
		first:   seconds("first_text_seconds", "Time from a request to the first text of its answer.", "model"),
		tokens:  count("tokens_total", "Tokens used, by model and kind.", "model", "kind"),
		cost:    count("cost_dollars_total", "Cost by the configured price table, by model.", "model"),
		standIn: count("stand_ins_total", "Answers by a model other than the one asked for, by the one that answered.", "model"),
		budgets: gauge("tokens", "Budgets in tokens, by scope and part (limit, spent, held), as this replica saw them last."),
		money:   gauge("dollars", "Budgets in dollars, by scope and part (limit, spent, held), as this replica saw them last."),
	}
	if to == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.calls, m.first, m.tokens, m.cost, m.standIn, m.budgets, m.money} {
		if err := to.Register(c); err != nil {
			return nil, fmt.Errorf("register the metrics of models: %w", err)
		}
	}
	return m, nil
}

// call counts one attempt.
func (m *meter) call(model, outcome string, took time.Duration, r Result, cost int64) {
	m.calls.WithLabelValues(model, outcome).Observe(took.Seconds())
	if r.First > 0 {
		m.first.WithLabelValues(model).Observe(r.First.Seconds())
	}
	for kind, n := range map[string]int64{
		"input": r.Usage.Input, "cache_read": r.Usage.CacheRead, "cache_write": r.Usage.CacheWrite5m + r.Usage.CacheWrite1h,
		"output": r.Usage.Output - r.Usage.Reasoning, "reasoning": r.Usage.Reasoning,
	} {
		if n > 0 {
			m.tokens.WithLabelValues(model, kind).Add(float64(n))
		}
	}
	if cost > 0 {
		m.cost.WithLabelValues(model).Add(float64(cost) / million)
	}
}

// standing shows budgets that all discussions share.
func (m *meter) standing(budgets []thread.Budget) {
	for _, b := range budgets {
		if b.Scope == thread.BudgetDiscussion {
			continue
		}
		for part, s := range map[string]thread.Spend{"limit": b.Limit, "spent": b.Spent, "held": b.Held} {
			if part == "limit" && s.IsZero() {
				continue
			}
			m.budgets.WithLabelValues(string(b.Scope), part).Set(float64(s.Tokens))
			m.money.WithLabelValues(string(b.Scope), part).Set(float64(s.Micros) / million)
		}
	}
}
