package llm

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestCharges: what is held is the most that a call can cost, what is charged is
// what it cost, and an answer that was cut is charged by estimate (FR-109).
func TestCharges(t *testing.T) {
	price := Price{Model: "a:one", Input: 2 * million, Output: 10 * million, CacheRead: million / 10, CacheWrite1h: 4 * million}
	for name, c := range map[string]struct {
		answer answer
		used   thread.Spend
		usage  Usage
	}{
		"counted": {
			answer{text: "hi", result: Result{Stop: StopEnd, Sent: true, Usage: Usage{Input: 50, CacheRead: 1000, CacheWrite1h: 100, Output: 20, Reasoning: 5}}},
			thread.Spend{Tokens: 1170, Micros: 50*2 + 100 + 100*4 + 20*10}, Usage{Input: 50, CacheRead: 1000, CacheWrite1h: 100, Output: 20, Reasoning: 5},
		},
		"not counted": {
			answer{text: strings.Repeat("y", 33), result: Result{Stop: StopEnd, Sent: true}},
			thread.Spend{Tokens: 110, Micros: 100*2 + 10*10}, Usage{Input: 100, Output: 10, Estimated: true},
		},
		"cut": {
			answer{text: strings.Repeat("y", 330), result: Result{Sent: true, Usage: Usage{Input: 90, Output: 2}}, err: &Error{Kind: Refused}},
			thread.Spend{Tokens: 190, Micros: 90*2 + 100*10}, Usage{Input: 90, Output: 100, Estimated: true},
		},
		"cut before the first word": {
			answer{result: Result{Sent: true}, err: &Error{Kind: Refused}},
			thread.Spend{Tokens: 100, Micros: 200}, Usage{Input: 100, Estimated: true},
		},
		"turned away": {fails(Refused), thread.Spend{}, Usage{}},
		"counted by somebody who cannot count": {
			answer{text: "hi", result: Result{Stop: StopEnd, Sent: true, Usage: Usage{Input: 50, CacheRead: -1 << 60, Output: 20, Reasoning: 100}}},
			thread.Spend{Tokens: 70, Micros: 50*2 + 20*10}, Usage{Input: 50, Output: 20, Reasoning: 20},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, ChainOptions{Models: []Model{&told{name: "a:one", answers: []answer{c.answer}}}, Prices: Prices{price}})
			result, _ := b.chain.Ask(t.Context(), question(), &heard{})
			if got, want := b.book.charges[0].Hold, (thread.Spend{Tokens: 1100, Micros: 100*4 + 1000*10}); got != want {
				t.Errorf("held %v, want %v", got, want)
			}
			if got := b.book.used[0]; got != c.used {
				t.Errorf("charged %v, want %v", got, c.used)
			}
			if diff := cmp.Diff(c.usage, result.Usage); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if result.Spent != c.used {
				t.Errorf("the discussion has cost %v, want %v", result.Spent, c.used)
			}
		})
	}
}

// TestOverBudget: a budget that would break is a stop before anybody is asked, and
// no other model is asked in its place.
func TestOverBudget(t *testing.T) {
	for name, c := range map[string]struct {
		limits thread.Limits
		want   thread.BudgetScope
	}{
		"discussion": {thread.Limits{Discussion: thread.Spend{Tokens: 1205}}, thread.BudgetDiscussion},
		"day":        {thread.Limits{Day: thread.Spend{Tokens: 1205}}, thread.BudgetDay},
		"deployment": {thread.Limits{Deployment: thread.Spend{Tokens: 1205}}, thread.BudgetDeployment},
	} {
		t.Run(name, func(t *testing.T) {
			one, two := &told{name: "a:one", answers: []answer{says("yes")}}, &told{name: "b:two", answers: []answer{says("no")}}
			b := newBench(t, ChainOptions{Models: []Model{one, two}, Limits: c.limits})
			if _, err := b.chain.Ask(t.Context(), question(), &heard{}); err != nil {
				t.Fatal(err)
			}
			result, err := b.chain.Ask(t.Context(), question(), &heard{})
			e, _ := errors.AsType[*Error](err)
			if e == nil || e.Kind != OverBudget || e.Budget == nil || e.Budget.Scope != c.want || one.asked != 1 || two.asked != 0 {
				t.Errorf("got %v, asked %d and %d times", err, one.asked, two.asked)
			}
			if c.want == thread.BudgetDiscussion && result.Spent.Tokens != 110 {
				t.Errorf("the discussion has cost %v", result.Spent)
			}
		})
	}
}

// TestAnalysisHasItsOwnBudget: a discussion's limit does not bind an analysis, nor an
// analysis' a discussion (FR-109).
func TestAnalysisHasItsOwnBudget(t *testing.T) {
	least, most := thread.Spend{Tokens: 1}, thread.Spend{Tokens: 1_000_000}
	for name, c := range map[string]struct {
		discussion, analysis thread.Spend
		analysisAsks         bool
		over                 bool
	}{
		"a discussion within its own":  {most, least, false, false},
		"a discussion beyond its own":  {least, most, false, true},
		"an analysis within its own":   {least, most, true, false},
		"an analysis beyond its own":   {most, least, true, true},
		"an analysis without a limit":  {least, thread.Spend{}, true, false},
		"a discussion without a limit": {thread.Spend{}, least, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, ChainOptions{Models: []Model{&told{name: "a:one", answers: []answer{says("yes")}}}, Limits: thread.Limits{Discussion: c.discussion}, Analysis: c.analysis})
			q := question()
			q.Analysis = c.analysisAsks
			_, err := b.chain.Ask(t.Context(), q, &heard{})
			e, _ := errors.AsType[*Error](err)
			if over := e != nil && e.Kind == OverBudget; over != c.over || !over && err != nil {
				t.Errorf("got %v, want over budget: %v", err, c.over)
			}
		})
	}
}

// TestReports: what only the operator can mend is an error in the log, and what
// passes is none.
func TestReports(t *testing.T) {
	for name, c := range map[string]struct {
		answer answer
		want   string
	}{
		"a wrong key": {fails(Auth), "level=ERROR msg=model_failed model=a:one kind=auth"},
		"no credit":   {answer{err: &Error{Kind: RateLimited, After: Exhausted, Detail: "insufficient_quota"}}, "level=ERROR msg=model_failed model=a:one kind=rate_limited status=0 detail=insufficient_quota"},
		"a bad hour":  {fails(Overloaded), "level=WARN msg=model_failed model=a:one kind=overloaded"},
		"an answer":   {says("yes"), "level=DEBUG msg=model_asked model=a:one outcome=done request=\"\" first=0s input=100 cache_read=0 cache_write=0 output=10"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, ChainOptions{Models: []Model{&told{name: "a:one", answers: []answer{c.answer}}}})
			_, _ = b.chain.Ask(t.Context(), question(), &heard{})
			if !strings.Contains(b.log.String(), c.want) {
				t.Errorf("%q is not in\n%s", c.want, b.log.String())
			}
		})
	}
}

// TestLedgerDown: nobody is asked whom nobody could charge.
func TestLedgerDown(t *testing.T) {
	one, two := &told{name: "a:one", answers: []answer{says("no")}}, &told{name: "b:two", answers: []answer{says("no")}}
	b := newBench(t, ChainOptions{Models: []Model{one, two}})
	b.book.err = errors.New("down")
	_, err := b.chain.Ask(t.Context(), question(), &heard{})
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != Transient || one.asked+two.asked+len(b.slept) > 0 {
		t.Errorf("got %v, asked %d times", err, one.asked+two.asked)
	}
}
