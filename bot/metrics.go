package bot

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/slack-go/slack/socketmode"
)

// metrics are what the edge counts. Labels come from closed sets.
type metrics struct {
	envelopes   *prometheus.CounterVec   // by type and what became of them: each once
	acks        *prometheus.HistogramVec // seconds from arrival to acknowledgement
	connections prometheus.Gauge         // greeted by Slack, now
	registered  prometheus.Gauge         // of the app, as Slack counts them
	renewals    *prometheus.CounterVec   // connections that ended, by cause
	requests    *prometheus.HistogramVec // seconds of Web API writes by outcome
	held        *prometheus.CounterVec   // calls held back, by method of the Web API
	marks       *prometheus.CounterVec   // reactions that mark, by how it was found what they mark
}

func newMetrics(to prometheus.Registerer) (*metrics, error) {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "roundtable_slack_" + name, Help: help}, labels)
	}
	seconds := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "roundtable_slack_" + name, Help: help, Buckets: buckets}, labels)
	}
	m := &metrics{
		envelopes:   counters("envelopes_total", "Envelopes from Slack, each once, by type and what became of it.", "type", "end"),
		acks:        seconds("ack_seconds", "Time from arrival to acknowledgement, of what was acknowledged.", []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}, "type"),
		connections: prometheus.NewGauge(prometheus.GaugeOpts{Name: "roundtable_slack_connections", Help: "Socket Mode connections of this process that Slack has greeted."}),
		registered:  prometheus.NewGauge(prometheus.GaugeOpts{Name: "roundtable_slack_connections_registered", Help: "Socket Mode connections of the app as Slack last counted them."}),
		renewals:    counters("connection_ends_total", "Socket Mode connections that ended, by cause.", "cause"),
		requests:    seconds("post_seconds", "Time of posts to Slack, by outcome.", []float64{.05, .1, .25, .5, 1, 2.5, 5, 10}, "outcome"),
		held:        counters("calls_held_back_total", "Calls that did not leave because Slack wants their method left alone (429), by method.", "method"),
		marks:       counters("marks_total", "Reactions that mark, by how it was found whose message they are on.", "found"),
	}
	if to == nil {
		return m, nil
	}
	for _, c := range []prometheus.Collector{m.envelopes, m.acks, m.connections, m.registered, m.renewals, m.requests, m.held, m.marks} {
		if err := to.Register(c); err != nil {
			return nil, fmt.Errorf("register Slack's metrics: %w", err)
		}
	}
	return m, nil
}

// What becomes of an envelope, besides the reasons for which events fall away.
const (
	endDelivered      = "delivered" // an event that is safe
	endHandled        = "handled"   // a command, a click, a form
	endUnacknowledged = "unacknowledged"
	endOverflow       = "overflow"
	endPanicked       = "panicked"
)

// ended counts an envelope that was not acknowledged.
func (m *metrics) ended(kind socketmode.EventType, end string) {
	m.envelopes.WithLabelValues(string(kind), end).Inc()
}

// acknowledged counts an envelope that arrived at a time and was acknowledged now.
func (m *metrics) acknowledged(kind socketmode.EventType, end string, arrived time.Time) {
	m.ended(kind, end)
	m.acks.WithLabelValues(string(kind)).Observe(time.Since(arrived).Seconds())
}
