package engine

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/forgetting"
)

// metrics are what the engine counts. Labels come from closed sets: never from
// people, channels or texts.
type metrics struct {
	received *prometheus.CounterVec   // deliveries by reception
	steps    *prometheus.CounterVec   // inputs taken in, by event
	effects  *prometheus.HistogramVec // seconds by effect and outcome
	turns    *prometheus.CounterVec   // holdings by how they ended
	parked   prometheus.Counter       // inputs put aside (I1)
	doubles  prometheus.Counter       // doubles removed from Slack (I3)
	// recovered counts inputs that Slack's events never brought.
	recovered prometheus.Counter
	held      prometheus.Gauge   // discussions held now
	putOff    prometheus.Counter // questions put later because there were too many
	// left is how many discussions are left to a newer version.
	left prometheus.GaugeFunc
}

// newMetrics registers the engine's metrics; with no registerer they are kept to
// themselves.
func newMetrics(to prometheus.Registerer, left *versionSkew) (*metrics, error) {
	counters := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "roundtable_" + name, Help: help}, []string{label})
	}
	m := &metrics{
		received: counters("deliveries_total", "Inputs received from Slack, by what became of them.", "reception"),
		steps:    counters("steps_total", "Inputs taken in by discussions, by event.", "event"),
		effects: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "roundtable_effect_seconds", Help: "Time taken by effects, by effect and outcome.",
			Buckets: []float64{.01, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
		}, []string{"effect", "outcome"}),
		turns:     counters("holdings_total", "Claims of discussions, by how they ended.", "end"),
		parked:    prometheus.NewCounter(prometheus.CounterOpts{Name: "roundtable_parked_total", Help: "Inputs put aside because they could not be taken in."}),
		doubles:   prometheus.NewCounter(prometheus.CounterOpts{Name: "roundtable_doubles_total", Help: "Double posts removed from Slack."}),
		recovered: prometheus.NewCounter(prometheus.CounterOpts{Name: "roundtable_recovered_total", Help: "Inputs found in threads that no event had brought."}),
		held:      prometheus.NewGauge(prometheus.GaugeOpts{Name: "roundtable_held", Help: "Discussions held by this replica."}),
		putOff:    prometheus.NewCounter(prometheus.CounterOpts{Name: "roundtable_asks_put_off_total", Help: "Questions to the panel that were put later because too many were open."}),
		left: prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "roundtable_left_to_newer", Help: "Discussions that this replica leaves to a newer version."},
			func() float64 { return float64(left.count()) }),
	}
	if to == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.received, m.steps, m.effects, m.turns, m.parked, m.doubles, m.recovered, m.held, m.putOff, m.left} {
		if err := to.Register(c); err != nil {
			return nil, fmt.Errorf("register the engine's metrics: %w", err)
		}
	}
	return m, nil
}

// effectDone writes the one line that every effect leaves.
func (l *lease) effectDone(ctx context.Context, e effect, outcome string, start time.Time, err error) {
	took := time.Since(start)
	l.e.metrics.effects.WithLabelValues(effectName(e), outcome).Observe(took.Seconds())
	attrs := []slog.Attr{
		slog.String("effect", effectName(e)), slog.String("key", e.EffectKey()),
		slog.String("outcome", outcome), slog.Duration("took", took),
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	l.log.LogAttrs(ctx, slog.LevelInfo, "effect", attrs...)
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

// noName names what is none of a machine's events or effects, and what therefore never
// comes to have an id.
const noName = "unknown"

// eventName names an event in the ids of inputs, in metrics and in log lines.
func eventName(e event) string {
	switch e := e.(type) {
	case roundtable.Event:
		return roundtable.EventName(e)
	case analysis.Event:
		return analysis.EventName(e)
	case forgetting.Event:
		return forgetting.EventName(e)
	default:
		return noName
	}
}

// effectName names an effect in metrics and in log lines.
func effectName(e effect) string {
	switch e := e.(type) {
	case roundtable.Effect:
		return roundtable.EffectName(e)
	case analysis.Effect:
		return analysis.EffectName(e)
	case forgetting.Effect:
		return forgetting.EffectName(e)
	default:
		return noName
	}
}
