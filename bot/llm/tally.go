package llm

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// tally counts what becomes of models' answers. Labels come from closed sets:
// never from people or texts.
type tally struct {
	contributions *prometheus.CounterVec // handed on, sound or with faults
	faults        *prometheus.CounterVec // voice rules that posted texts break
	dropped       *prometheus.CounterVec // parts of answers that were of no use
	mends         *prometheus.CounterVec // second questions, by reason and outcome
	standIns      *prometheus.CounterVec // questions that the standby answered
}

// newTally registers the counters; with no registerer they are kept to themselves.
func newTally(to prometheus.Registerer) (*tally, error) {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "roundtable_panel_" + name, Help: help}, labels)
	}
	t := &tally{
		contributions: counters("contributions_total", "Contributions of models, by whether a voice rule is broken.", "voice"),
		faults:        counters("voice_faults_total", "Voice rules broken by contributions that were posted all the same.", "rule"),
		dropped:       counters("dropped_total", "Parts of models' answers that were of no use, by kind.", "part"),
		mends:         counters("mends_total", "Answers that were asked for a second time, by reason and outcome.", "reason", "outcome"),
		standIns:      counters("stand_ins_total", "Questions that another engine answered in a model's place.", "question"),
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

func (t *tally) spoke(p proposal) {
	heard := "sound"
	if len(p.flaws) > 0 {
		heard = "faulty"
	}
	t.contributions.WithLabelValues(heard).Inc()
	for _, f := range p.flaws {
		t.faults.WithLabelValues(f.Rule).Inc()
	}
}

func (t *tally) drop(part string) { t.dropped.WithLabelValues(part).Inc() }

func (t *tally) mended(unread bool, err error) {
	why, outcome := "lacking", "answered"
	if unread {
		why = "unread"
	}
	if err != nil {
		outcome = "failed"
	}
	t.mends.WithLabelValues(why, outcome).Inc()
}

func (t *tally) stoodIn(question string) { t.standIns.WithLabelValues(question).Inc() }
