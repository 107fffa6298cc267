package panel

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// stepOf is a step that ships with the product, as an analysis goes through it.
func stepOf(t testing.TB, phase, file, id, title string, depth analysis.Depth) analysis.StepView {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "..", "manifests", "steps", phase, file))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(strings.TrimPrefix(string(raw), "---\n"), "---\n")
	body, _ := analysis.ParseBody(text)
	v := analysis.StepView{
		ID: id, Title: title, Lead: maya, Depth: analysis.Chosen{Depth: depth}, Modes: map[analysis.Depth]analysis.Mode{depth: body.Mode(depth)},
		Criteria: body.Criteria, Targets: body.Targets, Acknowledgement: "Good point, {point}.",
	}
	return v
}

// inquiring is what is asked about user needs, which has two prompts at the brief
// depth and three criteria: said are the turns of the step so far.
func inquiring(t testing.TB, said ...string) engine.Inquiry {
	t.Helper()
	return inquiringInto(t, stepOf(t, "01-requirements", "02-user-needs.md", "01-02", "User Needs Discovery", analysis.Brief), said...)
}

func inquiringInto(t testing.TB, v analysis.StepView, said ...string) engine.Inquiry {
	t.Helper()
	sitting := analysis.Sitting{StepView: v, From: 1}
	for _, line := range said {
		if who, _, _ := strings.Cut(line, ": "); strings.Contains(who, "-") {
			sitting.Asked = append(sitting.Asked, len(sitting.Asked)+1)
			sitting.Questions++
		} else {
			sitting.Answers++
		}
	}
	roster := persona.Roster{Personas: cast(t)}
	b := analysis.Briefing{
		Item: "offline-mode", ItemTitle: "Offline mode", Phase: analysis.PhaseView{Key: "01-requirements", Description: "Finding out what is needed"},
		Step: sitting, Mode: sitting.Mode(), Purpose: analysis.ForStep, Targets: v.Targets, From: 1, Cast: roster.Seats(),
	}
	b.Next, b.NextText = sitting.NextPrompt()
	return engine.Inquiry{Analysis: "A1", Briefing: b, Transcript: talk(said...), Roster: roster}
}

// needs is a talk in which both prompts were put and everything was answered.
func needs() []string {
	return []string{
		"business-analyst: Which groups of people will use this, and who comes first?",
		"Priya: About 40 technicians, and their dispatchers. Technicians come first.",
		"business-analyst: What is each trying to get done, and what stops them today?",
		"Sam: They want to write notes in tunnels. Today drafts vanish, so they use paper.",
	}
}

// next is an answer with the lead's next words.
func next(criteria, prompts string, enough bool, reflection, question, prompt string) string {
	return `{"criteria":` + criteria + `,"prompts":` + prompts + `,"enough":` + line(enough) + `,"summary":null,"reflection":` + line(reflection) +
		`,"prompt":` + prompt + `,"question":` + line(question) + `}`
}

const (
	takesUp = "So paper is the rival to beat, because a tunnel never deletes it."
	asksOn  = "What do technicians do with that paper in the evening, and who reads it?"
	all     = `[{"number":1,"turns":[2]},{"number":2,"turns":[4]},{"number":3,"turns":["4"]}]`
	both    = `[{"number":1,"turns":[2]},{"number":2,"turns":[4]}]`
)

