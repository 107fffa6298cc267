package llm

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable"
)

// answer is what a model of a test does when it is asked: it says the text and
// ends so.
type answer struct {
	text   string
	result Result
	err    *Error
}

// told is a model that answers as it is told, and then for ever as the last time.
type told struct {
	name    string
	answers []answer
	asked   int
}

func (m *told) Name() string { return m.name }

func (m *told) Stream(_ context.Context, _ Request, text func(string) error) (Result, error) {
	a := m.answers[min(m.asked, len(m.answers)-1)]
	m.asked++
	if a.text != "" {
		if err := text(a.text); err != nil {
			return a.result, err
		}
	}
	if a.err != nil {
		e := *a.err
		e.Model = m.name
		return a.result, &e
	}
	return a.result, nil
}

func says(text string) answer {
	return answer{text: text, result: Result{Stop: StopEnd, Sent: true, Usage: Usage{Input: 100, Output: 10}}}
}

func fails(k Kind) answer { return answer{err: &Error{Kind: k}} }

// heard is a sink that notes everything. Once it heard what it takes, it has acted
// upon it.
type heard struct {
	lines []string
	takes string
	taken bool
	err   error
}

func (h *heard) Begin(engine string) { h.lines = append(h.lines, "begin "+engine) }
func (h *heard) Taken() bool         { return h.taken }
func (h *heard) Text(s string) error {
	h.lines = append(h.lines, s)
	h.taken = h.taken || h.takes != "" && strings.Contains(s, h.takes)
	return h.err
}

// book is a ledger in memory.
type book struct {
	spent, held map[roundtable.BudgetScope]roundtable.Spend
	charges     []roundtable.Charge
	used        []roundtable.Spend
	err         error
}

func (b *book) Reserve(_ context.Context, c roundtable.Charge) (*roundtable.Budget, error) {
	if b.err != nil {
		return nil, b.err
	}
	budgets, _ := b.Budgets(context.Background(), c)
	for _, budget := range budgets {
		then := budget.Spent.Plus(budget.Held).Plus(c.Hold)
		if budget.Limit.Tokens > 0 && then.Tokens > budget.Limit.Tokens || budget.Limit.Micros > 0 && then.Micros > budget.Limit.Micros {
			return &budget, nil
		}
	}
	for _, budget := range budgets {
		b.held[budget.Scope] = b.held[budget.Scope].Plus(c.Hold)
	}
	b.charges = append(b.charges, c)
	return nil, nil
}

func (b *book) Settle(_ context.Context, c roundtable.Charge, used roundtable.Spend) ([]roundtable.Budget, error) {
	for _, budget := range c.Budgets() {
		b.held[budget.Scope] = b.held[budget.Scope].Plus(roundtable.Spend{Tokens: -c.Hold.Tokens, Micros: -c.Hold.Micros})
		b.spent[budget.Scope] = b.spent[budget.Scope].Plus(used)
	}
	b.used = append(b.used, used)
	return b.Budgets(context.Background(), c)
}

func (b *book) Budgets(_ context.Context, c roundtable.Charge) ([]roundtable.Budget, error) {
	budgets := c.Budgets()
	for i, budget := range budgets {
		budgets[i].Spent, budgets[i].Held = b.spent[budget.Scope], b.held[budget.Scope]
	}
	return budgets, nil
}

// bench is a chain whose clock a test moves.
type bench struct {
	chain *Chain
	book  *book
	now   time.Time
	slept []time.Duration
	log   bytes.Buffer
}

