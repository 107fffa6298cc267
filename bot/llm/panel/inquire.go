package panel

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

var _ engine.Inquirer = (*Panel)(nil)

// inquiryTokens bounds an answer with the lead's next words, thinking included.
const inquiryTokens = 4096

// Bounds of what a lead says, in characters.
const (
	reflectionLimit = 600
	questionLimit   = 600
)

// questionsAtOnce is how much is asked at once: it is a talk, never an interrogation.
const questionsAtOnce = 2

// Inquire has the lead of a step take up what people said and ask on (FR-116). The
// lead's words are the model's; that a step has been talked through is not: it takes
// a person's turn for each of its criteria and prompts. An answer that cannot be
// used, or that the lead would not say, is asked for once more with the fault named;
// then the better one stands, and where none can be used, the step file's own next
// prompt.
func (p *Panel) Inquire(ctx context.Context, q engine.Inquiry) (analysis.Asked, error) {
	asked, err := p.inquire(ctx, p.newInquiry(q, p.limit))
	if p.standby != nil && fallsBack(err) {
		p.counts.stoodIn(inquiryName)
		spent := asked.Spent
		if asked, err = p.standby.Inquirer.Inquire(ctx, q); err != nil {
			return asked, err
		}
		asked.Engine, asked.Spent = p.standby.Engine, spent
	}
	return asked, failure(err, asked.Spent)
}

func (p *Panel) inquire(ctx context.Context, in *inquiry) (analysis.Asked, error) {
	q, err := in.question()
	if err != nil {
		return analysis.Asked{}, err
	}
	t, err := askTwice(ctx, p, q, "question", in.read, func(heard inquired, attempt int) {
		if attempt == 0 && heard.why() != "" {
			p.log.LogAttrs(ctx, slog.LevelInfo, "inquiry_mended", slog.String("analysis", in.id), slog.Bool("unread", heard.wrong != ""), slog.Int("faults", len(heard.faults)))
		}
	})
	if err != nil {
		return analysis.Asked{Spent: t.spent}, err
	}
	p.counts.asked(t.best)
	asked := t.best.Asked
	asked.Engine, asked.Faults, asked.Spent = t.engine, len(t.best.faults), t.spent
	return asked, nil
}

// question is what a lead is asked for. What never changes comes first, then the
// thread, which grows at its end; the step and what is to be done now come last.
func (in *inquiry) question() (llm.Question, error) {
	rules, err := in.rules("inquire.txt")
	if err != nil {
		return llm.Question{}, err
	}
	cue, err := in.cue()
	if err != nil {
		return llm.Question{}, err
	}
	return llm.Question{
		Discussion: in.id, Analysis: true, Model: in.lead.Model,
		Request: llm.Request{
			System:   []llm.Block{{Text: rules, Cache: true}, {Text: in.transcript.tags()}},
			Messages: addToUser(in.transcript.thread(in.facts()), llm.Block{Text: cue}),
			Schema:   inquirySchema(), SchemaName: inquiryName,
			MaxTokens: inquiryTokens, Effort: llm.EffortLow, CacheKey: in.id,
		},
	}, nil
}

// cue tells the step, as data, and how it stands.
func (in *inquiry) cue() (string, error) {
	b := in.briefing
	values := struct {
		Lead, Step, Asked, Answered, New, Documents, Marks, Voice string
		HandOver                                                  bool
	}{
		Lead: in.lead.Identity(),
		Step: in.transcript.data("step", line(struct {
			Step     string         `json:"step"`
			Phase    string         `json:"phase"`
			Depth    analysis.Depth `json:"depth"`
			Guidance string         `json:"guidance,omitempty"`
			Prompts  []numbered     `json:"prompts"`
			Criteria []numbered     `json:"criteria"`
		}{
			in.stepName(), thread.OneLine(readable(b.Phase.Description, nil)), b.Step.Depth.Depth, excerpt(readable(b.Mode.Guidance, nil), factLimit),
			enumerate(b.Mode.Prompts, func(s string) string { return s }), in.criteria(),
		})),
		Asked: numbers(b.Step.Asked), Answered: numbers(in.answers(b.Step.From)), New: numbers(in.fresh()),
		Marks: in.transcript.marked(), Voice: reminder(in.lead), HandOver: b.HandOver != nil,
	}
	if b.Step.Questions == 0 { // later the talk itself is what matters
		values.Documents = in.written()
	}
	return in.panel.prompts.write("inquiry_cue.txt", values)
}

// inquired is an answer as far as it can be used.
type inquired struct {
	analysis.Asked
	finding
}

// read reads an answer. What cannot be used of it is made up for by the step file's
// own next prompt.
func (in *inquiry) read(raw []byte) inquired {
	var o struct {
		Criteria   []evident `json:"criteria"`
		Prompts    []evident `json:"prompts"`
		Enough     bool      `json:"enough"`
		Summary    string    `json:"summary"`
		Reflection string    `json:"reflection"`
		Prompt     number    `json:"prompt"`
		Question   string    `json:"question"`
	}
	b := in.briefing
	a := inquired{Asked: analysis.Asked{Question: b.NextText, Prompt: b.Next, Enough: b.Next == 0}}
	if !readObject(raw, &o) {
		a.wrong = "it is not one JSON object of the form asked for"
		return a
	}
	g := in.guard()
	if b.HandOver != nil {
		a.Summary = bounded(thread.OneLine(g.ownWords(o.Summary, in.lead)), reflectionLimit)
	}
	if len(in.fresh()) > 0 {
		a.Reflection = bounded(g.ownWords(o.Reflection, in.lead), reflectionLimit)
	}
	lacks := in.lacks(o.Criteria, o.Prompts)
	question := bounded(thread.OneLine(g.ownWords(o.Question, in.lead)), questionLimit)
	switch {
	case o.Enough && lacks == "":
		a.Question, a.Prompt, a.Enough = "", 0, true
	case question != "":
		a.Question, a.Prompt, a.Enough = question, in.put(o.Prompt), false
	case o.Enough:
		a.wrong = "enough is false as long as no turn of a person answers " + lacks + "; ask on"
	default:
		a.wrong = "question is empty, and enough is false"
	}
	if text := joined("\n\n", a.Reflection, a.Question); text != b.NextText { // the step file's words
		a.faults = g.leadFaults(in.lead, text, in.transcript.turns, !a.Enough)
	}
	if n := strings.Count(a.Question, "?"); n > questionsAtOnce && a.Question != b.NextText {
		a.faults = append(a.faults, voice.Fault{Rule: voice.RuleLength, Detail: fmt.Sprintf("These are %d questions: ask one, or two that belong together.", n)})
	}
	return a
}

// put is the number of the prompt that a question puts, or 0.
func (in *inquiry) put(n number) int {
	if n < 1 || int(n) > len(in.briefing.Mode.Prompts) {
		return 0
	}
	return int(n)
}

// lacks is what of the step nobody has spoken to, in words for a model: no model ends
// a step by saying so. A prompt that was put is done with.
func (in *inquiry) lacks(criteria, prompts []evident) string {
	b := in.briefing
	if len(in.answers(b.Step.From)) == 0 {
		return "the step at all"
	}
	nCriteria, nPrompts := len(b.Step.Criteria), len(b.Mode.Prompts)
	return joined(" and ",
		lacking("criteria", nCriteria, in.shown(criteria, nCriteria)),
		lacking("prompts", nPrompts, in.shown(prompts, nPrompts), b.Step.Asked))
}
