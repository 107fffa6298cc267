package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/anthropic"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// modelChecks are about every model that would be asked, each for itself, and about what
// bounds their cost.
func modelChecks(x *visit) []row {
	names := modelsOf(x)
	if len(names) == 0 {
		return []row{Finding{Check: "model", Found: "offline: the built-in rule-based stand-in speaks for the personas, without a language model"}}
	}
	var rows []row
	for _, name := range names {
		ask := once(func(ctx context.Context) (llm.Capability, error) { return askModel(ctx, x, name) })
		rows = append(rows,
			check[llm.Capability]{name: name, answers: capabilities(name), trouble: modelTrouble(x.Config, name), learn: one(ask)},
			check[llm.Capability]{name: name, answers: retirement(), learn: one(ask)})
	}
	if x.Config.Budgets != (thread.Limits{}) {
		return append(rows, Finding{Check: "budgets", Found: "a budget limits what models may use"})
	}
	return append(rows, Finding{Check: "budgets", Level: Advice, Found: "no budget limits what models may use", Means: "nothing bounds the cost of a busy day",
		Do: "set --budget-day and --budget-discussion, in tokens or dollars"})
}

// modelsOf are the names of the models that discussions ask: the deployment's, and
// unless it has none, those that personas bring with them.
func modelsOf(x *visit) []string {
	names := slices.DeleteFunc(slices.Clone(x.Config.Models), func(name string) bool { return name == offline.Engine })
	if len(names) == 0 {
		return nil
	}
	set, _ := x.manifests() // without personas, if they cannot be read
	for _, p := range set.Roster.Personas {
		if p.Model != "" && !slices.Contains(names, p.Model) {
			names = append(names, p.Model)
		}
	}
	return names
}

// errUncheckable is about a model that cannot be asked; an unmadeModel is one that serve
// could not make, either.
var errUncheckable = errors.New("cannot be asked what it can do")

type unmadeModel struct{ error }

func askModel(ctx context.Context, x *visit, name string) (llm.Capability, error) {
	m, err := x.Model(x.Config, name)
	if err != nil {
		return llm.Capability{}, unmadeModel{err}
	}
	checker, ok := m.(llm.Checker)
	if !ok {
		return llm.Capability{}, errUncheckable
	}
	return checker.Check(ctx)
}

const otherModel = "name another model with --model"

// capabilities are what can be found of a model that answers.
func capabilities(name string) []answer[llm.Capability] {
	is := func(s llm.Support) func(llm.Capability) bool {
		return func(able llm.Capability) bool { return able.Structured == s }
	}
	answers := func(able llm.Capability) []any {
		as, used := "", ""
		if able.Model != "" && !strings.HasSuffix(name, ":"+able.Model) {
			as = " as " + able.Model
		}
		if n := able.Usage.Total(); n > 0 {
			used = fmt.Sprintf(" (using %d tokens)", n)
		}
		return []any{as, used}
	}
	return []answer[llm.Capability]{
		{when: is(llm.Supported), found: "answers%s%s, with structured output", args: answers},
		{when: is(llm.Ignored), level: Warning, found: "answers%s%s, but ignores the requested output format", args: answers,
			means: "Roundtable will have to ask for many rounds again, and a synthesis may be a simple summary only",
			do:    "if it is behind OPENAI_BASE_URL, try ROUNDTABLE_OPENAI_PROFILE=compatible, then minimal; else " + otherModel},
		{when: is(llm.Unsupported), level: Failure, found: "answers%s%s, but does not support structured output", args: answers,
			means: "the model would refuse every question of a discussion",
			do:    "if it is behind OPENAI_BASE_URL, set ROUNDTABLE_OPENAI_PROFILE=minimal; else " + otherModel},
		{found: "answers%s%s; whether it supports structured output is unknown", args: answers},
	}
}

// retirement is that the provider is going to withdraw a model.
func retirement() []answer[llm.Capability] {
	const means = "from then on, no model answers to this name"
	return []answer[llm.Capability]{
		{when: func(able llm.Capability) bool { return able.Retiring && able.Retires.IsZero() }, level: Warning,
			found: "the provider withdraws it soon", means: means, do: otherModel},
		{when: func(able llm.Capability) bool { return able.Retiring }, level: Warning,
			found: "the provider withdraws it on %s", args: func(able llm.Capability) []any { return []any{able.Retires.Format(time.DateOnly)} }, means: means, do: otherModel},
	}
}

// modelTrouble is what it means that a model cannot be used.
func modelTrouble(c config.Config, name string) []answer[error] {
	key, base, set, form := "OPENAI_API_KEY", "OPENAI_BASE_URL", c.OpenAIURL != "", "most servers want it to end in /v1"
	if strings.HasPrefix(name, anthropic.Provider+":") {
		key, base, set, form = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", c.AnthropicURL != "", "it must not end in /v1"
	}
	endpoint := "the provider's own endpoint"
	if set {
		endpoint = "the endpoint of " + base
	}
	kind := func(kinds ...llm.Kind) func(error) bool {
		return as(func(e *llm.Error) bool { return slices.Contains(kinds, e.Kind) })
	}
	elsewhere := func(e *llm.Error) bool {
		return e.Detail == llm.NotJSON || e.Detail == llm.NoStream || e.Kind == llm.Unknown && e.Detail == "" ||
			e.Status >= http.StatusMultipleChoices && e.Status < http.StatusBadRequest
	}
	busy := func(e *llm.Error) bool { return e.Kind == llm.Overloaded || e.Kind == llm.Transient && e.Status != 0 }
	return []answer[error]{
		{when: func(err error) bool { return errors.Is(err, errUncheckable) }, level: Advice, means: "whether it works shows in the first discussion", do: "try it in a channel"},
		{when: as(func(unmadeModel) bool { return true }), means: refusesToStart, do: "set what is missing, or " + otherModel},
		{when: as(elsewhere), means: "something other than a model's API answers at " + endpoint, do: fmt.Sprintf("correct %s, or leave it out; %s", base, form)},
		{when: kind(llm.Auth), means: endpoint + " refuses the key", do: "correct " + key + "; see on the provider's console whether it may use this model"},
		{when: kind(llm.Unknown), means: endpoint + " knows no model of this name", do: "correct --model; the provider's console lists the names"},
		{when: kind(llm.Config), means: endpoint + " does not take this kind of question", do: "try ROUNDTABLE_OPENAI_PROFILE=compatible, then minimal, and --model-effort=false"},
		{when: kind(llm.RateLimited), level: Warning, means: endpoint + " takes no more requests for a while, or the account's credit is used up",
			do: "see on the provider's console what is left; then run doctor again"},
		{when: as(busy), level: Warning, means: endpoint + " has trouble of its own", do: "run doctor again later; a second model after a comma in --model answers meanwhile"},
		{when: kind(llm.Transient, llm.Cancelled), means: endpoint + " does not answer", do: "see whether it can be reached from here: DNS, the firewall, HTTPS_PROXY"},
		{means: "the personas cannot speak through it", do: "run doctor again; if it fails again, " + otherModel},
	}
}