func newBench(t *testing.T, o ChainOptions) *bench {
	t.Helper()
	b := &bench{now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), book: &book{spent: map[roundtable.BudgetScope]roundtable.Spend{}, held: map[roundtable.BudgetScope]roundtable.Spend{}}}
	o.Ledger, o.Now = b.book, func() time.Time { return b.now }
	o.Chance = func() float64 { return 1 }
	o.Sleep = func(_ context.Context, d time.Duration) error {
		b.slept = append(b.slept, d)
		b.now = b.now.Add(d)
		return nil
	}
	o.Logger = slog.New(slog.NewTextHandler(&b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if b.chain, err = NewChain(o); err != nil {
		t.Fatal(err)
	}
	return b
}

func question() Question {
	return Question{Discussion: "D1", Request: Request{
		Messages: []Message{{Role: User, Blocks: []Block{{Text: strings.Repeat("x", 330)}}}}, MaxTokens: 1000,
	}}
}

// TestOrder: which failures are tried again, which go to the next model, which
// engine is named, and what is said in the end (SPEC 10).
func TestOrder(t *testing.T) {
	late := answer{err: &Error{Kind: RateLimited, After: time.Minute}}
	soon := answer{err: &Error{Kind: RateLimited, After: 3 * time.Second}}
	cut := answer{text: "half", result: Result{Sent: true}, err: &Error{Kind: Transient}}
	for name, c := range map[string]struct {
		first, second []answer
		takes         string
		lines         []string
		slept         []time.Duration
		kind          Kind
	}{
		"the first answers":                      {[]answer{says("yes")}, nil, "", []string{"begin ", "yes"}, nil, ""},
		"a failure that passes":                  {[]answer{fails(Transient), fails(Overloaded), says("yes")}, nil, "", []string{"begin ", "begin ", "begin ", "yes"}, []time.Duration{500 * time.Millisecond, time.Second}, ""},
		"one that does not pass":                 {[]answer{fails(Transient)}, []answer{says("yes")}, "", []string{"begin ", "begin ", "begin ", "begin b:two", "yes"}, []time.Duration{500 * time.Millisecond, time.Second}, ""},
		"a wait that was asked for":              {[]answer{soon, says("yes")}, nil, "", []string{"begin ", "begin ", "yes"}, []time.Duration{3 * time.Second}, ""},
		"a wait that is too long":                {[]answer{late}, []answer{says("yes")}, "", []string{"begin ", "begin b:two", "yes"}, nil, ""},
		"a model nobody knows":                   {[]answer{fails(Unknown)}, []answer{says("yes")}, "", []string{"begin ", "begin b:two", "yes"}, nil, ""},
		"a refusal":                              {[]answer{fails(Refused)}, []answer{says("yes")}, "", []string{"begin ", "begin b:two", "yes"}, nil, ""},
		"too long an answer":                     {[]answer{fails(Truncated)}, []answer{says("yes")}, "", []string{"begin ", "begin b:two", "yes"}, nil, ""},
		"a wrong key is the operator's":          {[]answer{fails(Auth)}, []answer{says("no")}, "", []string{"begin "}, nil, Auth},
		"so is a request nobody takes":           {[]answer{fails(Config)}, []answer{says("no")}, "", []string{"begin "}, nil, Config},
		"we moved on":                            {[]answer{fails(Cancelled)}, []answer{says("no")}, "", []string{"begin "}, nil, Cancelled},
		"a cut answer of which nothing was used": {[]answer{cut, says("yes")}, nil, "", []string{"begin ", "half", "begin ", "yes"}, []time.Duration{500 * time.Millisecond}, ""},
		"a cut answer of which a part was used":  {[]answer{cut}, []answer{says("no")}, "half", []string{"begin ", "half"}, nil, Transient},
		"nobody answers":                         {[]answer{fails(Unknown)}, []answer{late}, "", []string{"begin ", "begin b:two"}, nil, RateLimited},
		"nobody knows it":                        {[]answer{fails(Unknown)}, []answer{fails(Unknown)}, "", []string{"begin ", "begin b:two"}, nil, Unknown},
		"a refusal says more than an unknown":    {[]answer{fails(Unknown)}, []answer{fails(Refused)}, "", []string{"begin ", "begin b:two"}, nil, Refused},
	} {
		t.Run(name, func(t *testing.T) {
			models := []Model{&told{name: "a:one", answers: c.first}}
			if c.second != nil {
				models = append(models, &told{name: "b:two", answers: c.second})
			}
			b, sink := newBench(t, ChainOptions{Models: models}), &heard{takes: c.takes}
			result, err := b.chain.Ask(t.Context(), question(), sink)
			if diff := cmp.Diff(c.lines, sink.lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if byOther := slices.Contains(c.lines, "begin b:two"); (result.Engine == "b:two") != byOther {
				t.Errorf("the engine is %q", result.Engine)
			}
			if !slices.Equal(b.slept, c.slept) {
				t.Errorf("slept %v, want %v", b.slept, c.slept)
			}
			kind := Kind("")
			if e, ok := errors.AsType[*Error](err); ok {
				kind = e.Kind
			}
			if kind != c.kind || (err != nil) != (c.kind != "") {
				t.Errorf("got %v, want kind %q", err, c.kind)
			}
			if len(b.book.charges) != len(b.book.used) || b.book.held[roundtable.BudgetDay] != (roundtable.Spend{}) {
				t.Errorf("%d charges, %d settled, held %v", len(b.book.charges), len(b.book.used), b.book.held)
			}
		})
	}
}

// TestOwnModel: a persona with its own model gets it, and the deployment's models
// where that one fails, under their names.
func TestOwnModel(t *testing.T) {
	own := &told{name: "c:own", answers: []answer{says("mine"), fails(Refused)}}
	b := newBench(t, ChainOptions{Models: []Model{&told{name: "a:one", answers: []answer{says("yes")}}}, Own: []Model{own}})
	q := question()
	q.Model = "c:own"
	for _, want := range [][]string{{"begin ", "mine"}, {"begin ", "begin a:one", "yes"}} {
		sink := &heard{}
		if _, err := b.chain.Ask(t.Context(), q, sink); err != nil || !slices.Equal(sink.lines, want) {
			t.Errorf("got %v, %v, want %v", sink.lines, err, want)
		}
	}
	q.Model = "c:nobody"
	var e *Error
	if _, err := b.chain.Ask(t.Context(), q, &heard{}); !errors.As(err, &e) || e.Kind != Config {
		t.Errorf("an unknown model: got %v", err)
	}
}

// TestRest: a model that was given up is not asked again for every question, and
// is asked again in time.
func TestRest(t *testing.T) {
	one := &told{name: "a:one", answers: []answer{{err: &Error{Kind: RateLimited, After: time.Minute}}, says("back")}}
	two := &told{name: "b:two", answers: []answer{says("two"), says("two"), fails(Unknown), says("two")}}
	b := newBench(t, ChainOptions{Models: []Model{one, two}})
	ask := func() string {
		sink := &heard{}
		if _, err := b.chain.Ask(t.Context(), question(), sink); err != nil {
			return err.Error()
		}
		return strings.Join(sink.lines, "|")
	}
	var got []string
	got = append(got, ask(), ask())
	b.now = b.now.Add(59 * time.Second)
	got = append(got, ask()) // the second fails, the first rests: nobody is left
	got = append(got, ask()) // both rest, so both are asked
	want := []string{"begin |begin b:two|two", "begin b:two|two", "ask b:two: unknown", "begin |back"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCharges: what is held is the most that a call can cost, what is charged is
// what it cost, and an answer that was cut is charged by estimate (SPEC 8).
func TestCharges(t *testing.T) {
	price := Price{Model: "a:one", Input: 2 * million, Output: 10 * million, CacheRead: million / 10, CacheWrite1h: 4 * million}
	for name, c := range map[string]struct {
		answer answer
		used   roundtable.Spend
		usage  Usage
	}{
		"counted": {
			answer{text: "hi", result: Result{Stop: StopEnd, Sent: true, Usage: Usage{Input: 50, CacheRead: 1000, CacheWrite1h: 100, Output: 20, Reasoning: 5}}},
			roundtable.Spend{Tokens: 1170, Micros: 50*2 + 100 + 100*4 + 20*10}, Usage{Input: 50, CacheRead: 1000, CacheWrite1h: 100, Output: 20, Reasoning: 5},
		},
		"not counted": {
			answer{text: strings.Repeat("y", 33), result: Result{Stop: StopEnd, Sent: true}},
			roundtable.Spend{Tokens: 110, Micros: 100*2 + 10*10}, Usage{Input: 100, Output: 10, Estimated: true},
		},
		"cut": {
			answer{text: strings.Repeat("y", 330), result: Result{Sent: true, Usage: Usage{Input: 90, Output: 2}}, err: &Error{Kind: Refused}},
			roundtable.Spend{Tokens: 190, Micros: 90*2 + 100*10}, Usage{Input: 90, Output: 100, Estimated: true},
		},
		"cut before the first word": {
			answer{result: Result{Sent: true}, err: &Error{Kind: Refused}},
			roundtable.Spend{Tokens: 100, Micros: 200}, Usage{Input: 100, Estimated: true},
		},
		"turned away": {fails(Refused), roundtable.Spend{}, Usage{}},
		"counted by somebody who cannot count": {
			answer{text: "hi", result: Result{Stop: StopEnd, Sent: true, Usage: Usage{Input: 50, CacheRead: -1 << 60, Output: 20, Reasoning: 100}}},
			roundtable.Spend{Tokens: 70, Micros: 50*2 + 20*10}, Usage{Input: 50, Output: 20, Reasoning: 20},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, ChainOptions{Models: []Model{&told{name: "a:one", answers: []answer{c.answer}}}, Prices: Prices{price}})
			result, _ := b.chain.Ask(t.Context(), question(), &heard{})
			if got, want := b.book.charges[0].Hold, (roundtable.Spend{Tokens: 1100, Micros: 100*4 + 1000*10}); got != want {
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
		limits roundtable.Limits
		want   roundtable.BudgetScope
	}{
		"discussion": {roundtable.Limits{Discussion: roundtable.Spend{Tokens: 1205}}, roundtable.BudgetDiscussion},
		"day":        {roundtable.Limits{Day: roundtable.Spend{Tokens: 1205}}, roundtable.BudgetDay},
		"deployment": {roundtable.Limits{Deployment: roundtable.Spend{Tokens: 1205}}, roundtable.BudgetDeployment},
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
			if c.want == roundtable.BudgetDiscussion && result.Spent.Tokens != 110 {
				t.Errorf("the discussion has cost %v", result.Spent)
			}
		})
	}
}

// TestAnalysisHasItsOwnBudget: a discussion's limit does not bind an analysis, nor an
// analysis' a discussion (SPEC §8).
func TestAnalysisHasItsOwnBudget(t *testing.T) {
	least, most := roundtable.Spend{Tokens: 1}, roundtable.Spend{Tokens: 1_000_000}
	for name, c := range map[string]struct {
		discussion, analysis roundtable.Spend
		analysisAsks         bool
		over                 bool
	}{
		"a discussion within its own":  {most, least, false, false},
		"a discussion beyond its own":  {least, most, false, true},
		"an analysis within its own":   {least, most, true, false},
		"an analysis beyond its own":   {most, least, true, true},
		"an analysis without a limit":  {least, roundtable.Spend{}, true, false},
		"a discussion without a limit": {roundtable.Spend{}, least, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, ChainOptions{Models: []Model{&told{name: "a:one", answers: []answer{says("yes")}}}, Limits: roundtable.Limits{Discussion: c.discussion}, Analysis: c.analysis})
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
		"no credit":   {answer{err: &Error{Kind: RateLimited, After: exhausted, Detail: "insufficient_quota"}}, "level=ERROR msg=model_failed model=a:one kind=rate_limited status=0 detail=insufficient_quota"},
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

// TestReader: what the reader says ends it all, and is charged.
func TestReader(t *testing.T) {
	enough := errors.New("enough")
	b := newBench(t, ChainOptions{Models: []Model{&told{name: "a:one", answers: []answer{says("yes")}}}})
	if _, err := b.chain.Ask(t.Context(), question(), &heard{err: enough}); !errors.Is(err, enough) || len(b.book.used) != 1 {
		t.Errorf("got %v, %d charges", err, len(b.book.used))
	}
}

func TestScales(t *testing.T) {
	var s scales
	if got := s.tokens("m", 330); got != 100 {
		t.Errorf("unlearned: got %d, want 100", got)
	}
	for range 60 {
		s.learn("m", 1000, 500) // two characters a token
	}
	if got := s.tokens("m", 1000); got < 499 || got > 501 {
		t.Errorf("learned: got %d, want about 500", got)
	}
	if got := s.tokens("other", 330); got != 100 {
		t.Errorf("another model: got %d, want 100", got)
	}
	s.learn("odd", 1, 1_000_000)
	s.learn("odd", 0, 5)
	s.learn("odd", 5, 0)
	if got := s.tokens("odd", 100); got > 200 {
		t.Errorf("one odd count: got %d", got)
	}
}

func TestMetrics(t *testing.T) {
	to := prometheus.NewRegistry()
	one := &told{name: "a:one", answers: []answer{fails(Refused)}}
	b := newBench(t, ChainOptions{Models: []Model{one, &told{name: "b:two", answers: []answer{says("yes")}}}, Metrics: to, Limits: roundtable.Limits{Day: roundtable.Spend{Tokens: 5000}}})
	before, err := b.chain.Budgets(t.Context())
	if err != nil || len(before) != 2 || before[0].Limit.Tokens != 5000 || gathered(t, to)["roundtable_budget_tokens{part=limit scope=day}"] != 5000 {
		t.Errorf("the budgets stand at %+v, %v", before, err)
	}
	if _, err := b.chain.Ask(t.Context(), question(), &heard{}); err != nil {
		t.Fatal(err)
	}
	got := gathered(t, to)
	for series, want := range map[string]float64{
		"roundtable_model_stand_ins_total{model=b:two}":              1,
		"roundtable_model_tokens_total{kind=input model=b:two}":      100,
		"roundtable_model_tokens_total{kind=output model=b:two}":     10,
		"roundtable_budget_tokens{part=limit scope=day}":             5000,
		"roundtable_budget_tokens{part=spent scope=day}":             110,
		"roundtable_budget_tokens{part=spent scope=deployment}":      110,
		"roundtable_model_call_seconds{model=a:one outcome=refused}": 1,
		"roundtable_model_call_seconds{model=b:two outcome=done}":    1,
	} {
		if got[series] != want {
			t.Errorf("%s is %v, want %v", series, got[series], want)
		}
	}
	if !strings.Contains(b.log.String(), "kind=refused") {
		t.Errorf("the failure is not in the log: %s", b.log.String())
	}
	if _, err := NewChain(ChainOptions{Models: []Model{one}, Ledger: b.book, Metrics: to}); err == nil {
		t.Error("metrics were registered twice")
	}
}

// gathered are all series with their value, or their count.
func gathered(t *testing.T, from prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	series := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			name := f.GetName() + "{" + strings.Join(labels, " ") + "}"
			series[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return series
}

func TestNewChain(t *testing.T) {
	one := &told{name: "a:one"}
	ledger := &book{}
	for name, o := range map[string]ChainOptions{
		"no model":                 {Ledger: ledger},
		"no ledger":                {Models: []Model{one}},
		"no price":                 {Models: []Model{one}, Ledger: ledger, Limits: roundtable.Limits{Day: roundtable.Spend{Micros: 1}}},
		"no price for an analysis": {Models: []Model{one}, Ledger: ledger, Analysis: roundtable.Spend{Micros: 1}},
		"no price of it":           {Models: []Model{one}, Own: []Model{&told{name: "b"}}, Ledger: ledger, Limits: roundtable.Limits{Day: roundtable.Spend{Micros: 1}}, Prices: Prices{{Model: "a:one"}}},
	} {
		if _, err := NewChain(o); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

// TestManyAtOnce asks one chain from many discussions.
func TestManyAtOnce(t *testing.T) {
	b := newBench(t, ChainOptions{Models: []Model{quick{}}})
	b.chain.opt.Ledger = free{}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := b.chain.Ask(t.Context(), question(), &heard{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// quick is a model that may be asked by many at once.
type quick struct{}

func (quick) Name() string { return "a:quick" }
func (quick) Stream(_ context.Context, _ Request, text func(string) error) (Result, error) {
	return Result{Stop: StopEnd, Sent: true, Usage: Usage{Input: 10, Output: 1}}, text("yes")
}

// free is a ledger of somebody who pays for everything.
type free struct{}

func (free) Reserve(context.Context, roundtable.Charge) (*roundtable.Budget, error) { return nil, nil }
func (free) Settle(_ context.Context, c roundtable.Charge, _ roundtable.Spend) ([]roundtable.Budget, error) {
	return c.Budgets(), nil
}
func (free) Budgets(_ context.Context, c roundtable.Charge) ([]roundtable.Budget, error) {
	return c.Budgets(), nil
}

// TestSleepEnds: nobody waits for a model when nobody waits for the answer.
func TestSleepEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("moved on")
	cancel(cause)
	if err := sleep(ctx, time.Hour); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if err := sleep(t.Context(), time.Nanosecond); err != nil {
		t.Errorf("got %v", err)
	}
}