// FR-116: the lead reflects, then asks on. What a model says is used as it is where it
// can be; a fault is asked for once more, and then the step file's own prompt stands.
func TestInquire(t *testing.T) {
	file := analysis.Asked{Question: "What is each trying to get done, in their own words, and what stops them today?", Prompt: 2}
	good := next("[]", "[]", false, takesUp, asksOn, "null")
	own := analysis.Asked{Reflection: takesUp, Question: asksOn}
	begun := needs()[:2]
	tests := []struct {
		name    string
		said    []string
		replies []reply
		want    analysis.Asked
		asked   int
		reason  thread.Reason
	}{
		{"a question of its own", begun, []reply{{text: good}}, own, 1, ""},
		{"a prompt of the step", begun, []reply{{text: next("[]", "[]", false, takesUp, asksOn, "2")}}, analysis.Asked{Reflection: takesUp, Question: asksOn, Prompt: 2}, 1, ""},
		{"a prompt that there is not", begun, []reply{{text: next("[]", "[]", false, takesUp, asksOn, "9")}}, own, 1, ""},
		{"fenced, in pieces", begun, []reply{{text: "Here:\n```json\n" + good + "\n```", piece: 3}}, own, 1, ""},
		{"nobody has answered: nothing to take up", nil, []reply{{text: good}}, analysis.Asked{Question: asksOn}, 1, ""},
		{"a name in front", begun, []reply{{text: next("[]", "[]", false, "Maya Chen: "+takesUp, asksOn, "null")}}, own, 1, ""},
		{"prose, then as asked", begun, []reply{{text: "I would ask about paper."}, {text: good}}, own, 2, ""},
		{"prose twice", begun, []reply{{text: "I would ask about paper."}}, file, 2, ""},
		{"cut at its length twice", begun, []reply{{text: `{"criteria":[`, stop: llm.StopLength}}, file, 2, ""},
		{"without end", begun, []reply{{text: strings.Repeat(`{"x":"`, answerLimit)}}, file, 2, ""},
		{"no question, and not enough", begun, []reply{{text: next("[]", "[]", false, takesUp, "", "null")}},
			analysis.Asked{Reflection: takesUp, Question: file.Question, Prompt: 2}, 2, ""},
		{"a failure after a fault", begun, []reply{{text: "prose"}, {err: &llm.Error{Kind: llm.Overloaded}}}, file, 2, ""},
		{"praise, then better", begun, []reply{{text: next("[]", "[]", false, "Great point!", asksOn, "null")}, {text: good}}, own, 2, ""},
		{"praise, then no better: the first stands", begun, []reply{{text: next("[]", "[]", false, "Great point!", asksOn, "null")}, {text: next("[]", "[]", false, "Great idea!", asksOn, "null")}},
			analysis.Asked{Reflection: "Great point!", Question: asksOn, Faults: 1}, 2, ""},
		{"three questions at once, then one", begun, []reply{{text: next("[]", "[]", false, takesUp, "Who reads it? Who writes it? Who pays for it?", "null")}, {text: good}}, own, 2, ""},
		{"refused", begun, []reply{{stop: llm.StopRefusal}}, analysis.Asked{}, 1, thread.ReasonModelRefused},
		{"overloaded", begun, []reply{{err: &llm.Error{Kind: llm.Overloaded}}}, analysis.Asked{}, 1, thread.ReasonModelUnavailable},
		{"cut off", begun, []reply{{text: good[:40], err: &llm.Error{Kind: llm.Transient}}}, analysis.Asked{}, 1, thread.ReasonModelUnavailable},
		{"nothing to pay with", begun, []reply{{err: &llm.Error{Kind: llm.OverBudget}}}, analysis.Asked{}, 1, thread.ReasonOverBudget},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &scripted{name: "test:model", replies: test.replies}
			q := inquiring(t, test.said...)
			got, err := panelOf(t, m).Inquire(t.Context(), q)
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreFields(analysis.Asked{}, "Spent")); diff != "" {
				t.Error(diff)
			}
			if n := len(m.requests()); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
			wantReason(t, err, test.reason)
		})
	}
}

