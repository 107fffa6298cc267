package e2e_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// sitting is what is asked about the step on user needs that ships with the product,
// after one answer.
func sitting(t *testing.T, leads string) engine.Inquiry {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	q := engine.Inquiry{Analysis: "A1", Roster: set.Roster}
	for _, p := range set.Steps.Catalogue.Phases {
		for _, f := range p.Steps {
			if f.ID != "01-02" {
				continue
			}
			v := analysis.StepView{
				ID: f.ID, Title: f.Title, Lead: f.Persona, Depth: analysis.Chosen{Depth: analysis.Brief}, Criteria: f.Body.Criteria, Targets: f.Targets(),
				Modes: map[analysis.Depth]analysis.Mode{analysis.Brief: f.Body.Mode(analysis.Brief)},
			}
			s := analysis.Sitting{StepView: v, From: 1, Asked: []int{1}, Questions: 1, Answers: 1}
			q.Briefing = analysis.Briefing{
				Item: "offline-mode", ItemTitle: "Offline mode", Phase: analysis.PhaseView{Key: p.Key, Description: p.Description}, Step: s, Mode: s.Mode(),
				Purpose: analysis.ForStep, Targets: v.Targets, From: 1, Cast: set.Roster.Seats(),
			}
		}
	}
	q.Briefing.Next, q.Briefing.NextText = q.Briefing.Step.NextPrompt()
	for i, p := range q.Roster.Personas {
		if p.Key == q.Briefing.Step.Lead {
			q.Roster.Personas[i].Model = leads
		}
	}
	q.Transcript.Turns = []roundtable.Turn{
		{Number: 1, Persona: q.Briefing.Step.Lead, Text: q.Briefing.Mode.Prompts[0]},
		{Number: 2, Person: roundtable.Person{ID: "U1", Name: "Priya"}, Text: "About 40 technicians write notes in tunnels; dispatchers read them."},
	}
	return q
}

// A step of an analysis over both protocols: the lead's own model is busy, then talks
// instead of answering, then asks; what is written down is cut off, and then is whole
// (SPEC §9).
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
			panel, err := llm.NewPanel(llm.PanelOptions{Asker: chain, Secret: []byte("sixteen bytes at least")})
			if err != nil {
				t.Fatal(err)
			}
			q := sitting(t, lead.Name())
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
			for id, want := range map[string]roundtable.Reason{
				"cut": roundtable.ReasonModelUnavailable, "denied": roundtable.ReasonModelConfig, "malformed": roundtable.ReasonModelUnavailable,
			} {
				panel, err := llm.NewPanel(llm.PanelOptions{Asker: llm.Only(client(id)), Secret: []byte("sixteen bytes at least")})
				if err != nil {
					t.Fatal(err)
				}
				_, err = panel.Inquire(t.Context(), sitting(t, ""))
				failed, ok := errors.AsType[*engine.PanelError](err)
				if !ok || failed.Reason != want || strings.Contains(err.Error(), "tunnels") {
					t.Errorf("%s: got %v, want %s", id, err, want)
				}
			}
		})
	}
}
