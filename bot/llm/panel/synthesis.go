package panel

import (
	"context"
	"errors"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// synthesisTokens bounds a synthesis, thinking included; a second attempt may take
// twice as much, because the first may have been cut off.
const synthesisTokens = 8192

// Bounds of a draft. The rules bound each line.
const (
	pointsLimit = 12 // of each kind
	recordLimit = 4  // times as much of the transcript is told as in a round
)

// Synthesise drafts the synthesis (FR-008). The draft is only read here: what its
// points cite, who is named by them, what counts as a decision and what people
// marked is for the rules to judge. A nil draft with a nil error is an answer that
// could not be read or was cut off; the rules ask once more, with the fault, and
// then go on without (ERR-ELAB-007).
func (p *Panel) Synthesise(ctx context.Context, s roundtable.Subject, t thread.Transcript, fault string) (*roundtable.Draft, error) {
	draft, spent, err := p.draft(ctx, s, t, fault)
	unread := err == nil && draft == nil && fault != ""
	if p.standby != nil && (fallsBack(err) || unread) {
		p.counts.stoodIn(synthesisName)
		if draft, err = p.standby.Panel.Synthesise(ctx, s, t, fault); err != nil || draft == nil {
			return draft, err
		}
		draft.Engine, draft.Spent = p.standby.Engine, spent
	}
	return draft, failure(err, spent)
}

func (p *Panel) draft(ctx context.Context, s roundtable.Subject, t thread.Transcript, fault string) (*roundtable.Draft, thread.Spend, error) {
	q, err := p.synthesisQuestion(s, t, fault)
	if err != nil {
		return nil, thread.Spend{}, err
	}
	w := newWhole(func(raw []byte) bool { return hasMember(raw, "insights") || hasMember(raw, "decisions") })
	result, err := w.ask(ctx, p.asker, q)
	if e, ok := errors.AsType[*llm.Error](err); err != nil && (!ok || e.Kind != llm.Truncated && e.Kind != llm.Malformed) {
		return nil, result.Spent, err
	}
	var draft *roundtable.Draft
	if err == nil {
		draft = readDraft(w.object)
	}
	if draft == nil {
		p.counts.drop(synthesisName)
		return nil, result.Spent, nil
	}
	draft.Engine, draft.Spent = w.engine, result.Spent
	return draft, result.Spent, nil
}

func (p *Panel) synthesisQuestion(s roundtable.Subject, t thread.Transcript, fault string) (llm.Question, error) {
	rules, err := p.rules("synthesis.txt", s)
	if err != nil {
		return llm.Question{}, err
	}
	tr := newTranscript(nonce(p.secret, s.Discussion), t, p.limit*recordLimit)
	blocks := []llm.Block{{Text: facts(tr, s)}, {Text: tr.record()}}
	if marks := tr.marked(); marks != "" {
		blocks = append(blocks, llm.Block{Text: "Recorded already, because people marked it:\n" + marks})
	}
	task, tokens := "Draw up the result.", synthesisTokens
	if fault != "" {
		task, tokens = "Draw up the result. Your last answer could not be used: "+fault+".", 2*synthesisTokens
	}
	return llm.Question{Discussion: s.Discussion, Request: llm.Request{
		// Nothing is marked for a cache: no later request begins like this one.
		System:   []llm.Block{{Text: rules}, {Text: tr.tags()}},
		Messages: []llm.Message{{Role: llm.User, Blocks: append(blocks, llm.Block{Text: task})}},
		Schema:   synthesisSchema(), SchemaName: synthesisName,
		MaxTokens: tokens, Effort: llm.EffortMedium, CacheKey: s.Discussion,
	}}, nil
}

// readDraft reads a draft, or returns nil.
func readDraft(raw []byte) *roundtable.Draft {
	type point struct {
		Turns []number `json:"turns"`
		Text  string   `json:"text"`
		Why   string   `json:"why"`
	}
	var o struct {
		Insights  []point `json:"insights"`
		Decisions []point `json:"decisions"`
		Questions []point `json:"open_questions"`
		Actions   []point `json:"action_items"`
		Summary   string  `json:"summary"`
	}
	if !readObject(raw, &o) {
		return nil
	}
	points := func(list []point) []roundtable.DraftPoint {
		var out []roundtable.DraftPoint
		for _, p := range list[:min(len(list), pointsLimit)] {
			d := roundtable.DraftPoint{Text: thread.OneLine(visible(p.Text)), Why: thread.OneLine(visible(p.Why))}
			for _, n := range p.Turns {
				d.Turns = append(d.Turns, int(n))
			}
			out = append(out, d)
		}
		return out
	}
	return &roundtable.Draft{
		Insights: points(o.Insights), Decisions: points(o.Decisions), Questions: points(o.Questions),
		Actions: points(o.Actions), Summary: thread.OneLine(visible(o.Summary)),
	}
}
