package llm

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable/thread"
)

func TestScales(t *testing.T) {
	var s scales
	if got := s.tokens("m", 330); got != 100 {
		t.Errorf("unlearned: got %d, want 100", got)
	}
	for range 60 {
		s.learn("m", 1000, 500) // two characters a token
	}
	if got := s.tokens("m", 1000); got < 499 || got > 501 {
		t.Errorf("learned: got %d, want about 500", got)
	}
	if got := s.tokens("other", 330); got != 100 {
		t.Errorf("another model: got %d, want 100", got)
	}
	s.learn("odd", 1, 1_000_000)
	s.learn("odd", 0, 5)
	s.learn("odd", 5, 0)
	if got := s.tokens("odd", 100); got > 200 {
		t.Errorf("one odd count: got %d", got)
	}
}

func TestMetrics(t *testing.T) {
	to := prometheus.NewRegistry()
	one := &told{name: "a:one", answers: []answer{fails(Refused)}}
	b := newBench(t, ChainOptions{Models: []Model{one, &told{name: "b:two", answers: []answer{says("yes")}}}, Metrics: to, Limits: thread.Limits{Day: thread.Spend{Tokens: 5000}}})
	before, err := b.chain.Budgets(t.Context())
	if err != nil || len(before) != 2 || before[0].Limit.Tokens != 5000 || gathered(t, to)["roundtable_budget_tokens{part=limit scope=day}"] != 5000 {
		t.Errorf("the budgets stand at %+v, %v", before, err)
	}
	if _, err := b.chain.Ask(t.Context(), question(), &heard{}); err != nil {
		t.Fatal(err)
	}
	got := gathered(t, to)
	for series, want := range map[string]float64{
		"roundtable_model_stand_ins_total{model=b:two}":              1,
		"roundtable_model_tokens_total{kind=input model=b:two}":      100,
		"roundtable_model_tokens_total{kind=output model=b:two}":     10,
		"roundtable_budget_tokens{part=limit scope=day}":             5000,
		"roundtable_budget_tokens{part=spent scope=day}":             110,
		"roundtable_budget_tokens{part=spent scope=deployment}":      110,
		"roundtable_model_call_seconds{model=a:one outcome=refused}": 1,
		"roundtable_model_call_seconds{model=b:two outcome=done}":    1,
	} {
		if got[series] != want {
			t.Errorf("%s is %v, want %v", series, got[series], want)
		}
	}
	if !strings.Contains(b.log.String(), "kind=refused") {
		t.Errorf("the failure is not in the log: %s", b.log.String())
	}
	if _, err := NewChain(ChainOptions{Models: []Model{one}, Ledger: b.book, Metrics: to}); err == nil {
		t.Error("metrics were registered twice")
	}
}

// gathered are all series with their value, or their count.
func gathered(t *testing.T, from prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			name := f.GetName() + "{" + strings.Join(labels, " ") + "}"
			series[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return series
}
