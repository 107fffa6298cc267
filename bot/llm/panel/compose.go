package panel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// composingTokens bounds what is written for documents, thinking included; what is
// written again after a fault may take twice as much, because the first may have been
// cut off.
const composingTokens = 12_288

// Compose drafts what a step leaves in its documents, and judges by the turns that
// meet them which criteria are met (FR-116). Every statement names the people on
// whose turns it rests; one that rests on none is an assumption, whatever the model
// calls it. What people marked is for the rules to put in. A nil draft with a nil
// error is an answer that could not be read or was cut off: the rules ask once more
// with the fault, and then write down what was said as it was said.
func (p *Panel) Compose(ctx context.Context, q engine.Inquiry) (*analysis.Draft, error) {
	draft, spent, err := p.compose(ctx, p.newInquiry(q, p.limit*recordLimit), q)
	unread := err == nil && draft == nil && q.Fault != ""
	if p.standby != nil && (fallsBack(err) || unread) {
		p.counts.stoodIn(composingName)
		q.Fault = "" // which was not the standby's
		if draft, err = p.standby.Inquirer.Compose(ctx, q); err != nil || draft == nil {
			return draft, err
		}
		draft.Engine, draft.Spent = p.standby.Engine, spent
	}
	return draft, failure(err, spent)
}

// compose asks once, and, unless it is the second attempt already, once more for
// what the answer lacks.
func (p *Panel) compose(ctx context.Context, in *inquiry, inquiry engine.Inquiry) (*analysis.Draft, thread.Spend, error) {
	q, err := in.composing(inquiry.Fault)
	if err != nil {
		return nil, thread.Spend{}, err
	}
	links := thread.LinksIn(inquiry.Transcript, in.briefing.ItemTitle)
	var best *composed
	var spent thread.Spend
	for attempt := range 2 {
		w := newWhole(func(raw []byte) bool { return hasMember(raw, "parts") })
		result, err := w.ask(ctx, p.asker, q)
		if !result.Spent.IsZero() {
			spent = result.Spent
		}
		switch _, models := errors.AsType[*llm.Error](err); {
		case err != nil && best != nil && models && ctx.Err() == nil:
			return best.draft(spent), spent, nil // the first answer, as far as it goes
		case err != nil && !unreadable(err):
			return nil, spent, err
		}
		if attempt > 0 {
			p.counts.mended(false, err)
		}
		again := in.compose(w.object, links)
		if err != nil || again == nil {
			p.counts.drop(composingName)
			return best.draft(spent), spent, nil
		}
		again.Engine = w.engine
		if best == nil || len(again.lacks) < len(best.lacks) {
			best = again
		}
		if len(again.lacks) == 0 || attempt > 0 || inquiry.Fault != "" {
			break
		}
		p.log.LogAttrs(ctx, slog.LevelInfo, "composition_mended", slog.String("analysis", in.id), slog.Int("lacks", len(again.lacks)))
		q = followed(q, excerpt(visible(string(w.object)), in.transcript.limit/4), "This is to be mended: "+joined(" ", again.lacks...)+" Write the whole object again.")
	}
	p.counts.composed(best)
	return best.draft(spent), spent, nil
}

// composing is what is asked for.
func (in *inquiry) composing(fault string) (llm.Question, error) {
	rules, err := in.rules("compose.txt")
	if err != nil {
		return llm.Question{}, err
	}
	tokens := composingTokens
	if fault != "" {
		tokens *= 2
	}
	values := struct {
		Purpose                             analysis.Purpose
		Step, From, Documents, Marks, Fault string
	}{in.briefing.Purpose, in.places(), fmt.Sprint(in.briefing.From), in.written(), in.transcript.marked(), thread.OneLine(fault)}
	cue, err := in.panel.prompts.write("composition_cue.txt", values)
	if err != nil {
		return llm.Question{}, err
	}
	return llm.Question{Discussion: in.id, Analysis: true, Request: llm.Request{
		// Nothing but the rules comes again before what is mended.
		System:   []llm.Block{{Text: rules, Cache: true}, {Text: in.transcript.tags()}},
		Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: in.facts()}, {Text: in.transcript.record()}, {Text: cue}}}},
		Schema:   composingSchema(), SchemaName: composingName,
		MaxTokens: tokens, Effort: llm.EffortMedium, CacheKey: in.id,
	}}, nil
}

