package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/panel"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// sitting is what is asked about a step that ships with the product, before anybody
// has answered.
func sitting(t *testing.T, id string) engine.Inquiry {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	q := engine.Inquiry{Analysis: "A1", Roster: set.Roster}
	for _, p := range set.Steps.Catalogue.Phases {
		for _, f := range p.Steps {
			if f.ID != id {
				continue
			}
			v := analysis.StepView{
				ID: f.ID, Title: f.Title, Lead: f.Persona, Depth: analysis.Chosen{Depth: analysis.Brief}, Criteria: f.Body.Criteria, Targets: f.Targets(),
				Modes: map[analysis.Depth]analysis.Mode{analysis.Brief: f.Body.Mode(analysis.Brief)},
			}
			s := analysis.Sitting{StepView: v, From: 1}
			q.Briefing = analysis.Briefing{
				Item: "offline-mode", ItemTitle: "Offline mode", Phase: analysis.PhaseView{Key: p.Key, Description: p.Description}, Step: s, Mode: s.Mode(),
				Purpose: analysis.ForStep, Targets: v.Targets, From: 1, Cast: set.Roster.Seats(),
			}
		}
	}
	q.Briefing.Next, q.Briefing.NextText = q.Briefing.Step.NextPrompt()
	return q
}

// answered is the step on user needs after one answer; its lead has a model of its
// own, if one is named.
func answered(t *testing.T, leads string) engine.Inquiry {
	t.Helper()
	q := sitting(t, "01-02")
	s := &q.Briefing.Step
	s.Asked, s.Questions, s.Answers = []int{1}, 1, 1
	q.Briefing.Next, q.Briefing.NextText = s.NextPrompt()
	for i, p := range q.Roster.Personas {
		if p.Key == s.Lead {
			q.Roster.Personas[i].Model = leads
		}
	}
	q.Transcript.Turns = []thread.Turn{
		{Number: 1, Persona: s.Lead, Text: q.Briefing.Mode.Prompts[0]},
		{Number: 2, Person: thread.Person{ID: "U1", Name: "Priya"}, Text: "About 40 technicians write notes in tunnels; dispatchers read them."},
	}
	return q
}

