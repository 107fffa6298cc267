package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// section is a part of the table. Each of its checks has the whole limit for itself.
type section struct {
	area   string
	limit  time.Duration
	checks []row
}

// row is a check of facts of any type.
type row interface {
	examine(ctx context.Context, x *visit) []Finding
}

// examine runs all checks at once and returns what they found, in the table's order.
func examine(ctx context.Context, x *visit, table []section) []Finding {
	var found []chan []Finding
	for _, s := range table {
		for _, c := range s.checks {
			result := make(chan []Finding, 1)
			found = append(found, result)
			go func() {
				ctx, cancel := context.WithTimeoutCause(ctx, s.limit, fmt.Errorf("no answer within %s", s.limit))
				defer cancel()
				all := c.examine(ctx, x)
				for i := range all {
					all[i].Area = s.area
				}
				result <- all
			}()
		}
	}
	var out []Finding
	for _, result := range found {
		out = append(out, <-result...)
	}
	return out
}

// examine implements row: what follows from the configuration alone is a row as it stands.
func (f Finding) examine(context.Context, *visit) []Finding { return []Finding{f} }

// check is a row of the table, about facts of one type.
type check[T any] struct {
	// name is what is looked at.
	name string
	// learn finds out what there is to judge, each fact for itself, and returns nothing where
	// the check does not apply.
	learn func(ctx context.Context, x *visit) ([]T, error)
	// trouble judges an error of learn: it is a Failure unless the answer has a level, and
	// one of several lines is as many findings. Without trouble another check reports it.
	trouble []answer[error]
	// Of the answers the first that applies to a fact is found; where none does, nothing is.
	answers []answer[T]
	// where, if set, names the servers that a fact is about.
	where func(T) []string
}

// answer is what is found where when holds; nil holds always. The words are Finding's.
type answer[T any] struct {
	when             func(T) bool
	level            Level
	found, means, do string
	promises         []int
	// args are for the verbs of found; say completes what else depends on the fact.
	args func(T) []any
	say  func(T, *Finding)
}

// examine implements row. Facts of which the same is found are one finding.
func (c check[T]) examine(ctx context.Context, x *visit) []Finding {
	facts, err := c.learn(ctx, x)
	var out []Finding
	if err != nil {
		f, ok := first(c.trouble, err)
		if !ok {
			return nil
		}
		for line := range strings.Lines(cmp.Or(f.Found, err.Error())) {
			f.Check, f.Level, f.Found = c.name, cmp.Or(f.Level, Failure), strings.TrimSpace(line)
			out = append(out, f)
		}
		return out
	}
	for _, fact := range facts {
		f, ok := first(c.answers, fact)
		if !ok {
			continue
		}
		f.Check = c.name
		if c.where != nil {
			f.Where = c.where(fact)
		}
		same := func(o Finding) bool {
			return o.Level == f.Level && o.Found == f.Found && o.Means == f.Means && o.Do == f.Do
		}
		if i := slices.IndexFunc(out, same); i >= 0 {
			out[i].Where = append(out[i].Where, f.Where...)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// first is what the first answer that applies says of a fact.
func first[T any](answers []answer[T], fact T) (Finding, bool) {
	for _, a := range answers {
		if a.when != nil && !a.when(fact) {
			continue
		}
		f := Finding{Level: a.level, Found: a.found, Means: a.means, Do: a.do, Promises: a.promises}
		if a.args != nil {
			f.Found = fmt.Sprintf(a.found, a.args(fact)...)
		}
		if a.say != nil {
			a.say(fact, &f)
		}
		return f, true
	}
	return Finding{}, false
}

// one learns a single fact.
func one[T any](ask func(context.Context) (T, error)) func(context.Context, *visit) ([]T, error) {
	return func(ctx context.Context, _ *visit) ([]T, error) {
		fact, err := ask(ctx)
		return []T{fact}, err
	}
}

// as holds for errors of a type of which something holds.
func as[E error](holds func(E) bool) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[E](err)
		return ok && holds(e)
	}
}
