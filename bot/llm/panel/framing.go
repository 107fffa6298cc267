package panel

import (
	"context"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// framingTokens bounds a framing's answer, thinking included.
const framingTokens = 4096

// Frame has the lead open the discussion (FR-004, AC-004-03). An answer that cannot
// be used, or that the lead would not say, is asked for once more with the fault
// named; then whatever is usable of the better one stands, and the rules make up for
// the rest from the topic.
func (p *Panel) Frame(ctx context.Context, s roundtable.Subject) (roundtable.Framing, error) {
	f, err := p.frame(ctx, s)
	unread := err == nil && f.Focus == ""
	if p.standby != nil && (fallsBack(err) || unread) {
		p.counts.stoodIn(framingName)
		spent := f.Spent
		if f, err = p.standby.Panel.Frame(ctx, s); err != nil {
			return f, err
		}
		f.Engine, f.Spent = p.standby.Engine, spent
	}
	return f, failure(err, f.Spent)
}

func (p *Panel) frame(ctx context.Context, s roundtable.Subject) (roundtable.Framing, error) {
	q, err := p.framingQuestion(s)
	if err != nil {
		return roundtable.Framing{}, err
	}
	t, err := askTwice(ctx, p, q, "focus", func(object []byte) opening { return p.readFraming(object, s) }, func(heard opening, _ int) {
		if heard.wrong != "" {
			p.counts.drop(framingName)
		}
	})
	if err != nil {
		return roundtable.Framing{Spent: t.spent}, err
	}
	f := t.best.Framing
	if f.Focus != "" {
		p.counts.spoke(t.best.faults)
	}
	f.Engine, f.Faults, f.Spent = t.engine, len(t.best.faults), t.spent
	return f, nil
}

func (p *Panel) framingQuestion(s roundtable.Subject) (llm.Question, error) {
	rules, err := p.rules("framing.txt", s)
	if err != nil {
		return llm.Question{}, err
	}
	tr := newTranscript(nonce(p.secret, s.Discussion), thread.Transcript{}, p.limit)
	others := slices.DeleteFunc(slices.Clone(s.Cast), func(c persona.Persona) bool { return c.Key == s.Lead })
	return llm.Question{
		Discussion: s.Discussion,
		Model:      modelOf(s.Lead, s.Cast),
		Request: llm.Request{
			System:   []llm.Block{{Text: rules}, {Text: tr.tags()}},
			Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: facts(tr, s)}, {Text: "Open the discussion."}}}},
			Schema:   framingSchema(others), SchemaName: framingName,
			MaxTokens: framingTokens, Effort: llm.EffortLow, CacheKey: s.Discussion,
		},
	}, nil
}

// opening is a framing as far as it can be used.
type opening struct {
	roundtable.Framing
	finding
}

// readFraming reads a framing. Its parts stand in the rules' own sentences, so that
// the lead says no more than them (FR-010).
func (p *Panel) readFraming(raw []byte, s roundtable.Subject) (f opening) {
	var o struct {
		Summary string `json:"summary"`
		Focus   string `json:"focus"`
		Ask     string `json:"ask"`
	}
	if !readObject(raw, &o) {
		f.wrong = "it is not one JSON object with summary, focus and ask"
		return f
	}
	f.Summary, f.Focus = bounded(thread.OneLine(visible(o.Summary)), 500), bounded(thread.OneLine(visible(o.Focus)), 400)
	first, known := speaker(o.Ask, s.Cast)
	if known && first.Key != s.Lead {
		f.Ask = first.Key
	}
	switch {
	case f.Focus == "":
		f.wrong = "focus is empty"
	case !strings.HasSuffix(f.Focus, "?"):
		f.wrong = "focus is not a question"
	case f.Ask == "":
		f.wrong = "ask names nobody who may be asked first"
	}
	if lead, known := speaker(string(s.Lead), s.Cast); known {
		g := guard{cast: s.Cast, length: p.length, counts: p.counts}
		f.faults = g.leadFaults(lead, joined(" ", f.Summary, f.Focus), nil, false)
	}
	return f
}

// modelOf is a persona's own model, or empty.
func modelOf(k persona.Key, cast []persona.Persona) string {
	for _, p := range cast {
		if p.Key == k {
			return p.Model
		}
	}
	return ""
}
