package panel

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable/voice"
)

// counters count what becomes of models' answers. Labels come from closed sets:
// never from people or texts.
type counters struct {
	contributions *prometheus.CounterVec // handed on, sound or with faults
	faults        *prometheus.CounterVec // voice rules that posted texts break
	dropped       *prometheus.CounterVec // parts of answers that were of no use
	mends         *prometheus.CounterVec // second questions, by reason and outcome
	standIns      *prometheus.CounterVec // questions that the standby answered
}

// newCounters registers the counters; with no registerer they are kept to themselves.
func newCounters(to prometheus.Registerer) (*counters, error) {
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "roundtable_panel_" + name, Help: help}, labels)
	}
	t := &counters{
		contributions: vec("contributions_total", "Contributions of models, by whether a voice rule is broken.", "voice"),
		faults:        vec("voice_faults_total", "Voice rules broken by contributions that were posted all the same.", "rule"),
		dropped:       vec("dropped_total", "Parts of models' answers that were of no use, by kind.", "part"),
		mends:         vec("mends_total", "Answers that were asked for a second time, by reason and outcome.", "reason", "outcome"),
		standIns:      vec("stand_ins_total", "Questions that another engine answered in a model's place.", "question"),
	}
	if to == nil {
		return t, nil
	}
	for _, c := range []prometheus.Collector{t.contributions, t.faults, t.dropped, t.mends, t.standIns} {
		if err := to.Register(c); err != nil {
			return nil, fmt.Errorf("register the panel's metrics: %w", err)
		}
	}
	return t, nil
}

// spoke counts words of a persona that are handed on, and what is wrong with them.
func (c *counters) spoke(faults []voice.Fault) {
	heard := "sound"
	if len(faults) > 0 {
		heard = "faulty"
	}
	c.contributions.WithLabelValues(heard).Inc()
	for _, f := range faults {
		c.faults.WithLabelValues(string(f.Rule)).Inc()
	}
}

func (c *counters) drop(part string) { c.dropped.WithLabelValues(part).Inc() }

func (c *counters) mended(unread bool, err error) {
	why, outcome := "lacking", "answered"
	if unread {
		why = "unread"
	}
	if err != nil {
		outcome = "failed"
	}
	c.mends.WithLabelValues(why, outcome).Inc()
}

// asked counts what a lead says next; an answer of no use was made up for.
func (c *counters) asked(a inquired) {
	if a.wrong != "" {
		c.drop(inquiryName)
		return
	}
	c.spoke(a.faults)
}

// composed counts a draft: the statements in it that cite nobody, and the lead's words.
func (c *counters) composed(d *composed) {
	c.dropped.WithLabelValues("source").Add(float64(d.bare))
	if d.Point != "" {
		c.spoke(d.faults)
	}
}

func (c *counters) stoodIn(question string) { c.standIns.WithLabelValues(question).Inc() }
