package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/anthropic"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/bot/llm/openai"
	"github.com/roundtable-chat/app/bot/llm/panel"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// standInName is shown where the rule-based personas answer in a model's place.
const standInName = "the rule-based stand-in, without a language model"

// speakers are who thinks up what the personas say in discussions and ask in analyses,
// and how the budgets of that stand; budgets is nil where nothing is paid for.
type speakers struct {
	panel    engine.Panel
	inquirer engine.Inquirer
	budgets  func(ctx context.Context) ([]thread.Budget, error)
}

// newSpeakers builds those that c asks for: the built-in personas, or models in their
// fallback order, with the built-in personas behind them only if c says so.
func newSpeakers(c config.Config, roster persona.Roster, m models, ledger llm.Ledger, log *slog.Logger, metrics prometheus.Registerer) (speakers, error) {
	var standby *panel.Standby
	if slices.Contains(c.Models, offline.Engine) {
		standIn, err := offline.New(offline.Options{Roster: roster, Pace: c.Pace})
		if err != nil {
			return speakers{}, err
		}
		if len(c.Models) == 1 {
			return speakers{panel: standIn, inquirer: offline.NewInquirer(c.Pace)}, nil
		}
		standby = &panel.Standby{Panel: standIn, Inquirer: offline.NewInquirer(c.Pace), Engine: standInName}
	}
	chain, err := llm.NewChain(llm.ChainOptions{
		Models: m.order, Own: m.own, Ledger: ledger, Limits: c.Budgets, Analysis: c.AnalysisBudget, Prices: c.Prices,
		CallLimit: c.ModelTimeout + time.Minute, Logger: log, Metrics: metrics,
	})
	if err != nil {
		return speakers{}, err
	}
	// The tokens of Slack are secret and the same on all replicas.
	secret := sha256.Sum256([]byte("panel\x00" + c.BotToken + "\x00" + c.AppToken))
	byModels, err := panel.New(panel.Options{
		Asker: chain, Secret: secret[:], Length: c.Length, Standby: standby, Metrics: metrics, Logger: log,
	})
	if err != nil {
		return speakers{}, err
	}
	return speakers{panel: byModels, inquirer: byModels, budgets: chain.Budgets}, nil
}

// models are the deployment's, in fallback order, and those that personas bring with
// them.
type models struct{ order, own []llm.Model }

// newModels makes all models that will be asked, so that what is missing is missed
// before anything runs. It reaches nobody.
func newModels(c config.Config, roster persona.Roster) (m models, err error) {
	if len(c.Models) == 1 && c.Models[0] == offline.Engine {
		return m, nil
	}
	var problems []error
	made := func(name, whose string) []llm.Model {
		m, err := newModel(c, name)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", whose, err))
			return nil
		}
		return []llm.Model{m}
	}
	for _, name := range c.Models {
		if name != offline.Engine {
			m.order = append(m.order, made(name, "model "+name)...)
		}
	}
	var brought []string
	for _, p := range roster.Personas {
		if p.Model == "" || slices.Contains(c.Models, p.Model) || slices.Contains(brought, p.Model) {
			continue
		}
		brought = append(brought, p.Model)
		m.own = append(m.own, made(p.Model, "model of "+p.Name)...)
	}
	if err := errors.Join(problems...); err != nil {
		return m, config.Usagef("%w", err)
	}
	return m, nil
}

// newModel makes one model.
func newModel(c config.Config, name string) (llm.Model, error) {
	if err := config.CheckModel(name); err != nil {
		return nil, err
	}
	provider, id, _ := strings.Cut(name, ":")
	if provider == anthropic.Provider {
		if c.AnthropicKey == "" {
			return nil, errors.New("ANTHROPIC_API_KEY is missing")
		}
		return anthropic.New(anthropic.Options{
			Model: id, Key: c.AnthropicKey, BaseURL: c.AnthropicURL, NoEffort: !c.ModelEffort, Idle: c.ModelIdle, Timeout: c.ModelTimeout,
		})
	}
	if c.OpenAIKey == "" && c.OpenAIURL == "" {
		return nil, errors.New("OPENAI_API_KEY is missing; for a server of your own, set OPENAI_BASE_URL")
	}
	profile, err := openai.ParseProfile(c.OpenAIProfile)
	if err != nil {
		return nil, err
	}
	profile.ReasoningEffort = profile.ReasoningEffort && c.ModelEffort
	return openai.New(openai.Options{
		Model: id, Key: c.OpenAIKey, BaseURL: c.OpenAIURL, Profile: profile, Idle: c.ModelIdle, Timeout: c.ModelTimeout,
	})
}

// panelTimeout bounds one question to the panel: an answer, a second attempt, and
// what is asked again about it.
func panelTimeout(c config.Config) time.Duration { return max(5*time.Minute, 2*c.ModelTimeout) }

// whoSpeaks says in the log who thinks up what the personas say.
func whoSpeaks(ctx context.Context, log *slog.Logger, c config.Config, roster persona.Roster) {
	if len(c.Models) > 1 || c.Models[0] != offline.Engine {
		log.InfoContext(ctx, "serving with language models", "models", strings.Join(c.Models, ","))
		return
	}
	log.InfoContext(ctx, "serving with the built-in rule-based personas; no language model is connected")
	for _, p := range roster.Personas {
		if p.Model != "" {
			log.WarnContext(ctx, "a persona's own model is not used, because the deployment has no model", "persona", p.Key, "model", p.Model)
		}
	}
}
