package panel

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

func framed(summary, focus string, ask persona.Key) string {
	return line(map[string]string{"summary": summary, "focus": focus, "ask": string(ask)})
}

// The lead frames (FR-004, AC-004-03); an answer that cannot be used is asked for
// once more with the fault named, and then used as far as it goes.
func TestFrame(t *testing.T) {
	good := framed("Drafts are lost in the field.", "Which notes must never be lost?", alex)
	want := roundtable.Framing{Summary: "Drafts are lost in the field.", Focus: "Which notes must never be lost?", Ask: alex}
	tests := []struct {
		name    string
		replies []reply
		want    roundtable.Framing
		asked   int
		reason  thread.Reason
	}{
		{"strict", []reply{{text: good}}, want, 1, ""},
		{"fenced, in pieces", []reply{{text: "Here:\n```json\n" + good + "\n```", piece: 3}}, want, 1, ""},
		{"the colleague by first name", []reply{{text: framed(want.Summary, want.Focus, "Alex")}}, want, 1, ""},
		{"not a question", []reply{{text: framed("", "Which notes", alex)}, {text: good}}, want, 2, ""},
		{"asks the lead", []reply{{text: framed("", want.Focus, maya)}, {text: good}}, want, 2, ""},
		{"prose", []reply{{text: "I would ask about drafts."}, {text: good}}, want, 2, ""},
		{"prose twice: the rules make up for it", []reply{{text: "I would ask about drafts."}}, roundtable.Framing{}, 2, ""},
		{"the lead twice: what is usable stands", []reply{{text: framed("", want.Focus, maya)}}, roundtable.Framing{Focus: want.Focus}, 2, ""},
		{"a failure after a fault: what is usable stands", []reply{{text: framed("", want.Focus, maya)}, {err: &llm.Error{Kind: llm.Overloaded}}}, roundtable.Framing{Focus: want.Focus}, 2, ""},
		{"a word that the lead avoids (FR-010)", []reply{{text: framed("", "Which microservice must never lose a note?", alex)}, {text: good}}, want, 2, ""},
		{"such a word twice: the first stands", []reply{{text: framed("", "Which microservice must never lose a note?", alex)}, {text: framed("", "Which middleware must never lose a note?", alex)}},
			roundtable.Framing{Focus: "Which microservice must never lose a note?", Ask: alex, Faults: 1}, 2, ""},
		{"usable, then prose: the first stands", []reply{{text: framed("", "Which microservice must never lose a note?", alex)}, {text: "no"}},
			roundtable.Framing{Focus: "Which microservice must never lose a note?", Ask: alex, Faults: 1}, 2, ""},
		{"cut at its length, then whole", []reply{{text: good[:30], stop: llm.StopLength}, {text: good}}, want, 2, ""},
		{"cut at its length twice: the rules make up for it", []reply{{text: good[:30], stop: llm.StopLength}}, roundtable.Framing{}, 2, ""},
		{"without end", []reply{{text: strings.Repeat(`{"x":"`, answerLimit)}}, roundtable.Framing{}, 2, ""},
		{"a failure", []reply{{err: &llm.Error{Kind: llm.Overloaded}}}, roundtable.Framing{}, 1, thread.ReasonModelUnavailable},
		{"no key", []reply{{err: &llm.Error{Kind: llm.Auth}}}, roundtable.Framing{}, 1, thread.ReasonModelConfig},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &scripted{name: "test:model", replies: test.replies}
			got, err := panelOf(t, m).Frame(t.Context(), subject(t))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if n := len(m.requests()); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
			wantReason(t, err, test.reason)
		})
	}
	t.Run("the fault is named, after the answer", func(t *testing.T) {
		m := puppet(framed("", "Which notes", alex), good)
		if _, err := panelOf(t, m).Frame(t.Context(), subject(t)); err != nil {
			t.Fatal(err)
		}
		again := flat(m.requests()[1])
		if !strings.Contains(again, "focus is not a question") || !strings.Contains(again, "[assistant] "+framed("", "Which notes", alex)) {
			t.Errorf("got %s", again)
		}
	})
}

