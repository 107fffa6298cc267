package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/evaluation"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// evaluate runs eval with an environment.
func evaluate(env map[string]string, args ...string) ran {
	var out, errs bytes.Buffer
	s := streams{in: strings.NewReader(""), out: &out, err: &errs, environ: func(k string) (string, bool) { v, ok := env[k]; return v, ok }}
	code := run(context.Background(), s, append([]string{"eval"}, args...))
	return ran{code, out.String(), errs.String()}
}

// Without a key the built-in personas are evaluated, the same way each time, and
// the report is written for people and for programs.
func TestEvalOffline(t *testing.T) {
	t.Chdir(t.TempDir())
	first := evaluate(nil, "--topics", "3", "--rounds", "6", "--out", "one")
	second := evaluate(nil, "--topics", "3", "--rounds", "6", "--out", "two")
	if first.code != 0 || second.code != 0 || first.out != second.out || !strings.Contains(first.out, "# Evaluation of offline\n\n3 discussions, 18 rounds") {
		t.Fatalf("got %+v and %+v", first, second)
	}
	for _, name := range []string{"report.md", "report.json", "said.jsonl"} {
		a, err := os.ReadFile(filepath.Join("one", name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join("two", name))
		if err != nil || !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s differs, or is empty: %v", name, err)
		}
	}
	if again := evaluate(nil, "--out", "one"); again.code != exitFailure || !strings.Contains(again.err, "create the folder of the report") {
		t.Errorf("a folder that is there is written over: %+v", again)
	}
}

// What would make figures worthless, or cannot be asked, is refused before anything
// is paid for.
func TestEvalRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	env := map[string]string{"OPENAI_API_KEY": "s3cr3t"}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"a fallback", []string{"--model", "openai:x,offline"}, "eval takes one model"},
		{"a judge of the same vendor", []string{"--model", "openai:x", "--judge", "openai:y"}, "same vendor"},
		{"a judge without a key", []string{"--model", "openai:x", "--judge", "anthropic:y"}, "ANTHROPIC_API_KEY is missing"},
		{"a judge that is none", []string{"--judge", "nobody"}, "is not known"},
		{"fewer than none", []string{"--rounds", "-1"}, "must not be negative"},
		{"an argument", []string{"now"}, "unexpected argument"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := evaluate(env, append(tt.args, "--out", "out")...)
			if got.code != exitUsage || !strings.Contains(got.err, tt.want) || strings.Contains(got.err, "s3cr3t") {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
			if _, err := os.Stat("out"); err == nil {
				t.Error("a folder was made")
			}
		})
	}
}

// A model speaks and one of another vendor judges, both over HTTP: what they used
// is in the report, and a judge that always says the same is no calibrated one.
func TestEvalModels(t *testing.T) {
	t.Chdir(t.TempDir())
	m := newModelServer(t)
	event := func(kind, data string) string { return "event: " + kind + "\ndata: " + data + "\n\n" }
	judge := provider{answer: answering(200, "text/event-stream",
		event("message_start", `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"j","content":[],"usage":{"input_tokens":90,"output_tokens":1}}}`)+
			event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)+
			event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"{\"speaker\":\"B\"}"}}`)+
			event("content_block_stop", `{"type":"content_block_stop","index":0}`)+
			event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":10}}`)+
			event("message_stop", `{"type":"message_stop"}`))}.serve(t)
	env := map[string]string{
		"OPENAI_API_KEY": canaryToken, "OPENAI_BASE_URL": m.url, "ANTHROPIC_API_KEY": canaryToken, "ANTHROPIC_BASE_URL": judge + "/",
		"ROUNDTABLE_PRICES": "[{model: 'openai:up', input: 2, output: 10}]", "ROUNDTABLE_LOG_LEVEL": "error",
	}
	got := evaluate(env, "--model", "openai:up", "--judge", "anthropic:j", "--topics", "1", "--rounds", "3", "--out", "out")
	if got.code != 0 || strings.Contains(got.out+got.err, canaryToken) {
		t.Fatalf("got %+v", got)
	}
	b, err := os.ReadFile(filepath.Join("out", "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r evaluation.Report
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if r.Contributions < 3 || r.Spent.Tokens == 0 || r.Spent.Micros == 0 || r.MedianWait == 0 || r.Echo.Count == 0 {
		t.Errorf("%d contributions, spent %+v, median wait %s, echo %s", r.Contributions, r.Spent, r.MedianWait, r.Echo)
	}
	if j := r.Judge; j == nil || j.Calibrated || j.Unanswered > 0 || j.Usage.Total() != int64(100*(j.Gold.Of+r.Contributions)) {
		t.Errorf("the judge: %+v", j)
	}
}

// The tab holds a process to its budgets, and counts each charge once.
func TestTab(t *testing.T) {
	var ledger llm.Ledger = newTab()
	charge := func(id, discussion string, tokens int64) thread.Charge {
		return thread.Charge{ID: id, Discussion: discussion, Hold: thread.Spend{Tokens: tokens}, Limits: thread.Limits{Discussion: thread.Spend{Tokens: 100}, Day: thread.Spend{Tokens: 150}}}
	}
	ctx := t.Context()
	for _, step := range []struct {
		name   string
		charge thread.Charge
		used   int64 // settled at once
		want   thread.BudgetScope
	}{
		{"fits", charge("1", "a", 80), 60, ""},
		{"again, which changes nothing", charge("1", "a", 80), 60, ""},
		{"too much for the discussion", charge("2", "a", 50), 0, thread.BudgetDiscussion},
		{"another discussion", charge("3", "b", 90), 90, ""},
		{"too much for the day", charge("4", "c", 1), 0, thread.BudgetDay},
	} {
		t.Run(step.name, func(t *testing.T) {
			full, err := ledger.Reserve(ctx, step.charge)
			if err != nil {
				t.Fatal(err)
			}
			if got := thread.BudgetScope(""); full != nil {
				got = full.Scope
				if got != step.want {
					t.Errorf("the budget of the %s is full, want %q", got, step.want)
				}
				return
			}
			if step.want != "" {
				t.Errorf("it fits, want the budget of the %s to be full", step.want)
			}
			if _, err := ledger.Settle(ctx, step.charge, thread.Spend{Tokens: step.used}); err != nil {
				t.Fatal(err)
			}
		})
	}
	budgets, err := ledger.Budgets(ctx, charge("5", "a", 0))
	if err != nil || budgets[0].Spent.Tokens != 60 || budgets[1].Spent.Tokens != 150 || !budgets[0].Held.IsZero() {
		t.Errorf("budgets = %+v, %v", budgets, err)
	}
}

// voiceTable is what docs/voices.md shows of the built-in personas.
func voiceTable(t *testing.T) string {
	t.Helper()
	roster, err := loadRoster("")
	if err != nil {
		t.Fatal(err)
	}
	panel, err := offline.New(offline.Options{Roster: roster})
	if err != nil {
		t.Fatal(err)
	}
	r, err := evaluation.Run(t.Context(), evaluation.Options{Roster: roster, Panel: panel, Engine: offline.Engine})
	if err != nil {
		t.Fatal(err)
	}
	return r.VoiceTable()
}
