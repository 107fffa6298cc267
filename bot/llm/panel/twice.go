package panel

import (
	"context"
	"errors"
	"fmt"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// mendable is an answer that a lead gives in one piece, with what is wrong with it.
type mendable interface {
	found() finding
}

// preferred is the better of two answers, the second of which was asked for with what was
// wrong with the first.
type preferred[T mendable] struct {
	best   T
	engine string
	spent  thread.Spend
}

// askTwice asks a question whose answer is an object with a member, and, if something
// is wrong with what read makes of it, once more; the better answer stands. noted is
// told of each.
func askTwice[T mendable](ctx context.Context, p *Panel, q llm.Question, member string, read func(object []byte) T, noted func(heard T, attempt int)) (preferred[T], error) {
	var t preferred[T]
	for attempt := range 2 {
		w := newWhole(func(raw []byte) bool { return hasMember(raw, member) })
		result, err := w.ask(ctx, p.asker, q)
		if !result.Spent.IsZero() {
			t.spent = result.Spent
		}
		if attempt > 0 {
			p.counts.mended(t.best.found().wrong != "", err)
		}
		if err != nil && !unreadable(err) {
			if _, models := errors.AsType[*llm.Error](err); models && attempt > 0 && ctx.Err() == nil {
				return t, nil // the first answer, as far as it goes
			}
			return t, fmt.Errorf("ask for %s: %w", member, err)
		}
		heard := read(w.object)
		if attempt == 0 || heard.found().betterThan(t.best.found()) {
			t.best, t.engine = heard, w.engine
		}
		noted(heard, attempt)
		why := heard.found().why()
		if why == "" {
			break
		}
		q = followed(q, excerpt(visible(w.text.String()), mendExcerpt), "That cannot be used as it is: "+why+" Write the whole object again.")
	}
	return t, nil
}

// mendExcerpt is how much of an answer that is to be mended is shown again, in bytes.
const mendExcerpt = 4_000

// unreadable reports whether a failure is an answer that is there and cannot be used.
func unreadable(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && (e.Kind == llm.Truncated || e.Kind == llm.Malformed)
}