// A draft is read as it is: what it is worth is for the rules to judge. Here both
// together, as the discussion ends (FR-008, AC-008-05, NFR-003).
func TestSynthesise(t *testing.T) {
	draft := `{"insights":[{"turns":[2,"3",99],"text":"Two ways\nto keep them.","why":null}],
		"decisions":[{"turns":[2],"text":"Keep everything.","why":"cheap"},{"turns":[4],"text":"Refund at once.","why":null}],
		"open_questions":[{"turns":[],"text":"Uncited?","why":"x"}],"action_items":[],"summary":"Refund at once."}`
	m := puppet(draft)
	s := subject(t)
	tr := opened()
	tr.Marks = []thread.Marked{{Mark: thread.Mark{Kind: thread.MarkDecision, By: tr.Turns[3].Person}, Body: "Drafts are kept.", Turn: 3}}
	got, err := panelOf(t, m).Synthesise(t.Context(), s, tr, "")
	if err != nil {
		t.Fatal(err)
	}
	want := &roundtable.Draft{
		Insights:  []roundtable.DraftPoint{{Text: "Two ways to keep them.", Turns: []int{2, 3, 99}}},
		Decisions: []roundtable.DraftPoint{{Text: "Keep everything.", Why: "cheap", Turns: []int{2}}, {Text: "Refund at once.", Turns: []int{4}}},
		Questions: []roundtable.DraftPoint{{Text: "Uncited?", Why: "x"}},
		Summary:   "Refund at once.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	d := roundtable.Discussion{Lead: maya, Cast: persona.Roster{Personas: s.Cast}.Seats(), People: []thread.Person{tr.Turns[3].Person}}
	syn, fault := roundtable.Check(d, got, tr)
	if fault != "" {
		t.Fatal(fault)
	}
	var lines []string
	for _, list := range [][]thread.Point{syn.Insights, syn.Decisions, syn.Questions} {
		for _, p := range list {
			lines = append(lines, p.Line())
		}
	}
	wantLines := []string{
		"[Alex/Jordan] Two ways to keep them.", "[Alex] Keep everything: cheap", // no person's turn: an insight
		"[User] Refund at once.", "[Jordan/User] Drafts are kept.", // marked: in, whatever the model says
	}
	if diff := cmp.Diff(wantLines, lines); diff != "" {
		t.Error(diff)
	}
	if request := flat(m.requests()[0]); strings.Contains(request, "[assistant]") || !strings.Contains(request, "Drafts are kept.") {
		t.Errorf("got %s", request)
	}
}

// An answer that cannot be read is no error but no draft: the rules ask once more,
// with the fault, and then go on without (ERR-ELAB-007).
func TestSynthesiseUnread(t *testing.T) {
	tests := []struct {
		name   string
		reply  reply
		reason thread.Reason
	}{
		{"prose", reply{text: "They agreed on refunds."}, ""},
		{"another object", reply{text: `{"result":"ok"}`}, ""},
		{"cut at its length", reply{text: `{"insights":[{"turns":[1],`, stop: llm.StopLength}, ""},
		{"without end", reply{text: strings.Repeat(`{"x":"`, answerLimit)}, ""},
		{"cut off", reply{text: `{"insights":[`, err: &llm.Error{Kind: llm.Transient}}, thread.ReasonModelUnavailable},
		{"refused", reply{stop: llm.StopRefusal}, thread.ReasonModelRefused},
		{"nothing to pay with", reply{err: &llm.Error{Kind: llm.OverBudget, Budget: &thread.Budget{Scope: thread.BudgetDay}}}, thread.ReasonOverBudget},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, fault := range []string{"", "no point cites a turn"} {
				m := &scripted{name: "test:model", replies: []reply{test.reply}}
				got, err := panelOf(t, m).Synthesise(t.Context(), subject(t), opened(), fault)
				if got != nil {
					t.Errorf("got %v, want no draft", got)
				}
				wantReason(t, err, test.reason)
				if p, ok := errors.AsType[*engine.PanelError](err); ok && test.reason == thread.ReasonOverBudget && p.Budget == nil {
					t.Error("the budget is not named")
				}
				if fault != "" && !strings.Contains(flat(m.requests()[0]), fault) {
					t.Error("the fault is not named to the model")
				}
			}
		})
	}
}
