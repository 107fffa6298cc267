package offline_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/golden"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// sitting is a step of the product as it is gone through.
func sitting(t *testing.T, id string, depth analysis.Depth) analysis.Sitting {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	f, _, ok := set.Steps.Catalogue.Step(id)
	if !ok {
		t.Fatalf("there is no step %s", id)
	}
	v := analysis.StepView{ID: f.ID, Title: f.Title, Depth: analysis.Chosen{Depth: depth}, Modes: map[analysis.Depth]analysis.Mode{}, Targets: f.Targets(), Files: f.Files()}
	for _, d := range analysis.Depths() {
		v.Modes[d] = f.Body.Mode(d)
	}
	return analysis.Sitting{StepView: v, From: 1}
}

// talk is a transcript of a step: the prompts in order, each with its answers.
func talk(step analysis.Sitting, answers ...[]thread.Turn) (analysis.Sitting, thread.Transcript) {
	var t thread.Transcript
	add := func(turn thread.Turn) {
		turn.Number = len(t.Turns) + 1
		t.Turns = append(t.Turns, turn)
	}
	for i, said := range answers {
		add(thread.Turn{Persona: "business-analyst", Text: "Understood.\n\n" + step.Mode().Prompts[i]})
		step.Asked = append(step.Asked, i+1)
		step.Questions++
		for _, turn := range said {
			add(turn)
		}
	}
	return step, t
}

func inquiryOf(step analysis.Sitting, t thread.Transcript, purpose analysis.Purpose) engine.Inquiry {
	b := analysis.Briefing{Item: "offline-mode", ItemTitle: "Offline mode", Step: step, Mode: step.Mode(), Purpose: purpose, Targets: step.Targets, From: 1}
	b.Next, b.NextText = step.NextPrompt()
	return engine.Inquiry{Transcript: t, Briefing: b}
}

func turnOf(id, name, text string) thread.Turn {
	return thread.Turn{Person: thread.Person{ID: id, Name: name}, Text: text}
}

func priyaSays(text string) []thread.Turn { return []thread.Turn{turnOf("U1", "Priya", text)} }