// A step of an analysis over both protocols: the lead's own model is busy, then talks
// instead of answering, then asks; what is written down is cut off, and then is whole
// (FR-116).
func TestAnalysisOverTheWire(t *testing.T) {
	url := aimock(t)
	for protocol, client := range clients(t, url) {
		t.Run(protocol, func(t *testing.T) {
			lead := client("lead-" + protocol)
			chain, err := llm.NewChain(llm.ChainOptions{
				Models: []llm.Model{client("minutes-" + protocol)}, Own: []llm.Model{lead}, Ledger: free{},
				Sleep: func(context.Context, time.Duration) error { return nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			panel, err := panel.New(panel.Options{Asker: chain, Secret: []byte("sixteen bytes at least")})
			if err != nil {
				t.Fatal(err)
			}
			q := answered(t, lead.Name())
			asked, err := panel.Inquire(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			want := analysis.Asked{
				Reflection: "So paper is the rival to beat, because a tunnel never deletes it.",
				Question:   "What do technicians do with that paper in the evening, and who reads it?", Prompt: 2,
			}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Error(diff)
			}
			if draft, err := panel.Compose(t.Context(), q); draft != nil || err != nil {
				t.Fatalf("of an answer that was cut at its length: got %+v, %v, want neither draft nor error", draft, err)
			}
			q.Fault = "the result could not be read" // as the rules ask again
			draft, err := panel.Compose(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			content := "**Affected without using it**:\n\n- [Priya] Dispatchers read the notes.\n- [Assumption] Clerks read them, too.\n- [Open] Who reads them at night?\n"
			if len(draft.Parts) != 1 || !draft.Judged || !cmp.Equal(draft.Unmet, []int{2}) {
				t.Fatalf("got %+v", draft)
			}
			if diff := cmp.Diff(content, draft.Parts[0].Content); diff != "" {
				t.Error(diff)
			}
		})
		t.Run(protocol+" that fails", func(t *testing.T) {
			for id, want := range map[string]thread.Reason{
				"cut": thread.ReasonModelUnavailable, "denied": thread.ReasonModelConfig, "malformed": thread.ReasonModelUnavailable,
			} {
				panel, err := panel.New(panel.Options{Asker: llm.Only(client(id)), Secret: []byte("sixteen bytes at least")})
				if err != nil {
					t.Fatal(err)
				}
				_, err = panel.Inquire(t.Context(), answered(t, ""))
				failed, ok := errors.AsType[*engine.PanelError](err)
				if !ok || failed.Reason != want || strings.Contains(err.Error(), "tunnels") {
					t.Errorf("%s: got %v, want %s", id, err, want)
				}
			}
		})
	}
}

// Three steps of an analysis with three answers each: what was said is read from the
// cache by the next question, also in the next step, and the prompt grows by what is
// said (FR-114).
func TestAnalysisIsPaidOnce(t *testing.T) {
	double, panel := counted(t)
	var tr thread.Transcript
	add := func(turn thread.Turn) {
		turn.Number = len(tr.Turns) + 1
		tr.Turns = append(tr.Turns, turn)
	}
	rows := []string{"call          prompt  cached  output"}
	var asked, all llm.Usage
	for n, id := range []string{"01-01", "01-02", "01-03"} {
		q := sitting(t, id)
		q.Briefing.From, q.Briefing.Step.From = len(tr.Turns)+1, len(tr.Turns)+1
		for i := range 3 {
			double.answers = []string{`{"criteria":[],"prompts":[],"enough":false,"summary":null,"reflection":"","prompt":null,"question":"` + questions[3*n+i] + `"}`}
			q.Transcript = tr
			got, err := panel.Inquire(t.Context(), q)
			if err != nil || got.Question != questions[3*n+i] || len(double.answers) > 0 {
				t.Fatalf("step %s: got %+v, %v", id, got, err)
			}
			u := double.used[len(double.used)-1]
			rows, all = append(rows, fmt.Sprintf("%s ask %d   %6d  %6d  %6d", id, i+1, u.Prompt(), u.CacheRead, u.Output)), all.Add(u)
			if before := asked; before.Output > 0 && u.CacheRead < before.CacheRead+before.CacheWrite1h-2 {
				t.Errorf("step %s, question %d: %d tokens are read from the cache, of %d that the one before had marked", id, i+1, u.CacheRead, before.CacheRead+before.CacheWrite1h)
			}
			asked = u
			q.Briefing.Step.Questions++
			add(thread.Turn{Persona: q.Briefing.Step.Lead, Text: got.Question})
			add(thread.Turn{Person: thread.Person{ID: "U1", Name: []string{"Priya", "Sam"}[i%2]}, Text: said[3*n+i]})
		}
		q.Transcript = tr
		double.answers = []string{fmt.Sprintf(`{"criteria":[{"number":1,"turns":[%[1]d]}],"parts":[{"place":1,"document":null,"groups":[{"label":null,"columns":[],"entries":[{"turns":[%[1]d],"basis":"said","cells":["x"]}]}]}],"summary":"s","point":null}`, len(tr.Turns))}
		if draft, err := panel.Compose(t.Context(), q); err != nil || draft == nil {
			t.Fatalf("step %s: got %+v, %v", id, draft, err)
		}
		u := double.used[len(double.used)-1]
		rows, all = append(rows, fmt.Sprintf("%s write   %6d  %6d  %6d", id, u.Prompt(), u.CacheRead, u.Output)), all.Add(u)
	}
	if got, want := len(double.used), 3*(3+1); got != want {
		t.Errorf("got %d calls, want %d", got, want)
	}
	t.Logf("\n%s\n%d calls, %d prompt tokens, %d of them cached, %d tokens of output", strings.Join(rows, "\n"), len(double.used), all.Prompt(), all.CacheRead, all.Output)
}

// questions are what a lead asks; they break no rule of its voice.
var questions = []string{
	"Who is stuck today because of this, and what do they do instead?", "Which of them would notice first if nothing were built at all?",
	"What would have to be true in a year for everybody to call it worth the money?", "How many people work like that, and on which days?",
	"What do they try to get done when the line drops?", "Who reads what they have written, and how soon?",
	"Where in their day does the first note begin?", "What do they see when a note could not be sent?", "Which moment would make them give up and take paper again?",
}
