package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/anthropic"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// modelLimit bounds what one model is asked. A model on a small machine takes long
// to load.
const modelLimit = time.Minute

// examineModels asks every model that would be asked, each on its own.
func examineModels(ctx context.Context, x Subject) []Finding {
	var roster persona.Roster
	if set, err := x.Manifests(x.Config.Manifests); err == nil { // examineFiles says so if not
		roster = set.Roster
	}
	names := modelsOf(x.Config, roster)
	if len(names) == 0 {
		return []Finding{{Check: "model", Found: "offline: the personas are the built-in rule-based stand-in, and no language model is asked"}}
	}
	found := make([][]Finding, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { found[i] = examineModel(ctx, x, name) })
	}
	all.Wait()
	return append(slices.Concat(found...), spending(x.Config)...)
}

// modelsOf are the names of the models that discussions ask: the deployment's, and
// unless it has none, those that personas bring with them.
func modelsOf(c config.Config, roster persona.Roster) []string {
	names := slices.DeleteFunc(slices.Clone(c.Models), func(name string) bool { return name == offline.Engine })
	if len(names) == 0 {
		return nil
	}
	for _, p := range roster.Personas {
		if p.Model != "" && !slices.Contains(names, p.Model) {
			names = append(names, p.Model)
		}
	}
	return names
}

func examineModel(ctx context.Context, x Subject, name string) []Finding {
	ctx, cancel := context.WithTimeoutCause(ctx, modelLimit, fmt.Errorf("no answer within %s", modelLimit))
	defer cancel()
	m, err := x.Model(x.Config, name)
	if err != nil {
		return []Finding{{Check: name, Level: Failure, Found: err.Error(), Means: "serve does not start like this", Do: "set what is missing, or name another model with --model"}}
	}
	checker, ok := m.(llm.Checker)
	if !ok {
		return []Finding{{Check: name, Level: Advice, Found: "cannot be asked what it can do", Means: "whether it works shows in the first discussion", Do: "try it in a channel"}}
	}
	able, err := checker.Check(ctx)
	if err != nil {
		return []Finding{modelTrouble(x.Config, name, err)}
	}
	return judgeModel(name, able)
}

// judgeModel judges what a model can do.
func judgeModel(name string, able llm.Capability) []Finding {
	f := Finding{Check: name, Found: "answers"}
	if id := able.Model; id != "" && !strings.HasSuffix(name, ":"+id) {
		f.Found += " as " + id
	}
	if n := able.Usage.Total(); n > 0 {
		f.Found += fmt.Sprintf(" (asked a question of %d tokens)", n)
	}
	const other = "name another model with --model"
	switch able.Structured {
	case llm.Supported:
		f.Found += ", in the form that it is told"
	case llm.Ignored:
		f.Level, f.Found = Warning, f.Found+", but not in the form that it is told"
		f.Means = "many rounds will have to be asked for again, and a synthesis may be no more than a simple summary"
		f.Do = "if it is behind OPENAI_BASE_URL, try ROUNDTABLE_OPENAI_PROFILE=compatible, then minimal; else " + other
	case llm.Unsupported:
		f.Level, f.Found = Failure, f.Found+", but refuses to be told a form"
		f.Means, f.Do = "every question of a discussion would be refused", "if it is behind OPENAI_BASE_URL, set ROUNDTABLE_OPENAI_PROFILE=minimal; else "+other
	case llm.Untold:
		f.Found += "; whether in the form that it is told does not show"
	}
	out := []Finding{f}
	if able.Retiring {
		when := "soon"
		if !able.Retires.IsZero() {
			when = "on " + able.Retires.Format(time.DateOnly)
		}
		out = append(out, Finding{Check: name, Level: Warning, Found: "the provider withdraws it " + when, Means: "from then on nothing answers to this name", Do: other})
	}
	return out
}

// modelTrouble is a model that cannot be used in words.
func modelTrouble(c config.Config, name string, err error) Finding {
	key, base, set := "OPENAI_API_KEY", "OPENAI_BASE_URL", c.OpenAIURL != ""
	if strings.HasPrefix(name, anthropic.Provider+":") {
		key, base, set = "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", c.AnthropicURL != ""
	}
	endpoint := "the provider's own endpoint"
	if set {
		endpoint = "the endpoint of " + base
	}
	wrongBase := fmt.Sprintf("correct %s, or leave it out; most servers want it to end in /v1", base)
	if key == "ANTHROPIC_API_KEY" {
		wrongBase = fmt.Sprintf("correct %s, or leave it out; it ends before /v1", base)
	}
	f := Finding{Check: name, Level: Failure, Found: err.Error(), Means: "the personas cannot speak through it", Do: "run doctor again; if it stays, name another model with --model"}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return f
	}
	if e.Err != nil {
		f.Found += ": " + e.Err.Error()
	}
	elsewhere := e.Detail == llm.NotJSON || e.Detail == llm.NoStream || e.Kind == llm.Unknown && e.Detail == "" ||
		e.Status >= http.StatusMultipleChoices && e.Status < http.StatusBadRequest
	switch {
	case elsewhere:
		f.Means, f.Do = "something else than a model's API answers at "+endpoint, wrongBase
	case e.Kind == llm.Auth:
		f.Means, f.Do = endpoint+" refuses the key", "correct "+key+"; see on the provider's console whether it may use this model"
	case e.Kind == llm.Unknown:
		f.Means, f.Do = endpoint+" knows no model of this name", "correct --model; the provider's console lists the names"
	case e.Kind == llm.Config:
		f.Means, f.Do = endpoint+" takes no question of this kind", "try ROUNDTABLE_OPENAI_PROFILE=compatible, then minimal, and --model-effort=false"
	case e.Kind == llm.RateLimited:
		f.Level, f.Means, f.Do = Warning, endpoint+" wants to be left alone, or its credit is used up", "see on the provider's console what is left; then run doctor again"
	case e.Kind == llm.Overloaded, e.Kind == llm.Transient && e.Status != 0:
		f.Level, f.Means, f.Do = Warning, endpoint+" has trouble of its own", "run doctor again later; a further model behind a comma in --model answers meanwhile"
	case e.Kind == llm.Transient, e.Kind == llm.Cancelled:
		f.Means, f.Do = "nobody answers at "+endpoint, "see whether it can be reached from here: DNS, the firewall, HTTPS_PROXY"
	}
	return f
}

// spending says whether anything bounds what models cost.
func spending(c config.Config) []Finding {
	if c.Budgets != (roundtable.Limits{}) {
		return []Finding{{Check: "budgets", Found: "what models may use is limited"}}
	}
	return []Finding{{Check: "budgets", Level: Advice, Found: "nothing limits what models may use", Means: "a busy day costs what it costs", Do: "set --budget-day and --budget-discussion, in tokens or dollars"}}
}
