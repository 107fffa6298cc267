package chaos

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// judge is the end of a campaign: what is left is held against the invariants.
func (c *campaign) judge(begun time.Time) Verdict {
	took := time.Since(begun)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	j := &court{campaign: c, talkOf: make(map[string]*talk)}
	for _, t := range c.talks {
		j.talkOf[t.id] = t
	}
	if err := j.sit(ctx); err != nil {
		c.log.violation("judge", "the evidence could not be read: %v", err)
	}
	j.processes()
	v := Verdict{Plan: c.plan, Begun: begun, Took: took, Counts: c.log.all(), Violations: c.log.violations(), Trace: j.trace}
	if c.ground.mode == Unconfirmed {
		v.Tolerated, v.Violations = v.Violations, nil
	}
	return v
}

// court is the judgement under way.
type court struct {
	*campaign
	talkOf  map[string]*talk // by discussion
	held    []held
	letters []engine.DeadLetter
	// suspects are discussions in which something was broken, and trace is what the
	// replicas logged of them.
	suspects, trace []string
}

// sit judges every discussion, then what several have in common.
func (j *court) sit(ctx context.Context) (err error) {
	if j.held, err = j.store.discussions(ctx); err != nil {
		return err
	}
	if j.letters, err = j.store.DeadLetters(ctx, 10_000); err != nil {
		return err
	}
	j.log.add(parked, len(j.letters))
	posted := j.posted()
	for _, h := range j.held {
		if h.analysis == nil {
			e, err := j.discussion(ctx, h, posted[h.ref.ID])
			if err != nil {
				return err
			}
			j.log.judge(h.where(), e)
		}
		delete(posted, h.ref.ID)
	}
	for id, posts := range posted { // of what Redis does not know
		j.log.judge(id, invariant.Evidence{Discussion: roundtable.Discussion{ID: id}, Slack: posts})
	}
	j.log.judge("the campaign", j.common())
	j.warnings()
	if j.plan.Mode == Hostile {
		j.measures()
		j.links()
	}
	return j.items(ctx)
}

// What the judgement counts.
const (
	closed   = "discussions closed"
	contribs = "posts that stand"
	turns    = "turns in the logs"
	late     = "messages that came after the end, and were answered so"
	parked   = "inputs put aside with a reason"
	records  = "records in meta.json"
)

// posted are the app's posts that stand in the channels, by discussion, in Slack's
// order.
func (j *court) posted() map[string][]invariant.Message {
	all := make(map[string][]invariant.Message)
	for _, room := range j.town.everywhere() {
		for _, m := range j.town.Messages(room) {
			if id := discussionOf(m); id != "" {
				all[id] = append(all[id], invariant.Message{Channel: room, Thread: m.ThreadTS, Key: key(m), TS: m.TS})
			}
		}
	}
	return all
}

// discussion is the evidence of one discussion.
func (j *court) discussion(ctx context.Context, h held, posted []invariant.Message) (e invariant.Evidence, err error) {
	if h.state.State == roundtable.StateClosed {
		j.log.add(closed, 1)
	}
	j.log.add(contribs, len(posted))
	j.log.add(turns, h.state.Turns)
	e = invariant.Evidence{Discussion: h.state, Entries: h.entries, Parked: j.letters, Slack: posted, Receipted: true}
	if j.plan.Mode == Hostile {
		e.Rights, e.Unhindered = j.rights(h), true
	}
	t := j.talkOf[h.ref.ID]
	if t == nil {
		return e, nil
	}
	e.States, e.Sent = append(slices.Clone(t.states), h.state), t.sent(t.strict)
	e.Consumed, err = j.taken(ctx, h, t)
	return e, err
}

// taken are the messages of a talk that were taken in: those that the log has, and those that
// Redis answered, which for words about the procedure and for what comes after the end is
// all there is.
func (j *court) taken(ctx context.Context, h held, t *talk) (ids []string, err error) {
	logged, _ := invariant.Told(h.entries)
	ids = []string{}
	for _, s := range t.said {
		id, known := "m:"+s.ts, logged[s.ts] > 0
		if s.deleted || slices.ContainsFunc(j.letters, func(l engine.DeadLetter) bool { return l.Mail.ID == id }) {
			continue
		}
		if !known {
			if known, err = j.store.consumed(ctx, h, id); err != nil {
				return nil, fmt.Errorf("look for message %s: %w", s.ts, err)
			}
			if known && !s.leaves {
				j.log.add(late, 1)
			}
		}
		if known {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// common is the evidence that is of no discussion alone: whoever was told that one opens has
// one, and no input of the team is poison.
func (j *court) common() invariant.Evidence {
	e := invariant.Evidence{Consumed: []string{}}
	there := make(map[string]bool)
	for _, h := range j.held {
		there[h.state.Topic] = true
		if a := h.analysis; a != nil && j.plan.Mode == Hostile {
			e.Unbidden = append(e.Unbidden, fmt.Sprintf("the analysis %s by %s", h.where(), a.Opener.ID))
		}
	}
	for _, p := range j.town.people {
		texts := j.town.whispers(p.ID)
		for _, t := range j.talks {
			if !there[t.topic] && slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "“"+t.topic+"”") }) {
				opening := roundtable.Input{ID: fmt.Sprintf("%s told to open %q", p.RealName, t.topic), Event: roundtable.Opened{Topic: t.topic}}
				e.Sent = append(e.Sent, invariant.Sent{Input: opening})
			}
		}
	}
	for _, l := range j.letters {
		if j.roguish(l) {
			j.log.add(roguesOwn, 1)
		} else {
			e.Harmless = append(e.Harmless, l)
		}
	}
	return e
}

// warnings: Slack's redelivery never gave up, or the campaign proves nothing. Where Slack
// gives up as the real one does, it is judged how often (measures).
func (j *court) warnings() {
	if j.plan.Mode == Hostile {
		return
	}
	for _, w := range j.town.Warnings() {
		if strings.Contains(w, "given up") {
			j.log.violation("campaign", "%s", w)
		}
	}
}

// items judges every item by the discussions of it that ended.
func (j *court) items(ctx context.Context) error {
	of := make(map[engine.ItemRef][]held)
	for _, h := range j.held {
		if h.state.State == roundtable.StateClosed {
			ref := engine.ItemRef{Team: h.ref.Team, Channel: h.ref.Channel, Slug: h.state.Item}
			of[ref] = append(of[ref], h)
		}
	}
	for ref, discussions := range of {
		item, err := j.store.ReadItem(ctx, ref)
		if err != nil {
			return fmt.Errorf("read item %s of %s: %w", ref.Slug, ref.Channel, err)
		}
		j.item(ref, item, discussions)
	}
	return nil
}

// item judges an item: by what ended, and by what was seen in its documents before.
func (j *court) item(ref engine.ItemRef, item engine.Item, discussions []held) {
	var e invariant.Evidence
	for _, h := range discussions {
		e.Ended = append(e.Ended, h.state)
		if t := j.talkOf[h.ref.ID]; t != nil {
			e.Writes = append(e.Writes, invariant.ItemChange{Before: engine.Item{Files: t.notes}, After: item})
		}
	}
	if len(e.Writes) == 0 {
		e.Writes = []invariant.ItemChange{{After: item}}
	}
	if meta, err := document.ParseMeta(item.Meta); err == nil {
		j.log.add(records, len(meta.Elaborations()))
	}
	j.log.judge(ref.Slug+" of "+ref.Channel, e)
}
