package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// end brings a discussion to its end in one of the ways there are.
func (t *talk) end(ctx context.Context) error {
	switch throw := t.dice.IntN(10); {
	case throw < 5:
		t.hearOut(ctx)
		t.say(ctx, t.anybody(), "done", true)
	case throw < 7:
		t.say(ctx, t.anybody(), "Done, thanks!", true)
	case throw < 8:
		t.press(ctx, "rt:wrap_up")
	default: // until the limit is reached
		for range 4 {
			if t.beat(ctx) {
				break
			}
		}
	}
	return t.leave(ctx)
}

// hearOut waits until everything that was said and marked stands in the log, as
// people do who see that they are heard. If the discussion ends meanwhile, nobody
// is strict about it. Once all has been well for a minute they wait no longer:
// what is still missing then is lost.
func (t *talk) hearOut(ctx context.Context) {
	if end, ok := t.violent.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, end.Add(time.Minute), errors.New("all has been well for a minute"))
		defer cancel()
	}
	err := until(ctx, "everything is heard", 400*time.Millisecond, func() bool {
		e, err := t.store.read(ctx, t.ref())
		if err != nil {
			return false
		}
		d := e.Discussion
		if d.State != "" {
			t.states = append(t.states, d)
		}
		t.strict = d.State == roundtable.StateDiscussionLoop && t.heard(e.Entries)
		return t.strict || d.State == roundtable.StateClosed
	})
	if err != nil {
		t.strict = true
	}
}

// besieged reports whether rogues are about: then a deletion must be heard, too, which in
// other modes a store that forgets may lose.
func (t *talk) besieged() bool { return t.room != nil && t.gauge != nil }

// heard reports whether all that was said, edited and marked stands in the log.
func (t *talk) heard(entries []thread.Entry) bool {
	found := invariant.Check(invariant.Evidence{Entries: entries, Sent: t.sent(true)})
	return !slices.ContainsFunc(found, func(v invariant.Violation) bool { return v.Invariant == "I1" })
}

// sent is what people did, for the judge. Where they were strict, what they wrote and marked
// stands as they left it; else a message need only have been taken in, and what was deleted
// not even that, because a store that forgets finds it nowhere.
func (t *talk) sent(strict bool) (all []invariant.Sent) {
	for _, s := range t.said {
		in := roundtable.Input{ID: "m:" + s.ts, Event: roundtable.Said{TS: s.ts, By: thread.Person{ID: s.by.ID}, Text: s.text}}
		sent := invariant.Sent{Input: in, Unlogged: !strict || s.leaves || s.deleted}
		switch {
		case s.deleted:
			sent.Input.ID = ""
			sent.Struck = strict && t.besieged()
		case s.edited && strict:
			sent.Reads = s.text
		}
		sent.Decides = strict && s.decides
		all = append(all, sent)
	}
	for _, m := range t.marks {
		marked := roundtable.Reacted{TS: m.ts, By: thread.Person{ID: m.by.ID}}
		all = append(all, invariant.Sent{Input: roundtable.Input{Event: marked}, Marks: strict})
	}
	return all
}

// leave waits until the discussion is closed, saying "done" again from time to
// time: a click may have been lost, as Slack loses clicks.
func (t *talk) leave(ctx context.Context) error {
	again := time.Now().Add(8 * time.Second)
	err := until(ctx, fmt.Sprintf("discussion %s in %s is closed", t.id, t.channel), 400*time.Millisecond, func() bool {
		if t.look(ctx).State == roundtable.StateClosed {
			return true
		}
		if time.Now().After(again) {
			again = time.Now().Add(20 * time.Second)
			t.say(ctx, t.anybody(), "done", true)
		}
		return false
	})
	if err != nil {
		return err
	}
	if n := len(t.states); n > 0 {
		item, err := t.store.ReadItem(ctx, engine.ItemRef{Team: team, Channel: t.channel, Slug: t.states[n-1].Item})
		if err == nil {
			t.notes = item.Files
		}
	}
	return nil
}
