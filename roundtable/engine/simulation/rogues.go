package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The rogues of a plan, by Act.Who and by id. Gina is a guest, who may write and do
// nothing else; Mallory is a member who means harm with what members may do.
const (
	gina, ginaID       = 3, "U3"
	mallory, malloryID = 4, "U4"
)

// guestmark stands in what a guest writes to decide.
const guestmark = "guestmark"

// DrawHostile draws the plan of a seed as Draw does, and puts among what its people do
// what rogues do: floods of long messages, edits by the dozen, and a guest's words, marks
// and buttons that would end or decide, some while Slack does not say who she is. How the rest is drawn does not change.
func DrawHostile(seed uint64) Plan {
	d := dice(seed)
	p := Draw(seed)
	p.Hostile = true
	p.Acts = merge(p.Acts, misdeeds(d, p))
	return p
}

// misdeeds are what rogues do, in bursts that begin at any time of the plan.
func misdeeds(d dice, p Plan) []Act {
	span := time.Duration(0)
	for _, a := range p.Acts {
		span += a.After
	}
	var acts []Act
	at := time.Duration(0)
	for burst := range 1 + d.below(4, "bursts", "") {
		name := fmt.Sprint(burst)
		begin := d.span(0, span+time.Second, "burst", name)
		if d.chance(400, "early", name) { // while the panel frames
			begin = 0
		}
		more := drawBurst(d, name, 1+d.below(p.Discussions, "burst in", name), len(acts))
		for i := range more {
			if i == 0 { // bursts may overlap in what follows, not in where they begin
				more[i].After = max(0, begin-at)
			}
			at += more[i].After
		}
		acts = append(acts, more...)
	}
	return acts
}

// drawBurst draws what one rogue does in one go. n is how many misdeeds are before it,
// for those that refer to the ones they follow.
func drawBurst(d dice, name string, in, n int) []Act {
	quick := func(i int) time.Duration {
		return d.span(time.Millisecond, 300*time.Millisecond, "quick "+name, fmt.Sprint(i))
	}
	var acts []Act
	switch d.below(5, "misdeed", name) {
	case 0: // a flood
		size := pick(d, "size"+name, 200, 200, 200, 200, 200, 200, 13_000, 39_000) // Slack takes 40,000 characters
		for i := range 2 + d.below(28, "flood", name) {
			acts = append(acts, Act{After: quick(i), In: in, Who: mallory, Say: fmt.Sprintf("%d %s", i, strings.Repeat("議", size))})
		}
	case 1: // edits of one message
		acts = append(acts, Act{After: quick(0), In: in, Who: mallory, Say: "A first draft"})
		for i := range 2 + d.below(30, "edits", name) {
			acts = append(acts, Act{After: quick(i + 1), In: in, Who: mallory, Edit: n + 1, Text: fmt.Sprintf("Draft %d %s", i, strings.Repeat("x", 2000))})
		}
	case 2: // a guest's words
		for i := range 1 + d.below(6, "words", name) {
			texts := []string{exitWord, "Decision: " + guestmark + " it is.", "Let us call it a day.", "Done, thanks!"}
			acts = append(acts, Act{After: quick(i), In: in, Who: gina, Say: texts[d.below(len(texts), "word", name+fmt.Sprint(i))], Twice: d.chance(200, "word twice", name), Unknown: d.chance(400, "word unknown", name)})
		}
	case 3: // a guest's marks
		for i := range 2 + d.below(12, "marks", name) {
			acts = append(acts, Act{After: quick(i), In: in, Who: gina, React: 1 + d.below(4, "marked", name+fmt.Sprint(i)), Text: "white_check_mark", Twice: d.chance(200, "mark twice", name), Unknown: d.chance(400, "mark unknown", name)})
		}
	default: // a guest's buttons, of those that the edge does not refuse alone
		for i := range 1 + d.below(8, "buttons", name) {
			a := Act{After: quick(i), In: in, Who: gina, Unknown: d.chance(400, "button unknown", name)}
			a.Press = pick(d, "lever"+name+fmt.Sprint(i), roundtable.ButtonWrapUp, roundtable.ButtonChoose)
			if a.Press == roundtable.ButtonChoose {
				a.Value = "c1/0"
			}
			acts = append(acts, a)
		}
	}
	return acts
}

// merge puts two lists of acts into one, each at its time, and renumbers what refers to
// an act of its own list.
func merge(lists ...[]Act) []Act {
	type timed struct {
		at      time.Duration
		list, n int
		act     Act
	}
	var all []timed
	for list, acts := range lists {
		at := time.Duration(0)
		for n, a := range acts {
			at += a.After
			all = append(all, timed{at: at, list: list, n: n, act: a})
		}
	}
	slices.SortStableFunc(all, func(a, b timed) int { return cmp.Compare(a.at, b.at) })
	number := make(map[[2]int]int)
	for i, t := range all {
		number[[2]int{t.list, t.n}] = i + 1
	}
	merged, at := make([]Act, len(all)), time.Duration(0)
	for i, t := range all {
		a := t.act
		a.After, at = t.at-at, t.at
		if a.Edit > 0 {
			a.Edit = number[[2]int{t.list, a.Edit - 1}]
		}
		if a.Delete > 0 {
			a.Delete = number[[2]int{t.list, a.Delete - 1}]
		}
		merged[i] = a
	}
	return merged
}

// byRogue reports whether an input is what a rogue did: it may be put aside.
func (w *world) byRogue(input string) bool {
	return slices.ContainsFunc(w.parcels, func(p *parcel) bool {
		_, words := enginetest.MessageOf(p.input.Event)
		by, _ := roundtable.Actor(p.input.Event)
		return p.input.ID == input && words && (by.ID == malloryID || by.ID == ginaID)
	})
}

// rights says of whom it is known that they may not end or decide (FR-108).
func rights() invariant.Rights {
	return invariant.Rights{Entitled: func(p thread.Person) bool { return p.ID != ginaID }, Undeciding: []string{guestmark}}
}
