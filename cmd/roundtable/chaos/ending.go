package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
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
		d, entries, err := t.store.read(ctx, t.ref())
		if err != nil {
			return false
		}
		if d.State != "" {
			t.states = append(t.states, d)
		}
		t.strict = d.State == roundtable.StateDiscussionLoop && t.heard(entries)
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
func (t *talk) heard(entries []roundtable.Entry) bool {
	texts, marked := wording(entries), marksIn(entries)
	for _, s := range t.said {
		if t.besieged() && s.deleted && !struck(entries, s.ts) {
			return false
		}
		text, ok := texts[s.ts]
		if !s.deleted && (!ok || s.edited && text != s.text) {
			return false
		}
	}
	for _, m := range t.marks {
		if !marked[m.ts+m.by.ID] {
			return false
		}
	}
	return true
}

// wording is what people's messages say in a log, by timestamp.
func wording(entries []roundtable.Entry) map[string]string {
	texts := make(map[string]string)
	for _, kinds := range [][]roundtable.EntryKind{{roundtable.EntryTurn, roundtable.EntryLine, roundtable.EntryLate}, {roundtable.EntryEdit}} {
		for _, e := range entries {
			if e.Person != nil && !e.Told && slices.Contains(kinds, e.Kind) {
				if _, stands := texts[e.TS]; stands || e.Kind != roundtable.EntryEdit {
					texts[e.TS] = e.Text
				}
			}
		}
	}
	return texts
}

// marksIn are the marks in a log, by timestamp and person.
func marksIn(entries []roundtable.Entry) map[string]bool {
	marked := make(map[string]bool)
	for _, e := range entries {
		if e.Kind == roundtable.EntryMark {
			marked[e.Mark.TS+e.Mark.By.ID] = true
		}
	}
	return marked
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
