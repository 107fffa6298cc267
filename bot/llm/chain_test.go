package llm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestOrder: which failures are tried again, which go to the next model, which
// engine is named, and what is said in the end (FR-114).
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
			if len(b.book.charges) != len(b.book.used) || b.book.held[thread.BudgetDay] != (thread.Spend{}) {
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

// TestReader: what the reader says ends it all, and is charged.
func TestReader(t *testing.T) {
	enough := errors.New("enough")
	b := newBench(t, ChainOptions{Models: []Model{&told{name: "a:one", answers: []answer{says("yes")}}}})
	if _, err := b.chain.Ask(t.Context(), question(), &heard{err: enough}); !errors.Is(err, enough) || len(b.book.used) != 1 {
		t.Errorf("got %v, %d charges", err, len(b.book.used))
	}
}

func TestNewChain(t *testing.T) {
	one := &told{name: "a:one"}
	ledger := &book{}
	for name, o := range map[string]ChainOptions{
		"no model":                 {Ledger: ledger},
		"no ledger":                {Models: []Model{one}},
		"no price":                 {Models: []Model{one}, Ledger: ledger, Limits: thread.Limits{Day: thread.Spend{Micros: 1}}},
		"no price for an analysis": {Models: []Model{one}, Ledger: ledger, Analysis: thread.Spend{Micros: 1}},
		"no price of it":           {Models: []Model{one}, Own: []Model{&told{name: "b"}}, Ledger: ledger, Limits: thread.Limits{Day: thread.Spend{Micros: 1}}, Prices: Prices{{Model: "a:one"}}},
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

func (free) Reserve(context.Context, thread.Charge) (*thread.Budget, error) { return nil, nil }
func (free) Settle(_ context.Context, c thread.Charge, _ thread.Spend) ([]thread.Budget, error) {
	return c.Budgets(), nil
}
func (free) Budgets(_ context.Context, c thread.Charge) ([]thread.Budget, error) {
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