// places tells the step and what it fills, as data.
func (in *inquiry) places() string {
	type place struct {
		Number int               `json:"number"`
		File   string            `json:"file"`
		Kind   analysis.PartKind `json:"kind"`
		Name   string            `json:"name"`
		Form   string            `json:"form,omitempty"`
	}
	var list []place
	for i, t := range in.briefing.Targets {
		list = append(list, place{i + 1, t.File, t.Part, readable(t.Name, nil), excerpt(readable(t.Form, nil), factLimit)})
	}
	criteria := in.criteria()
	if in.briefing.Purpose != analysis.ForStep {
		criteria = nil
	}
	return in.transcript.data("step", line(struct {
		Step     string     `json:"step"`
		Criteria []numbered `json:"criteria,omitempty"`
		Places   []place    `json:"places"`
	}{in.stepName(), criteria, list}))
}

// composed is an answer as far as it can be used, and what it lacks, in sentences for
// a model.
type composed struct {
	analysis.Draft
	lacks []string
	// faults are what the lead would not say of the point.
	faults []voice.Fault
	// bare counts statements that were called said and cite nobody.
	bare int
}

// draft is nil where there is none.
func (c *composed) draft(spent thread.Spend) *analysis.Draft {
	if c == nil {
		return nil
	}
	c.Spent = spent
	return &c.Draft
}

// compose reads an answer; nil if it is none.
func (in *inquiry) compose(raw []byte, links thread.Links) *composed {
	var o struct {
		Criteria []evident      `json:"criteria"`
		Parts    []reportedPart `json:"parts"`
		Summary  string         `json:"summary"`
		Point    string         `json:"point"`
	}
	if !readObject(raw, &o) {
		return nil
	}
	c := &composed{}
	c.Summary = bounded(links.Tame(thread.OneLine(visible(o.Summary))), reflectionLimit)
	w := partWriter{inquiry: in, links: links}
	var filled []int
	for _, p := range o.Parts[:min(len(o.Parts), partsLimit)] {
		if part, ok := w.part(p); ok {
			c.Parts = append(c.Parts, part)
			filled = append(filled, int(p.Place))
		}
	}
	c.bare = w.bare
	if w.bare > 0 {
		c.lacks = append(c.lacks, fmt.Sprintf("%d entries have basis said and cite no turn of a person: cite it, or call them assumed or open.", w.bare))
	}
	switch in.briefing.Purpose {
	case analysis.ForStep:
		in.judge(c, o.Criteria)
		if missing := lacking("places", len(in.briefing.Targets), filled); missing != "" {
			c.lacks = append(c.lacks, "Nothing is written for "+missing+": where people said nothing to a place, write what is open about it.")
		}
	case analysis.ForFeedback:
		in.point(c, o.Point)
	case analysis.ForSkip, analysis.ForPhase, analysis.ForMarks:
	}
	return c
}

// judge takes over which criteria are met. Without any report words decide, as they
// do without a model.
func (in *inquiry) judge(c *composed, report []evident) {
	n := len(in.briefing.Step.Criteria)
	if n == 0 {
		return
	}
	if len(report) == 0 {
		c.lacks = append(c.lacks, "criteria is empty: list each with the turns that meet it, or with none.")
		return
	}
	met := in.shown(report, n)
	c.Judged = true
	for i := range n {
		if !slices.Contains(met, i+1) {
			c.Unmet = append(c.Unmet, i)
		}
	}
}

// point is what feedback came down to. It stands in a sentence of the lead's.
func (in *inquiry) point(c *composed, text string) {
	g := in.guard()
	if c.Point = bounded(thread.OneLine(g.ownWords(text, in.lead)), pointLimit); c.Point == "" {
		return
	}
	c.faults = g.leadFaults(in.lead, c.Point, nil, false)
	if len(c.faults) > 0 {
		c.lacks = append(c.lacks, "point: "+sentences(c.faults))
	}
}

// pointLimit bounds what feedback came down to, in characters.
const pointLimit = 160
