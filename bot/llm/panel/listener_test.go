package panel

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// unlimited is a ledger of somebody who pays for everything.
type unlimited struct{}

func (unlimited) Reserve(context.Context, thread.Charge) (*thread.Budget, error) {
	return nil, nil
}

func (unlimited) Settle(_ context.Context, c thread.Charge, _ thread.Spend) ([]thread.Budget, error) {
	return c.Budgets(), nil
}

func (unlimited) Budgets(_ context.Context, c thread.Charge) ([]thread.Budget, error) {
	return c.Budgets(), nil
}

// TestErrorsNameTheConfiguredModel has a provider that calls its model by people's
// words, and answers without end or without sense: the error and the log
// know the model by the name that the deployment gave it, or by none.
func TestErrorsNameTheConfiguredModel(t *testing.T) {
	const hostile = "layoffs of bob\nlevel=ERROR msg=forged"
	var log bytes.Buffer
	q := llm.Question{Discussion: "D1", Request: llm.Request{Messages: []llm.Message{{Role: llm.User, Blocks: []llm.Block{{Text: "Which?"}}}}, MaxTokens: 1000}}
	for name, text := range map[string]string{"endless": strings.Repeat("{", answerLimit+1), "unreadable": "no JSON at all"} {
		m := &scripted{name: "test:model", replies: []reply{{text: text, calls: hostile}}}
		chain, err := llm.NewChain(llm.ChainOptions{Models: []llm.Model{m}, Ledger: unlimited{}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		for via, asker := range map[string]llm.Asker{"alone": llm.Only(m), "in a chain": chain} {
			w := newWhole(func([]byte) bool { return true })
			_, whole := w.ask(t.Context(), asker, q)
			l := newListener(&round{panel: &Panel{asker: asker}}, group{})
			for what, err := range map[string]error{"whole": whole, "a round": l.listen(t.Context(), q)} {
				if err != nil && (strings.Contains(err.Error(), "layoffs") || !strings.Contains(err.Error(), "ask test:model: ")) {
					t.Errorf("%s, %s, %s: %v", name, via, what, err)
				} else if err == nil && name == "endless" {
					t.Errorf("%s, %s, %s: no error", name, via, what)
				}
			}
			if l.rd.model != "test:model" {
				t.Errorf("%s, %s: the round names %q", name, via, l.rd.model)
			}
		}
	}
	if strings.Contains(log.String(), "layoffs") {
		t.Errorf("the log says\n%s", &log)
	}
}
