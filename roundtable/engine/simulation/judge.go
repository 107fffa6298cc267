package simulation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// poisonLimit is the default of engine.Options.PoisonLimit: no input may be put aside,
// and nothing stop, after fewer crashes.
const poisonLimit = 3

// judge finds what is wrong with what remains.
func (w *world) judge() ([]enginetest.Violation, error) {
	found, err := w.judgeDiscussions()
	if err != nil {
		return nil, err
	}
	for _, judge := range []func() ([]enginetest.Violation, error){w.judgeParking, w.judgeItem} {
		more, err := judge()
		if err != nil {
			return nil, err
		}
		found = append(found, more...)
	}
	if n := w.slack.Doubles(); n > 0 && w.counted[Tardy]+w.counted[Rollback] == 0 {
		found = append(found, broken("I3", "%d posts were doubled, and healed", n))
	}
	for _, p := range w.parcels {
		if !p.acked && !p.lost && !p.closed {
			found = append(found, broken("I1", "%s was never acknowledged", p.name))
		}
	}
	return found, nil
}

func broken(invariant, detail string, args ...any) enginetest.Violation {
	return enginetest.Violation{Invariant: invariant, Detail: fmt.Sprintf(detail, args...)}
}

// judgeDiscussions has the checker judge every discussion, and that none stopped
// without a reason (I10).
func (w *world) judgeDiscussions() (found []enginetest.Violation, err error) {
	for _, ref := range w.store.memory.Refs() {
		e, err := w.evidence(ref)
		if err != nil {
			return nil, err
		}
		if e.Discussion.Stalled != nil && w.counted[PanelFails]+w.counted[Reject] == 0 && w.disturbances() < poisonLimit {
			found = append(found, broken("I10", "%s stopped (%s), and nothing had failed", ref.ID, e.Discussion.Stalled.Reason))
		}
		if w.plan.Hostile {
			found = append(found, judgeRights(e)...)
		}
		for _, v := range enginetest.Check(e) {
			v.Detail = ref.ID + ": " + v.Detail
			if w.excuses(v, e) {
				w.excused = append(w.excused, v)
			} else {
				found = append(found, v)
			}
		}
	}
	return found, nil
}

// judgeParking: what is put aside has ended its holders (I1).
func (w *world) judgeParking() ([]enginetest.Violation, error) {
	letters, err := w.store.memory.DeadLetters(context.Background(), 1000)
	if w.plan.Hostile {
		letters = slices.DeleteFunc(letters, func(l engine.DeadLetter) bool { return w.byRogue(l.Mail.ID) })
	}
	if err != nil || len(letters) == 0 || w.disturbances() >= poisonLimit {
		return nil, err
	}
	return []enginetest.Violation{broken("I1", "%s was put aside (%s) after %d faults", letters[0].Mail.ID, letters[0].Reason, w.disturbances())}, nil
}

// judgeItem: every discussion is recorded once (I8). No two of a plan end at one step
// in one second.
func (w *world) judgeItem() (found []enginetest.Violation, err error) {
	n := len(w.store.ledger.writes)
	if n == 0 {
		return nil, nil
	}
	meta, err := document.ParseMeta(w.store.ledger.writes[n-1].After.Meta)
	if err != nil {
		return nil, fmt.Errorf("judge the item: %w", err)
	}
	records := meta.Elaborations()
	for i, r := range records {
		if slices.ContainsFunc(records[:i], func(o document.Record) bool { return o.StepID == r.StepID && o.Timestamp == r.Timestamp }) {
			found = append(found, broken("I8", "step %s at %s is recorded twice", r.StepID, r.Timestamp))
		}
	}
	return found, nil
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
func (w *world) excuses(v enginetest.Violation, e enginetest.Evidence) bool {
	if e.Discussion.State == "" && len(e.Parked) > 0 && w.disturbances() >= poisonLimit {
		return true
	}
	if v.Invariant != "I3" && v.Invariant != "I4" {
		return false
	}
	return w.counted[Rollback] > 0 ||
		w.counted[Tardy] > 0 && (e.Discussion.State != roundtable.StateClosed || w.counted[Reject] > 0)
}

// evidence gathers what the checker judges of a discussion.
func (w *world) evidence(ref engine.Ref) (e enginetest.Evidence, err error) {
	state, lines, err := w.store.memory.Read(context.Background(), ref)
	if err != nil {
		return e, err
	}
	w.trace.addText(string(state))
	if state != nil {
		if e.Discussion, err = roundtable.Decode(state); err != nil {
			return e, err
		}
	}
	for _, line := range lines {
		w.trace.addText(string(line))
	}
	if e.Entries, err = roundtable.DecodeLog(ref.ID, lines); err != nil {
		return e, err
	}
	for _, m := range w.slack.Messages(channel) {
		if strings.HasPrefix(m.Key, ref.ID+"/") {
			w.trace.addText(m.Key + m.TS)
			e.Slack = append(e.Slack, m)
		}
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
	e.Refused, e.Writes, e.Skew = w.slack.Refused(), w.store.ledger.writes, w.plan.Skew
	e.Intrusions = w.intrusions[ref]
	if e.Parked, err = w.store.memory.DeadLetters(context.Background(), 100); err != nil {
		return e, err
	}
	for _, p := range w.parcels {
		if p.ref == ref && w.owed(p, e) {
			e.Sent = append(e.Sent, enginetest.Sent{Input: p.input, Unlogged: w.unlogged(p, e)})
		}
	}
	return e, nil
}

// owed reports whether an input must have been taken in: whatever was acknowledged,
// and whatever Slack shows. What reached nobody while the discussion was open cannot
// have been.
func (w *world) owed(p *parcel, e enginetest.Evidence) bool {
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
func (w *world) shown(p *parcel, e enginetest.Evidence) bool {
	ended := !e.Discussion.Closed.IsZero() && p.input.At.After(e.Discussion.Closed.Add(-w.plan.Skew))
	return p.recoverable() && !p.deleted && !ended && p.thread == e.Discussion.Place.Thread
}

// unlogged reports whether a message need not have left an entry: it was taken back, it
// came after the end, it asked to end a discussion whose synthesis had failed, or the
// person was told that the log has no more room for theirs.
func (w *world) unlogged(p *parcel, e enginetest.Evidence) bool {
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
func roomless(said roundtable.Said, e enginetest.Evidence) bool {
	told := slices.Contains(e.Discussion.Refused, said.By.ID) || slices.Contains(e.Discussion.Refused, "")
	return told && roundtable.ExcessOf(roundtable.VolumeOf(e.Entries), e.Entries, said) != roundtable.ExcessNone
}
