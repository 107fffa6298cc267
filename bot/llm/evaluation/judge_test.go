package evaluation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/bot/llm/evaluation"
	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// double is a model whose answers are made by a function.
type double struct {
	name   string
	answer func(llm.Request) (string, error)
	asked  int
}

func (d *double) Name() string { return d.name }

func (d *double) Stream(_ context.Context, r llm.Request, text func(string) error) (llm.Result, error) {
	d.asked++
	result := llm.Result{Stop: llm.StopEnd, Usage: llm.Usage{Input: 100, Output: 10}, Sent: true}
	answer, err := d.answer(r)
	if err != nil {
		return result, err
	}
	return result, text(answer)
}

// prompt is all that a request says.
func prompt(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		for _, block := range m.Blocks {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

// knowing judges rightly, because it recognises the lines of known origin and
// leaves the others to a classifier that learnt them.
func knowing(t *testing.T, personas []persona.Persona) func(llm.Request) (string, error) {
	gold, err := evaluation.Gold()
	if err != nil {
		t.Fatal(err)
	}
	classifier := evaluation.Learn(gold)
	return func(r llm.Request) (string, error) {
		cards, line, _ := strings.Cut(prompt(r), "\nThe line: ")
		for _, name := range []string{"Maya", "Alex", "Jordan", "Priya", "Ben,", "Architect", "Analyst"} {
			if strings.Contains(line, name) || strings.Contains(cards, name) {
				return "", fmt.Errorf("the judge is shown the name %q: %s", name, prompt(r))
			}
		}
		var said string
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			return "", err
		}
		who := classifier.Attribute(said)
		for key, lines := range gold {
			for _, l := range lines {
				if like(l, said) {
					who = key
				}
			}
		}
		for _, p := range personas {
			if string(p.Key) == who {
				at := strings.Index(cards, " looks at: "+strings.ToLower(p.Lens))
				return fmt.Sprintf(`Here: {"speaker":"%s"}`, strings.ToLower(cards[at-1:at])), nil
			}
		}
		return "", errors.New("nobody")
	}
}

// like compares two lines without the words that a mask may have changed.
func like(a, b string) bool {
	first := func(s string) string {
		words := strings.Fields(s)
		return strings.Join(words[max(len(words)-5, 0):], " ")
	}
	return first(a) == first(b)
}

// A judge's figures count once it has attributed the lines of known origin; one
// that guesses is reported as uncalibrated; it never sees a name.
func TestJudgeIsCalibratedFirst(t *testing.T) {
	personas := roster(t).Personas
	for _, tt := range []struct {
		name       string
		answer     func(llm.Request) (string, error)
		calibrated bool
		from, to   float64 // attribution of what was said
		unanswered bool
	}{
		{"knows", knowing(t, personas), true, 0.7, 1, false},
		{"guesses", func(llm.Request) (string, error) { return `{"speaker":"A"}`, nil }, false, 0.2, 0.5, false},
		{"babbles", func(llm.Request) (string, error) { return "I would say it is the second one.", nil }, false, 0, 0, true},
		{"names nobody at the table", func(llm.Request) (string, error) { return `{"speaker":"Z"}`, nil }, false, 0, 0, true},
		{"refuses", func(llm.Request) (string, error) { return "", &llm.Error{Kind: llm.Refused} }, false, 0, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			judge := &double{name: "other:judge", answer: tt.answer}
			r, err := evaluation.Run(t.Context(), evaluation.Options{Roster: roster(t), Panel: offlinePanel(t), Engine: offline.Engine, Judge: llm.Only(judge), JudgeName: judge.name, Topics: 2, Rounds: 4})
			if err != nil {
				t.Fatal(err)
			}
			j := r.Judge
			if j.Gold.Of < 120 || j.Calibrated != tt.calibrated || (j.Unanswered > 0) != tt.unanswered {
				t.Errorf("gold %s, calibrated %v, %d unanswered; want at least 120 lines, %v, unanswered %v", j.Gold, j.Calibrated, j.Unanswered, tt.calibrated, tt.unanswered)
			}
			if got := j.Attribution.All.Rate(); got < tt.from || got > tt.to {
				t.Errorf("attributed %s, want %.2f to %.2f", j.Attribution.All, tt.from, tt.to)
			}
			if judge.asked != j.Gold.Of+r.Contributions || tt.name == "knows" && j.Usage.Total() != int64(110*judge.asked) {
				t.Errorf("asked %d times and used %d tokens, for %d lines and %d contributions", judge.asked, j.Usage.Total(), j.Gold.Of, r.Contributions)
			}
			if got := strings.Contains(r.Markdown(), "uncalibrated: not a result"); got == tt.calibrated {
				t.Errorf("the report says uncalibrated: %v, want %v", got, !tt.calibrated)
			}
		})
	}
}

func TestJudgeThatCannotBeAsked(t *testing.T) {
	o := evaluation.Options{Roster: roster(t), Panel: offlinePanel(t), Engine: "acme:one", Topics: 1, Rounds: 3}
	o.Judge, o.JudgeName = llm.Only(&double{}), "acme:two"
	if _, err := evaluation.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "same vendor") {
		t.Errorf("err = %v, want a refusal of a judge of the same vendor", err)
	}
	o.Judge = llm.Only(&double{answer: func(llm.Request) (string, error) { return "", &llm.Error{Kind: llm.Auth} }})
	o.JudgeName = "other:judge"
	var e *llm.Error
	if _, err := evaluation.Run(t.Context(), o); !errors.As(err, &e) || e.Kind != llm.Auth {
		t.Errorf("err = %v, want the judge's refusal of the key", err)
	}
}
