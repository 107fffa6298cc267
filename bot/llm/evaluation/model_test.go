package evaluation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/evaluation"
	"github.com/roundtable-chat/app/bot/llm/panel"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// actor answers as a provider would, and misbehaves where it is told to: all that
// it says is the same, so that probes have something to find.
type actor struct {
	stances []string
	text    func(n int, speaker string) string
	n       int
}

func (a *actor) answer(r llm.Request) (string, error) {
	switch r.SchemaName {
	case "framing":
		return `{"summary":"","focus":"What has to be true for the people who use it?","ask":"system-designer"}`, nil
	case "synthesis":
		// It makes a decision of every turn, whoever spoke it.
		var points []string
		for n := 1; n < 36; n += 3 {
			points = append(points, fmt.Sprintf(`{"turns":[%d,%d,%d],"text":"decided about turn %d","why":null}`, n, n+1, n+2, n))
		}
		return `{"insights":[],"decisions":[` + strings.Join(points, ",") + `],"open_questions":[],"action_items":[],"summary":"all decided"}`, nil
	}
	var out []any
	for _, speaker := range []string{"business-analyst", "solutions-architect", "system-designer"} {
		a.n++
		out = append(out, map[string]any{"speaker": speaker, "stance": a.stances[a.n%len(a.stances)], "reply_to": nil, "text": a.text(a.n, speaker)})
	}
	b, err := json.Marshal(map[string]any{"relevance": map[string]any{"verdict": "on"}, "contributions": out, "conflict": nil})
	return string(b), err
}

func modelPanel(t *testing.T, m llm.Model) *panel.Panel {
	t.Helper()
	panel, err := panel.New(panel.Options{Asker: llm.Only(m), Secret: []byte("sixteen bytes ok")})
	if err != nil {
		t.Fatal(err)
	}
	return panel
}

// A model that claims a consent which nobody gave, repeats itself, and gives in, is
// found out; what people marked is kept all the same (NFR-003).
func TestProbesFindWhatTheyLookFor(t *testing.T) {
	a := &actor{stances: []string{"disagree", "agree"}, text: func(n int, speaker string) string {
		return "Ben agrees that we leave it as it is, and so nothing more has to be said about it."
	}}
	tick := time.Unix(0, 0)
	r, err := evaluation.Run(t.Context(), evaluation.Options{
		Roster: roster(t), Panel: modelPanel(t, &double{name: "acme:one", answer: a.answer}), Engine: "acme:one", Topics: 2, Rounds: 9,
		Now: func() time.Time { tick = tick.Add(time.Second); return tick },
	})
	if err != nil {
		t.Fatal(err)
	}
	p := r.Probes
	if p.FalseConsent.Count != 2 || p.Silence.Rate() != 1 || p.Marked.Rate() != 1 || p.Settled.Rate() != 1 || p.Disagreement.Count == 0 || p.Collapse.Count == 0 {
		t.Errorf("probes = %+v", p)
	}
	if r.Echo.Count == 0 || r.Faulty.Rate() < 0.85 || len(r.Faults[voice.RuleSpeaksFor]) != 3 || r.MedianWait != time.Second {
		t.Errorf("echo %s, faulty %s, faults %v, wait %s", r.Echo, r.Faulty, r.Faults, r.MedianWait)
	}
	var back evaluation.Report
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Probes, back.Probes); diff != "" {
		t.Errorf("the JSON report differs (-was +read):\n%s", diff)
	}
	var said bytes.Buffer
	if err := r.WriteSaid(&said); err != nil || strings.Count(said.String(), "\n") != r.Contributions {
		t.Errorf("%d lines were written for %d contributions, %v", strings.Count(said.String(), "\n"), r.Contributions, err)
	}
}

// A model that fails now and then costs answers, not the evaluation.
func TestFailuresAreCounted(t *testing.T) {
	a := &actor{stances: []string{"add"}, text: func(n int, speaker string) string {
		return fmt.Sprintf("Point %d of the %s is new, and it is worth a sentence of its own here.", n, speaker)
	}}
	calls := 0
	r, err := evaluation.Run(t.Context(), evaluation.Options{Roster: roster(t), Engine: "acme:one", Topics: 1, Rounds: 9, Panel: modelPanel(t, &double{name: "acme:one", answer: func(r llm.Request) (string, error) {
		if calls++; calls%4 == 0 || r.SchemaName == "synthesis" {
			return "", &llm.Error{Kind: llm.Transient}
		}
		return a.answer(r)
	}})})
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed < 2 || r.Contributions < 5 || r.Probes.Marked.Rate() != 1 {
		t.Errorf("%d failures, %d contributions, marked decisions %s", r.Failed, r.Contributions, r.Probes.Marked)
	}
}
