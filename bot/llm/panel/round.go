package panel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// roundTokens bounds a round's answer, thinking included; what is said takes a
// tenth of it.
const roundTokens = 4096

// round is one round under way.
type round struct {
	panel      *Panel
	subject    roundtable.Subject
	request    roundtable.Round
	transcript *transcript
	emit       func(roundtable.Contribution) error

	// spoken is what was handed on, oldest first.
	spoken []thread.Turn
	// drifted is set once the lead redirected, over when nothing else was asked.
	drifted, over bool
	// missing is set when somebody who must speak did not, unread when an answer
	// could not be read at all.
	missing, unread bool
	conflict        *reported
	// model answered last; spent is what the discussion has cost.
	model string
	spent thread.Spend
}

// Discuss has the cast answer in a round: those who share a model in one call, a
// persona with a model of its own in a call of its own, one after the other in
// the order of speaking. What was handed on before a failure stands: the round is
// then incomplete and the error nil.
func (p *Panel) Discuss(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	rd := p.newRound(r, emit)
	err := rd.hear(ctx)
	if fallsBack(err) && p.standby != nil && !rd.begun() {
		return p.standIn(ctx, r, emit, rd.spent)
	}
	if err = rd.forgivable(ctx, err); err != nil {
		return roundtable.Ending{Spent: rd.spent}, failure(err, rd.spent)
	}
	return roundtable.Ending{Conflict: rd.conflicting(), Incomplete: rd.missing, Spent: rd.spent}, nil
}

func (p *Panel) newRound(r engine.RoundRequest, emit func(roundtable.Contribution) error) *round {
	return &round{
		panel: p, subject: r.Subject, request: r.Round, emit: emit,
		transcript: newTranscript(nonce(p.secret, r.Subject.Discussion), r.Transcript, p.limit),
	}
}

func (rd *round) guard() guard {
	return guard{rd.subject.Cast, rd.transcript.names, rd.panel.length, rd.panel.counts}
}

// begun reports whether something was handed on.
func (rd *round) begun() bool { return len(rd.spoken) > 0 || rd.drifted }

// forgivable swallows a model's failure once somebody has spoken, and an expired
// time limit likewise; what was said stands, and the thread says that the round
// broke off.
func (rd *round) forgivable(ctx context.Context, err error) error {
	_, models := errors.AsType[*llm.Error](err)
	late := errors.Is(ctx.Err(), context.DeadlineExceeded)
	if err == nil || !rd.begun() || !models && !late || ctx.Err() != nil && !late {
		return err
	}
	rd.panel.log.LogAttrs(ctx, slog.LevelWarn, "round_broke_off",
		slog.String("discussion", rd.subject.Discussion), slog.Int("contributions", len(rd.spoken)), slog.Any("error", err))
	rd.missing = true
	return nil
}

// hear hears those who have not spoken, call by call.
func (rd *round) hear(ctx context.Context) error {
	if rd.request.Drifted && len(rd.request.Answers) == 1 {
		return nil // the redirect was the answer, and it stands
	}
	for _, g := range rd.groups() {
		if err := rd.ask(ctx, g); err != nil {
			return err
		}
		if rd.over {
			return nil
		}
	}
	if rd.unread && !rd.begun() {
		return &llm.Error{Kind: llm.Malformed, Model: rd.model, Detail: "unreadable"}
	}
	return nil
}

// group is a part of the cast that one call speaks for.
type group struct {
	model string
	calls []roundtable.Call
}

// groups divides those who have not spoken where the model changes. The order of
// speaking is worth a further call.
func (rd *round) groups() []group {
	var groups []group
	for _, c := range rd.request.Calls {
		persona, ok := rd.persona(c.Persona)
		if !ok || slices.Contains(rd.request.Said, c.Persona) {
			continue
		}
		if n := len(groups); n > 0 && groups[n-1].model == persona.Model {
			groups[n-1].calls = append(groups[n-1].calls, c)
		} else {
			groups = append(groups, group{persona.Model, []roundtable.Call{c}})
		}
	}
	return groups
}

// ask puts the round to the model of a group, and once more what was missing or
// at fault.
func (rd *round) ask(ctx context.Context, g group) error {
	q, err := rd.question(g)
	if err != nil {
		return err
	}
	l := newListener(rd, g)
	err = l.listen(ctx, q)
	if err == nil {
		err = rd.mend(ctx, q, l)
	}
	if l.broken != nil {
		return l.broken
	}
	// Whatever is complete is worth hearing, also when the rest was cut off.
	l.order.settled = true
	if flushed := l.release(); flushed != nil {
		return flushed
	}
	rd.missing = rd.missing || !rd.over && len(l.order.owed()) > 0
	rd.unread = rd.unread || !l.scanner.understood
	if l.conflict != nil {
		rd.conflict = l.conflict
	}
	return err
}

