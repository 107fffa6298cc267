package main

import (
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// TestNewModels: whatever is missing is missed before anything runs, all of it at
// once, and offline is only what the deployment lists (NFR-103).
func TestNewModels(t *testing.T) {
	roster := persona.Roster{Personas: []persona.Persona{
		{Seat: persona.Seat{Name: "Maya"}, Model: "openai:own"}, {Seat: persona.Seat{Name: "Alex"}, Model: "openai:own"},
		{Seat: persona.Seat{Name: "Jordan"}, Model: "anthropic:a"},
	}}
	names := func(models []llm.Model) string {
		var out []string
		for _, m := range models {
			out = append(out, m.Name())
		}
		return strings.Join(out, " ")
	}
	m, err := newModels(config.Config{Models: []string{"anthropic:a", "openai:b", "offline"}, AnthropicKey: "k", OpenAIURL: "http://127.0.0.1:1/v1"}, roster)
	if got, want := names(m.order)+" | "+names(m.own), "anthropic:a openai:b | openai:own"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	_, err = newModels(config.Config{Models: []string{"anthropic:a", "openai:b"}}, roster)
	want := "model anthropic:a: ANTHROPIC_API_KEY is missing\nmodel openai:b: OPENAI_API_KEY is missing; for a server of your own, set OPENAI_BASE_URL\n" +
		"model of Maya: OPENAI_API_KEY is missing; for a server of your own, set OPENAI_BASE_URL"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if m, err := newModels(config.Config{Models: []string{"offline"}}, roster); err != nil || m.order != nil || m.own != nil {
		t.Errorf("offline: got %v, %v", m, err)
	}
}
