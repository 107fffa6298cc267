package blocks

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/panel"
	"github.com/roundtable-chat/app/roundtable"
	artifacts "github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/injection"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// I12: wherever a hostile text comes to stand in a message, nobody is notified or
// mentioned and no link but a given one is live.
func TestInjectionIsDrawnInert_I12(t *testing.T) {
	for _, h := range injection.Attempts(t) {
		t.Run(string(h.Kind)+"/"+h.Name, func(t *testing.T) {
			for _, kind := range kinds {
				checkDrawing(t, testRenderer().Draw(place, "D", messageOf(kind, h.Text)))
			}
		})
	}
}

// scripted answers every question of a panel with the same text.
type scripted string

func (s scripted) Ask(_ context.Context, _ llm.Question, sink llm.Sink) (llm.Result, error) {
	sink.Begin("")
	return llm.Result{Stop: llm.StopEnd}, sink.Text(string(s))
}

// I12: what a model returns goes through the panel and the rules to the edge, as
// in a deployment, and comes out inert, whichever field it stood in. Protocol
// lives in code: it moves the discussion no further than a harmless answer does.
func TestModelOutputReachesSlackInert_I12(t *testing.T) {
	for _, h := range injection.Attempts(t) {
		if h.Kind != injection.Output {
			continue
		}
		t.Run(h.Name, func(t *testing.T) {
			messages, d := spoken(t, h.Text)
			if d.State != roundtable.StateDiscussionLoop || d.Turns < 1 || d.Exit != nil {
				t.Errorf("state %s after %d turns, exit %v", d.State, d.Turns, d.Exit)
			}
			for _, m := range append(messages, roundtable.Root(d)) {
				checkDrawing(t, testRenderer().Draw(d.Place, d.ID, m), m.Notified()...)
			}
		})
	}
}

// spoken opens a discussion whose personas say nothing but the text.
func spoken(t *testing.T, text string) ([]thread.Message, roundtable.Discussion) {
	t.Helper()
	var d roundtable.Discussion
	var log []thread.Entry
	var messages []thread.Message
	var step func(id string, e roundtable.Event)
	step = func(id string, e roundtable.Event) {
		r := roundtable.Step(d, roundtable.Input{ID: id, At: time.Unix(1_800_000_000+int64(len(log)), 0).UTC(), Event: e})
		d, log = r.Discussion, append(log, r.Entries...)
		for _, effect := range r.Effects {
			if post, ok := effect.(roundtable.Post); ok {
				messages = append(messages, post.Message)
				step(post.Key+"/posted", roundtable.Posted{Effect: post.Key, TS: place.Root})
			}
		}
	}
	cast := []persona.Persona{
		{Seat: persona.Seat{Key: "a", Name: "Maya Chen", Role: "Analyst", Title: "BA", Perspective: "a user"}},
		{Seat: persona.Seat{Key: "b", Name: "Alex Rivera", Role: "Architect", Title: "Architect", Perspective: "an architecture"}},
		{Seat: persona.Seat{Key: "c", Name: "Jordan Park", Role: "Designer", Title: "Designer", Perspective: "a design"}},
	}
	step("o", roundtable.Opened{
		Discussion: "DTEST", Place: place, By: thread.Person{ID: "U1", Name: "Priya"}, Topic: "notes", Item: "notes",
		Step: roundtable.StepRef{ID: roundtable.FreeStep, Title: "notes"}, Cast: persona.Roster{Personas: cast}.Seats(), Lead: "a", Settings: roundtable.Settings{MaxTurns: 9},
	})
	step("f", roundtable.Framed{Effect: d.Ask.Key, Framing: roundtable.Framing{Summary: text, Focus: text, Ask: "b"}})

	answer, err := json.Marshal(map[string]any{
		"relevance": map[string]any{"verdict": "on", "subject": text, "belongs": text},
		"contributions": []any{
			map[string]any{"stance": "disagree", "speaker": "b", "reply_to": 1, "text": text},
			map[string]any{"stance": "add", "speaker": "c", "reply_to": 1, "text": "A second view: " + text},
		},
		"conflict": map[string]any{"question": text, "options": []any{
			map[string]any{"by": "b", "label": "one " + text, "reason": text}, map[string]any{"by": "c", "label": "two " + text, "reason": text},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	panel, err := panel.New(panel.Options{Asker: scripted(answer), Secret: []byte("sixteen bytes ok")})
	if err != nil {
		t.Fatal(err)
	}
	request := engine.RoundRequest{
		Subject:    roundtable.Subject{Discussion: d.ID, Topic: d.Topic, Step: d.Step, Lead: d.Lead, Cast: cast, Focus: d.Focus},
		Transcript: thread.ReadTranscript(log), Round: *d.Round,
	}
	ending, err := panel.Discuss(t.Context(), request, func(c roundtable.Contribution) error {
		step(roundtable.ContributionID(d, c), roundtable.Contributed{Effect: d.Ask.Key, Contribution: c})
		return nil
	})
	if refused, ok := errors.AsType[*engine.PanelError](err); ok { // an answer without end: a stated stop
		step("x", roundtable.Failed{Effect: d.Ask.Key, Reason: refused.Reason})
		return messages, d
	}
	if err != nil {
		t.Fatal(err)
	}
	step("e", roundtable.RoundEnded{Effect: d.Ask.Key, Ending: ending})
	return messages, d
}

// I12: whatever an item is called, its folder is one plain folder; whatever an
// artifact is called, it stays in it or is refused.
func TestHostileNamesStayInTheirFolder_I12(t *testing.T) {
	for _, h := range injection.Attempts(t) {
		t.Run(string(h.Kind)+"/"+h.Name, func(t *testing.T) {
			slug := artifacts.Slug(h.Text)
			if slug == "" || len(slug) > artifacts.SlugLimit || strings.Trim(slug, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
				t.Errorf("the item's folder is %q", slug)
			}
			if h.Kind == injection.Artifact && artifacts.CheckArtifactName(h.Text) == nil {
				t.Errorf("an artifact may be called %q, which tries to %s", h.Text, h.Tries)
			}
		})
	}
	if err := artifacts.CheckArtifactName("elaboration-notes.md"); err != nil {
		t.Errorf("an ordinary name is refused: %v", err)
	}
}