// question is what a group is asked. What was said in this round already, by a
// group before it, is at the end of the transcript.
func (rd *round) question(g group) (llm.Question, error) {
	rules, err := rd.panel.rules("round.txt", rd.subject)
	if err != nil {
		return llm.Question{}, err
	}
	tr := *rd.transcript
	tr.turns = slices.Concat(tr.turns, rd.spoken)
	cue, err := rd.panel.cue(rd, g.calls)
	if err != nil {
		return llm.Question{}, err
	}
	return llm.Question{
		Discussion: rd.subject.Discussion, Model: g.model,
		Request: llm.Request{
			System:   []llm.Block{{Text: rules, Cache: true}, {Text: tr.tags()}},
			Messages: addToUser(tr.conversation(facts(&tr, rd.subject)), llm.Block{Text: cue}),
			Schema:   roundSchema(rd.subject.Cast), SchemaName: roundName,
			MaxTokens: roundTokens, Effort: llm.EffortLow, CacheKey: rd.subject.Discussion,
		},
	}, nil
}

// latest are the cast's newest words, up to the last person before them.
func (rd *round) latest() []thread.Turn {
	turns := rd.transcript.turns
	end := len(turns)
	for end > 0 && turns[end-1].Persona == "" {
		end--
	}
	begin := end
	for begin > 0 && turns[begin-1].Persona != "" {
		begin--
	}
	return turns[begin:end]
}

// since are the numbers of the cast's newest words, which do not carry them.
func (rd *round) since() string {
	var list []string
	for _, t := range rd.latest() {
		list = append(list, fmt.Sprintf("%d (%s)", t.Number, t.Persona))
	}
	return strings.Join(list, ", ")
}

// persona returns a member of the cast.
func (rd *round) persona(k persona.Key) (persona.Persona, bool) {
	i := slices.IndexFunc(rd.subject.Cast, func(p persona.Persona) bool { return p.Key == k })
	if i < 0 {
		return persona.Persona{}, false
	}
	return rd.subject.Cast[i], true
}

// standing finds a turn that stands.
func (rd *round) standing(n int) (thread.Turn, bool) {
	i := slices.IndexFunc(rd.transcript.turns, func(t thread.Turn) bool { return t.Number == n && n > 0 })
	if i < 0 {
		return thread.Turn{}, false
	}
	return rd.transcript.turns[i], true
}

// say hands a contribution on.
func (rd *round) say(p proposal) error {
	c := p.Contribution
	c.Faults = len(p.faults)
	if err := rd.emit(c); err != nil {
		return err
	}
	rd.panel.counts.spoke(p.faults)
	rd.spoken = append(rd.spoken, thread.Turn{Persona: c.Persona, Text: c.Text, Stance: c.Stance, ReplyTo: c.ReplyTo})
	return nil
}

// redirect hands on what the lead says to a turn that belongs elsewhere (FR-004):
// one that is to be answered, or, where nobody is answered, one of the cast's
// newest; what people have gone past need not be called back. If nothing else was to be answered, the round is over with it: to redirect and
// to answer all the same would contradict each other.
func (rd *round) redirect(o reported, engine string) error {
	n := int(o.Turn)
	_, stands := rd.standing(n)
	subject := beginning(thread.OneLine(visible(o.Subject)), 120)
	asked := slices.Contains(rd.request.Answers, n)
	recent := len(rd.request.Answers) == 0 && slices.ContainsFunc(rd.latest(), func(t thread.Turn) bool { return t.Number == n })
	if rd.drifted || rd.request.Drifted || !stands || subject == "" || !asked && !recent {
		return nil
	}
	belongs := beginning(thread.OneLine(visible(o.Belongs)), 80)
	if slices.Contains([]string{"null", "none", "n/a", "unknown"}, strings.ToLower(belongs)) {
		belongs = "" // nothing, in so many words
	}
	rd.drifted = true
	rd.over = asked && len(rd.request.Answers) == 1
	return rd.emit(roundtable.Contribution{
		Persona: rd.subject.Lead, Stance: thread.StanceAdd, ReplyTo: n, Engine: engine,
		Drift: &roundtable.Drift{Turn: n, Subject: subject, Belongs: belongs},
	})
}