// The lead takes up what was said, with names where several spoke, and asks on.
func TestInquire(t *testing.T) {
	sam := turnOf("U2", "Sam", "See <https://example.com/x|the list> *first*")
	const next = "What could double that number?"
	for _, c := range []struct {
		name string
		said []thread.Turn
		want string
	}{
		{"nobody answered", nil, ""},
		{"a figure", priyaSays("About 40 files."), "I work with that figure: 40 files."},
		{"a short one is not repeated", priyaSays("hm, mostly the till service"), "Understood."},
		{"a sentence", priyaSays("Sam does the tills, and the rest is for the shop server"), "Understood: Sam does the tills, and the rest is for the shop server."},
		{"a decision", priyaSays("Decision: the till keeps its sales"), "That is decided, then: the till keeps its sales."},
		{"the sentence that says most", priyaSays("Well. It is like this. We decided to keep sales on the till. Any questions?"), "Understood: “We decided to keep sales on the till.”"},
		{"a long one ends with a clause", priyaSays("The tills write every sale into a journal on their own disk and send it to the shop server later, because the network in the basement is gone for hours every single week"),
			"Understood: The tills write every sale into a journal on their own disk and send it to the shop server later …"},
		{"nobody knows", priyaSays("no idea, ask finance"), "Nobody knows that yet, and I will say so in the document."},
		{"nothing more", priyaSays("That's all for now."), "All right."},
		{"a yes", priyaSays("Yes, sounds good"), "All right."},
		{"two people", append(priyaSays("It is the tills. And 40 files."), sam), "Understood: Priya says “And 40 files”, and Sam says “See the list first”."},
	} {
		t.Run(c.name, func(t *testing.T) {
			step, log := talk(sitting(t, "00-03", analysis.Brief), c.said)
			got, err := offline.NewInquirer(0).Inquire(t.Context(), inquiryOf(step, log, analysis.ForStep))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(analysis.Asked{Reflection: c.want, Question: next, Prompt: 2}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	step, log := talk(sitting(t, "00-03", analysis.Brief), priyaSays("8 to 12"), priyaSays("Nothing."))
	if got, _ := offline.NewInquirer(0).Inquire(t.Context(), inquiryOf(step, log, analysis.ForStep)); !got.Enough || got.Question != "" {
		t.Errorf("after the last prompt: got %+v, want enough", got)
	}
}

// A new lead begins with what was decided and what was put most tellingly before,
// by whom (AC-008-03, AC-011-03).
func TestHandOverSummary(t *testing.T) {
	step, log := talk(sitting(t, "00-03", analysis.Brief), priyaSays("About 40 files. It is raining."))
	log.Marks = []thread.Marked{{Mark: thread.Mark{Kind: thread.MarkDecision, By: thread.Person{Name: "Sam"}}, Body: "refunds wait", Turn: 1}}
	step.From = 3
	in := inquiryOf(step, log, analysis.ForStep)
	in.Briefing.HandOver = &analysis.PhaseView{Key: "00-quick-scan"}
	got, err := offline.NewInquirer(0).Inquire(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Sam decided: “refunds wait”; Priya: “About 40 files”; Priya: “It is raining”"; got.Summary != want {
		t.Errorf("got %q, want %q", got.Summary, want)
	}
}

// What is written down are people's words below the questions they answer, each with
// its author, and what nobody answered (I8, AC-010-05). They are reviewed in testdata/minutes; -update
// writes them anew.
func TestCompose(t *testing.T) {
	for _, c := range []struct {
		name, step string
		depth      analysis.Depth
		purpose    analysis.Purpose
		answers    [][]thread.Turn
	}{
		{"scope", "00-01", analysis.Brief, analysis.ForStep, [][]thread.Turn{
			{turnOf("U1", "Pri*ya*", "Shop staff go on selling when the network is down &amp; out."), turnOf("U2", "Sam", "<@U1> means the tills:\n• tills\n• handhelds")},
			{turnOf("U3", "Lena", "Large, and high complexity. Not like the last small one.")},
		}},
		{"scope left early", "00-01", analysis.Standard, analysis.ForStep, [][]thread.Turn{priyaSays("The tills sell offline")}},
		{"file count", "00-03", analysis.Brief, analysis.ForStep, [][]thread.Turn{priyaSays("35-40 files in 3 modules"), priyaSays("The old tills")}},
		{"two documents", "01-05", analysis.Brief, analysis.ForStep, [][]thread.Turn{priyaSays("A sale in 2 seconds. Only staff may refund."), priyaSays("We lose a sale")}},
		{"stories", "01-07", analysis.Standard, analysis.ForStep, [][]thread.Turn{
			priyaSays("As a cashier, I want to sell without network so that the queue moves (FR-001)."),
			{turnOf("U2", "Sam", "Given no network, when a sale is rung up, then it prints a receipt. As a manager I need a list of unsent sales."), turnOf("U3", "Lena", "Both matter.")},
		}},
		{"no story", "01-07", analysis.Brief, analysis.ForStep, [][]thread.Turn{priyaSays("Cashiers first")}},
		{"priorities", "01-08", analysis.Brief, analysis.ForStep, [][]thread.Turn{priyaSays("FR-001 is a must. Refunds won't be in it; FR-002 could come later, for US-003.")}},
		{"technology", "03-02", analysis.Brief, analysis.ForStep, [][]thread.Turn{
			priyaSays("Decision: SQLite on the till. Nothing else is new."), {turnOf("U2", "Sam", "Postgres was turned away: nobody runs it in a shop.\n```\npragma journal_mode = wal;\n```")},
		}},
		{"feedback", "04-03", analysis.Standard, analysis.ForFeedback, [][]thread.Turn{priyaSays("The states lack one: a sale may be parked")}},
		{"skip", "01-02", analysis.Standard, analysis.ForSkip, [][]thread.Turn{priyaSays("Two groups of people use it: cashiers, often, and managers. The weather is fine.")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			step, log := talk(sitting(t, c.step, c.depth), c.answers...)
			in := inquiryOf(step, log, c.purpose)
			if c.purpose == analysis.ForFeedback { // nothing was asked since the menu
				in.Briefing.From = 2
				in.Briefing.Step.Acknowledgement = "Good point about {point}."
			}
			d, err := offline.NewInquirer(0).Compose(t.Context(), in)
			if err != nil || d == nil {
				t.Fatalf("got %v, %v", d, err)
			}
			golden.Check(t, "testdata/minutes/"+strings.ReplaceAll(c.name, " ", "-")+".txt", shown(t, d), flag.Lookup("update").Value.String() == "true")
		})
	}
}

// A second attempt is left to the rules, and so is a step of which nobody spoke.
func TestComposeNothing(t *testing.T) {
	step, log := talk(sitting(t, "00-01", analysis.Brief), priyaSays("The tills"))
	again := inquiryOf(step, log, analysis.ForStep)
	again.Fault = "the part is empty"
	silent, silence := talk(sitting(t, "00-01", analysis.Brief), nil)
	for name, in := range map[string]engine.Inquiry{"second attempt": again, "nobody spoke": inquiryOf(silent, silence, analysis.ForStep)} {
		if d, err := offline.NewInquirer(0).Compose(t.Context(), in); d != nil || err != nil {
			t.Errorf("%s: got %+v, %v, want nothing", name, d, err)
		}
	}
}

// Every step fills every artifact it names, whatever was said, and no word of it is
// lost.
func TestComposeFillsEveryArtifact(t *testing.T) {
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Steps.Catalogue.Phases {
		for _, f := range p.Steps {
			step, log := talk(sitting(t, f.ID, analysis.Standard), priyaSays("Decision: xylophones everywhere"))
			d, err := offline.NewInquirer(0).Compose(t.Context(), inquiryOf(step, log, analysis.ForStep))
			if err != nil || d == nil {
				t.Fatalf("step %s: got %v, %v", f.ID, d, err)
			}
			for _, o := range f.Outputs {
				found, kept := false, false
				for _, part := range d.Parts {
					found = found || strings.HasPrefix(part.File, o)
					kept = kept || strings.Contains(part.Content, "ylophones everywhere")
				}
				if !found || !kept {
					t.Errorf("step %s: %s filled: %t, the answer kept: %t", f.ID, o, found, kept)
				}
			}
		}
	}
}

// shown is a draft as a person would read it.
func shown(t *testing.T, d *analysis.Draft) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("point: " + d.Point + "\nsummary: " + d.Summary + "\n")
	for _, p := range d.Parts {
		if p.Part == analysis.PartList && !json.Valid([]byte(p.Content)) {
			t.Errorf("the list of %s is no JSON:\n%s", p.File, p.Content)
		}
		b.WriteString("\n==== " + p.File + ", " + string(p.Part) + " " + p.Name + "\n\n" + strings.TrimRight(p.Content, "\n") + "\n")
	}
	return b.String()
}

// The values on which later phases go by are read from what offline writes as from
// what anybody writes (AC-006-02, AC-006-03).
func TestComposeQuickScan(t *testing.T) {
	for _, c := range []struct {
		step, answer string
		want         analysis.QuickScan
	}{
		{"00-01", "Large, and high complexity. Not like the last small one.", analysis.QuickScan{Scope: analysis.ScopeLarge, Complexity: analysis.ComplexityHigh}},
		{"00-01", "A medium change with rather low complexity", analysis.QuickScan{Scope: analysis.ScopeMedium, Complexity: analysis.ComplexityLow}},
		{"00-01", "Medium in both", analysis.QuickScan{Scope: analysis.ScopeMedium, Complexity: analysis.ComplexityMedium}},
		{"00-01", "Complexity is high; the scope is small", analysis.QuickScan{Scope: analysis.ScopeSmall, Complexity: analysis.ComplexityHigh}},
		{"00-01", "We cannot tell", analysis.QuickScan{}},
		{"00-03", "maybe 8 to 12", analysis.QuickScan{Files: 12, FilesKnown: true}},
		{"00-03", "40 files in 3 modules", analysis.QuickScan{Files: 40, FilesKnown: true}},
		{"00-03", "it takes 8 hours", analysis.QuickScan{}},
		{"00-03", "20 in the till and 5 in the sync service", analysis.QuickScan{}},
	} {
		t.Run(c.answer, func(t *testing.T) {
			answers := [][]thread.Turn{priyaSays(c.answer)}
			if c.step == "00-01" {
				answers = [][]thread.Turn{priyaSays("A small team gets high hopes"), priyaSays(c.answer)}
			}
			step, log := talk(sitting(t, c.step, analysis.Brief), answers...)
			d, err := offline.NewInquirer(0).Compose(t.Context(), inquiryOf(step, log, analysis.ForStep))
			if err != nil || d == nil {
				t.Fatalf("got %v, %v", d, err)
			}
			if diff := cmp.Diff(c.want, analysis.ReadQuickScan(d.Parts[0].Content)); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, d.Parts[0].Content)
			}
		})
	}
}
