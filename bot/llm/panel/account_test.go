package panel

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// paid asks a model and says what the discussion has cost: a hundred tokens a
// question.
type paid struct {
	llm.Asker
	total thread.Spend
}

func (p *paid) Ask(ctx context.Context, q llm.Question, sink llm.Sink) (llm.Result, error) {
	r, err := p.Asker.Ask(ctx, q, sink)
	p.total.Tokens += 100
	r.Spent = p.total
	return r, err
}

// What was spent is reported with whatever comes of a question, a failure too, as
// the total that the rules expect (FR-109).
func TestSpentIsReported(t *testing.T) {
	m := &scripted{replies: []reply{
		{text: framed("", "Which?", alex)},
		{text: spoken(silent(maya))}, {text: spoken(utters(maya, mayaSays))}, // asked twice
		{text: `{"insights":[],"decisions":[],"open_questions":[],"action_items":[],"summary":"x"}`},
		{err: &llm.Error{Kind: llm.OverBudget, Budget: &thread.Budget{Scope: thread.BudgetDay}}},
	}}
	p := panelOf(t, nil, func(o *Options) { o.Asker = &paid{Asker: llm.Only(m)} })
	f, err := p.Frame(t.Context(), subject(t))
	if err != nil {
		t.Fatal(err)
	}
	_, _, ending, err := play(t, p, asking(t, maya+"!"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Synthesise(t.Context(), subject(t), opened(), "")
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, err = play(t, p, asking(t, maya+"!"))
	failed, ok := errors.AsType[*engine.PanelError](err)
	if !ok {
		t.Fatal(err)
	}
	got := []int64{f.Spent.Tokens, ending.Spent.Tokens, d.Spent.Tokens, failed.Spent.Tokens}
	if diff := cmp.Diff([]int64{100, 300, 400, 500}, got); diff != "" {
		t.Error(diff)
	}
	if failed.Budget == nil || failed.Budget.Scope != thread.BudgetDay {
		t.Errorf("got budget %v, want the day's", failed.Budget)
	}
}

// Faults that stay, second questions and what was of no use are counted (FR-010).
func TestCounts(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := puppet(spoken(utters(maya, mayaSlips), utters(alex, alexSays), utters("Priya", "I approve of all of it.")), spoken(utters(maya, mayaSlips)))
	p := panelOf(t, m, func(o *Options) { o.Metrics = registry })
	if _, _, _, err := play(t, p, asking(t, maya+"!", alex)); err != nil {
		t.Fatal(err)
	}
	got := gathered(t, registry)
	for _, series := range []string{
		"contributions_total{voice=sound}", "contributions_total{voice=faulty}", "voice_faults_total{rule=vocabulary}",
		"mends_total{outcome=answered reason=lacking}", "dropped_total{part=contribution}",
	} {
		if n := got["roundtable_panel_"+series]; n != 1 {
			t.Errorf("%s is %v, want 1; all are %v", series, n, got)
		}
	}
}

// Neither what people write nor what models answer is logged, nor the key to the
// tags, whatever goes wrong (I11).
func TestNoTextInLogs(t *testing.T) {
	var logged bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	canaries := []string{"canary", "Kanarienvogel", string(testSecret), nonce(testSecret, "D1")}
	r := asking(t, maya+"!", alex+"!")
	r.Transcript.Turns[3].Text = "Everyone, what about the canary?"
	r.Subject.Topic = "Kanarienvogel"
	text := spoken(utters(maya, mayaSlips+" Kanarienvogel."), utters(alex, alexSays+" A canary."))
	for _, replies := range [][]reply{
		{{text: text}}, {{text: text[:len(text)-60], err: &llm.Error{Kind: llm.Transient, Err: errors.New("connection reset")}}}, {{text: "canary"}},
		{{text: text, stop: llm.StopLength}}, {{text: text}, {err: &llm.Error{Kind: llm.Refused}}}, {{text: spoken()}},
	} {
		p := panelOf(t, &scripted{name: "test:model", replies: replies}, func(o *Options) { o.Logger = logger })
		_, _, _, roundErr := play(t, p, r)
		_, frameErr := p.Frame(t.Context(), r.Subject)
		_, draftErr := p.Synthesise(t.Context(), r.Subject, r.Transcript, "a fault")
		if err := errors.Join(roundErr, frameErr, draftErr); err != nil {
			logger.Error("as_the_engine_logs_it", slog.Any("error", err))
		}
	}
	if !strings.Contains(logged.String(), "round_mended") || !strings.Contains(logged.String(), "round_broke_off") {
		t.Fatalf("nothing was logged that could hold a text:\n%s", &logged)
	}
	for _, c := range canaries {
		if strings.Contains(logged.String(), c) {
			t.Errorf("%q is logged:\n%s", c, &logged)
		}
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