// A model cannot end a step: enough is only what people's turns show, criterion by
// criterion and prompt by prompt (FR-116, AC-NFR-003-02).
func TestEnoughIsShownByTurns(t *testing.T) {
	struck := func(q *engine.Inquiry) { q.Transcript.Turns[1].Text, q.Transcript.Turns[1].Struck = "", true }
	asked := func(q *engine.Inquiry) { q.Briefing.Step.Asked = []int{1} }
	earlier := func(q *engine.Inquiry) { q.Briefing.Step.From, q.Briefing.Step.Asked = 5, nil }
	tests := []struct {
		name              string
		criteria, prompts string
		change            func(*engine.Inquiry)
		lacks             string // what is named to the model; empty if it is enough
	}{
		{"all is shown", all, both, nil, ""},
		{"a prompt that was put needs no answer", all, "[]", nil, ""},
		{"nothing is shown", "[]", both, nil, "criteria 1, 2, 3"},
		{"one criterion without a turn", `[{"number":1,"turns":[2]},{"number":2,"turns":[]},{"number":3,"turns":[4]}]`, both, nil, "criteria 2"},
		{"by the lead's own turn", `[{"number":1,"turns":[1]},{"number":2,"turns":[4]},{"number":3,"turns":[4]}]`, both, nil, "criteria 1"},
		{"by a turn that there is not", `[{"number":1,"turns":[99]},{"number":2,"turns":[4]},{"number":3,"turns":[-4]}]`, both, nil, "criteria 1, 3"},
		{"by a turn that was deleted", all, both, struck, "criteria 1"},
		{"a prompt was neither put nor answered", all, `[{"number":1,"turns":[2]}]`, asked, "prompts 2"},
		{"nobody has answered in this step", all, both, earlier, "the step at all"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			q := inquiring(t, needs()...)
			if test.change != nil {
				test.change(&q)
			}
			q.Briefing.Next, q.Briefing.NextText = q.Briefing.Step.NextPrompt()
			m := puppet(next(test.criteria, test.prompts, true, takesUp, "", "null"))
			got, err := panelOf(t, m).Inquire(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			requests := m.requests()
			if test.lacks == "" {
				if !got.Enough || got.Question != "" || len(requests) != 1 {
					t.Errorf("got %+v after %d questions, want enough at once", got, len(requests))
				}
				return
			}
			if len(requests) != 2 || !strings.Contains(flat(requests[1]), "no turn of a person answers "+test.lacks+"; ask on") {
				t.Errorf("asked %d times; the second does not name %q", len(requests), test.lacks)
			}
			// Then the step file asks; with nothing left there, the rules look at what
			// was said (TestProbe in package analysis).
			if want := q.Briefing.Next == 0; got.Enough != want || got.Question != q.Briefing.NextText {
				t.Errorf("got %+v, want the step file's next prompt, %q", got, q.Briefing.NextText)
			}
		})
	}
}

// At a change of leads the new one sums up first (AC-011-03); nobody else does.
func TestInquireSumsUp(t *testing.T) {
	answer := strings.Replace(next("[]", "[]", false, "", asksOn, "1"), `"summary":null`, `"summary":"Technicians come first; their drafts vanish in tunnels."`, 1)
	for name, change := range map[string]struct {
		before *analysis.PhaseView
		want   string
	}{"hand-over": {&analysis.PhaseView{Key: "00-quick-scan"}, "Technicians come first; their drafts vanish in tunnels."}, "none": {nil, ""}} {
		t.Run(name, func(t *testing.T) {
			q := inquiring(t)
			q.Briefing.HandOver = change.before
			m := puppet(answer)
			got, err := panelOf(t, m).Inquire(t.Context(), q)
			if err != nil || got.Summary != change.want {
				t.Errorf("got %q, %v, want %q", got.Summary, err, change.want)
			}
			if asked := strings.Contains(flat(m.requests()[0]), "summary: in one or two sentences"); asked != (change.before != nil) {
				t.Errorf("a summary is asked for: %v", asked)
			}
		})
	}
}

