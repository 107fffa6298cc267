package simulation

import (
	"context"
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// poisonLimit is the default of engine.Options.PoisonLimit: no input may be put aside,
// and nothing stop, after fewer crashes.
const poisonLimit = 3

// judge finds what is wrong with what remains of every discussion, and with what all have in
// common.
func (w *world) judge() (found []invariant.Violation, err error) {
	for _, ref := range w.store.memory.Refs() {
		e, err := w.evidence(ref)
		if err != nil {
			return nil, err
		}
		for _, v := range invariant.Check(e) {
			v.Detail = ref.ID + ": " + v.Detail
			found = append(found, v)
		}
	}
	common, err := w.common()
	return append(found, invariant.Check(common)...), err
}

// common gathers what all discussions have in common: the item, in which no two of a plan
// end at one step in one second, and what is not any discussion's.
func (w *world) common() (e invariant.Evidence, err error) {
	e.Writes, e.Apart = w.store.ledger.writes, true
	if w.counted[Tardy]+w.counted[Rollback] == 0 {
		e.Doubled = w.slack.Doubles()
	}
	for _, p := range w.parcels {
		if !p.acked && !p.lost && !p.closed {
			e.Unacknowledged = append(e.Unacknowledged, p.name)
		}
	}
	if w.disturbances() >= poisonLimit {
		return e, nil
	}
	if e.Harmless, err = w.store.memory.DeadLetters(context.Background(), 1000); w.plan.Hostile {
		e.Harmless = slices.DeleteFunc(e.Harmless, func(l engine.DeadLetter) bool { return w.byRogue(l.Mail.ID) })
	}
	return e, err
}

// disturbances is how many holdings may have ended in a way that looks like a crash.
func (w *world) disturbances() int {
	n := 0
	for kind, times := range w.counted {
		if kind.disturbs() {
			n += times
		}
	}
	return n
}

// excuses reports whether what is wrong with posts follows from what nothing here
// promises to survive. It is excused, and counted.
//
// What Slack did after its time: a double is healed when the discussion closes, and
// a post that was refused the second time cannot be told from one that was not.
//
// What a server forgot though somebody was told of it (NFR-101 wants durable
// settings): messages are heard again and posts adopted by their keys, but a round
// that ran in another order the second time has other keys. So contributions may
// stand that the log does not have, or stand between others.
//
// What was put aside after so many crashes that it may be: if it is the opening,
// there is no discussion.
func (w *world) excuses(v invariant.Violation, e invariant.Evidence) bool {
	unopened := e.Discussion.State == "" && len(e.Parked) > 0 && w.disturbances() >= poisonLimit
	posts := v.Invariant == "I3" || v.Invariant == "I4"
	late := w.counted[Tardy] > 0 && (e.Discussion.State != roundtable.StateClosed || w.counted[Reject] > 0)
	if !unopened && !(posts && (w.counted[Rollback] > 0 || late)) {
		return false
	}
	v.Detail = e.Discussion.ID + ": " + v.Detail
	w.excused = append(w.excused, v)
	return true
}

// evidence gathers what package invariant judges of a discussion.
func (w *world) evidence(ref engine.Ref) (e invariant.Evidence, err error) {
	state, lines, err := w.store.memory.Read(context.Background(), ref)
	if err != nil {
		return e, err
	}
	if e, err = invariant.Of(ref, state, lines, w.slack.Messages(channel)); err != nil {
		return e, err
	}
	w.trace.addText(string(state))
	for _, line := range lines {
		w.trace.addText(string(line))
	}
	for _, m := range e.Slack {
		w.trace.addText(m.Key + m.TS)
	}
	for _, d := range w.store.ledger.states {
		if d.ID == ref.ID {
			e.States = append(e.States, d)
		}
	}
	e.Consumed = []string{}
	for _, c := range w.store.ledger.consumed {
		if c.ref == ref {
			e.Consumed = append(e.Consumed, c.id)
		}
	}
	e.Refused, e.Skew, e.Intrusions = w.slack.Refused(), w.plan.Skew, w.intrusions[ref]
	e.Unhindered = w.counted[PanelFails]+w.counted[Reject] == 0 && w.disturbances() < poisonLimit
	e.Receipted = w.counted[Rollback] == 0
	if w.plan.Hostile {
		e.Rights = rights()
	}
	if e.Parked, err = w.store.memory.DeadLetters(context.Background(), 100); err != nil {
		return e, err
	}
	for _, p := range w.parcels {
		if p.ref == ref && w.owed(p, e) {
			e.Sent = append(e.Sent, invariant.Sent{Input: p.input, Unlogged: w.unlogged(p, e)})
		}
	}
	e.Excuse = func(v invariant.Violation) bool { return w.excuses(v, e) }
	return e, nil
}

// owed reports whether an input must have been taken in: whatever was acknowledged,
// and whatever Slack shows. What reached nobody while the discussion was open cannot
// have been.
func (w *world) owed(p *parcel, e invariant.Evidence) bool {
	switch {
	case slices.Contains(e.Consumed, p.input.ID):
		return true
	case p.closed:
		return false
	case p.lost:
		return !p.deleted && e.Discussion.State != roundtable.StateClosed
	case w.counted[Rollback] > 0 && !w.store.memory.Knows(p.ref, p.input.ID):
		return w.shown(p, e)
	default:
		return p.acked
	}
}

// shown reports whether Slack shows an input that the store forgot where the engine
// looks for it: nothing but messages and edits leaves a trace there, in the thread,
// and a discussion that had ended owed it no more than a sentence. If the
// introduction was forgotten, and said again, there is a second thread.
func (w *world) shown(p *parcel, e invariant.Evidence) bool {
	ended := !e.Discussion.Closed.IsZero() && p.input.At.After(e.Discussion.Closed.Add(-w.plan.Skew))
	return p.recoverable() && !p.deleted && !ended && p.thread == e.Discussion.Place.Thread
}

// unlogged reports whether a message need not have left an entry: it was taken back, it
// came after the end, it asked to end a discussion whose synthesis had failed, or the
// person was told that the log has no more room for theirs.
func (w *world) unlogged(p *parcel, e invariant.Evidence) bool {
	said, ok := p.input.Event.(roundtable.Said)
	if p.deleted || ok && said.Text == exitWord && w.counted[PanelFails] > 0 || ok && roomless(said, e) {
		return true
	}
	for _, c := range w.store.ledger.consumed {
		if c.ref == p.ref && c.id == p.input.ID {
			return c.state == roundtable.StateClosed
		}
	}
	return false
}

// roomless reports whether a message was refused for want of room: it is said so, once for
// each person or for all, and there is none for it.
func roomless(said roundtable.Said, e invariant.Evidence) bool {
	told := slices.Contains(e.Discussion.Refused, said.By.ID) || slices.Contains(e.Discussion.Refused, "")
	return told && roundtable.ExcessOf(thread.VolumeOf(e.Entries), e.Entries, said) != thread.ExcessNone
}