// What stands in the documents is told at the beginning of a step, when there is
// something to go on from, and whenever something is added to them.
func TestInquiryTellsDocuments(t *testing.T) {
	p := panelOf(t, puppet(""))
	for n, want := range map[int]bool{0: true, 1: false} {
		q := inquiring(t, needs()[:2*n]...)
		q.Documents = []engine.Document{{File: "quick-scan.md", Text: "About 12 files."}}
		in := p.newInquiry(q, p.limit)
		question, err := in.question()
		if err != nil {
			t.Fatal(err)
		}
		composition, err := in.composing("")
		if err != nil {
			t.Fatal(err)
		}
		const told = `{"file":"quick-scan.md","text":"About 12 files."}`
		if got := strings.Contains(flat(question.Request), told); got != want {
			t.Errorf("after %d questions: told %v, want %v", n, got, want)
		}
		if !strings.Contains(flat(composition.Request), told) {
			t.Errorf("after %d questions: what is added to them does not know the documents", n)
		}
	}
}

// The lead's own model is asked, and the analysis pays (FR-109).
func TestInquireAsksTheLeadsModel(t *testing.T) {
	q := inquiring(t, needs()[:2]...)
	q.Roster.Personas[0].Model = "other:model"
	var asked []llm.Question
	p := panelOf(t, nil, func(o *Options) {
		o.Asker = asking1{&asked, puppet(next("[]", "[]", false, takesUp, asksOn, "2"), composed1)}
	})
	if _, err := p.Inquire(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Compose(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for i, model := range []string{"other:model", ""} {
		if got := asked[i]; got.Discussion != "A1" || !got.Analysis || got.Model != model {
			t.Errorf("question %d: discussion %q, analysis %v, model %q", i, got.Discussion, got.Analysis, got.Model)
		}
	}
}

// The prompt of an analysis only grows at its end, over the turns of a step and from
// step to step, so that what a request marks for the cache begins the next one.
func TestInquiryIsAPrefixOfTheNext(t *testing.T) {
	p := panelOf(t, puppet(""))
	last, schema := "", ""
	said := []string{}
	for n := range 24 {
		q := inquiring(t, said...)
		q.Briefing.Step.From = 1 + n/4*8 // a step has four questions
		q.Briefing.Step.ID = "01-0" + string(rune('1'+n/4))
		question, err := p.newInquiry(q, p.limit).question()
		if err != nil {
			t.Fatal(err)
		}
		if err := question.Request.Check(); err != nil {
			t.Fatal(err)
		}
		prefix, marks := cached(question.Request)
		if !strings.HasPrefix(flat(question.Request), last) || len(prefix) <= len(last) {
			t.Fatalf("question %d does not begin with what was cached:\n%s", n, cmp.Diff(last, flat(question.Request)))
		}
		if marks > 4 || schema != "" && schema != string(question.Request.Schema) {
			t.Fatalf("question %d: %d marks, schema %s", n, marks, question.Request.Schema)
		}
		if fresh := strings.TrimPrefix(flat(question.Request), prefix); strings.Contains(fresh, " turn>") {
			t.Fatalf("question %d: what people said is not cached:\n%s", n, fresh)
		}
		last, schema = prefix, string(question.Request.Schema)
		said = append(said, "business-analyst: "+strings.Repeat("ask ", 30), []string{"Priya: ", "Sam: "}[n%2]+strings.Repeat("say ", 40))
	}
}

// A long analysis is told in short from its beginning on; nobody's turn disappears.
func TestInquiryIsCompacted(t *testing.T) {
	p := panelOf(t, puppet(""), func(o *Options) { o.Transcript = 4000 })
	var said []string
	for range 40 {
		said = append(said, "business-analyst: "+strings.Repeat("ask ", 60), "Priya: "+strings.Repeat("say ", 60))
	}
	q, err := p.newInquiry(inquiring(t, said...), p.limit).question()
	if err != nil {
		t.Fatal(err)
	}
	got := flat(q.Request)
	if !strings.Contains(got, "earlier turns, in short>") || strings.Count(got, `"turn":`) != len(said) {
		t.Errorf("%d of %d turns are told", strings.Count(got, `"turn":`), len(said))
	}
	if m := q.Request.Messages; len(m) != 1 || !slices.ContainsFunc(m[0].Blocks, func(b llm.Block) bool { return b.Cache }) {
		t.Errorf("%d messages, or no cache mark", len(m))
	}
}
