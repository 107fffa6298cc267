package chaos

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
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
	for _, l := range j.letters { // no input of the team is poison
		j.aside(l)
	}
	posted := j.posted()
	for _, h := range j.held {
		if h.analysis != nil {
			delete(posted, h.ref.ID)
			continue
		}
		if err := j.discussion(ctx, h, posted[h.ref.ID]); err != nil {
			return err
		}
		delete(posted, h.ref.ID)
	}
	for id, p := range posted {
		j.log.violation("I1", "discussion %s has %d posts in Slack and is not in Redis", id, len(p))
	}
	j.warnings()
	if j.plan.Mode == Hostile {
		j.contempt()
	}
	j.promises()
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
func (j *court) posted() map[string][]*slacksim.Message {
	all := make(map[string][]*slacksim.Message)
	for _, room := range j.town.everywhere() {
		for _, m := range j.town.Messages(room) {
			if id := discussionOf(m); id != "" {
				all[id] = append(all[id], m)
			}
		}
	}
	return all
}

// discussion judges one discussion by the engine's checker and by what only this
// campaign knows.
func (j *court) discussion(ctx context.Context, h held, posted []*slacksim.Message) error {
	if h.state.State == roundtable.StateClosed {
		j.log.add(closed, 1)
	}
	j.log.add(contribs, len(posted))
	j.log.add(turns, h.state.Turns)
	e := enginetest.Evidence{Discussion: h.state, Entries: h.entries, Parked: j.letters}
	for _, m := range posted {
		e.Slack = append(e.Slack, enginetest.Message{Channel: h.ref.Channel, Thread: m.ThreadTS, Key: key(m), TS: m.TS})
	}
	t := j.talkOf[h.ref.ID]
	if t != nil {
		e.States = append(slices.Clone(t.states), h.state)
		if t.strict {
			for _, s := range t.said {
				e.Sent = append(e.Sent, enginetest.Sent{Input: spoken(s), Unlogged: s.leaves || s.deleted})
			}
		}
	}
	for _, v := range enginetest.Check(e) {
		j.log.violation(v.Invariant, "%s in %s: %s", h.ref.ID, h.ref.Channel, v.Detail)
	}
	j.receipts(h, posted)
	if t == nil {
		return nil
	}
	j.wording(h, t)
	return j.messages(ctx, h, t)
}

func spoken(s *saying) roundtable.Input {
	return roundtable.Input{ID: "m:" + s.ts, Event: roundtable.Said{TS: s.ts, By: roundtable.Person{ID: s.by.ID}, Text: s.text}}
}

// receipts: whatever stands in Slack is known to the log (I3), and belongs to the
// thread of its discussion (I12).
func (j *court) receipts(h held, posted []*slacksim.Message) {
	known := make(map[string]bool)
	for _, e := range h.entries {
		if e.Kind == roundtable.EntryPosted {
			known[e.TS] = true
		}
	}
	for _, m := range posted {
		switch {
		case m.TS == h.state.Place.Root:
		case !known[m.TS]:
			j.log.violation("I3", "%s in %s: %s stands at %s and the log knows nothing of it", h.ref.ID, h.ref.Channel, key(m), m.TS)
		case m.ThreadTS != h.state.Place.Thread:
			j.log.violation("I12", "%s in %s: %s stands outside its thread", h.ref.ID, h.ref.Channel, key(m))
		}
	}
}

// wording: where people waited to be heard, the log tells their words as they were
// last edited, and every mark.
func (j *court) wording(h held, t *talk) {
	if !t.strict {
		return
	}
	texts, marked := wording(h.entries), marksIn(h.entries)
	for _, s := range t.said {
		if text, ok := texts[s.ts]; ok && s.edited && !s.deleted && text != s.text {
			j.log.violation("I1", "%s in %s: the edit of message %s is nowhere", h.ref.ID, h.ref.Channel, s.ts)
		}
	}
	for _, m := range t.marks {
		if !marked[m.ts+m.by.ID] {
			j.log.violation("I1", "%s in %s: the mark on %s is nowhere", h.ref.ID, h.ref.Channel, m.ts)
		}
	}
}

// messages: what is in no log was at least taken in and answered (I1), which for
// words about the procedure and for what comes after the end is all there is.
func (j *court) messages(ctx context.Context, h held, t *talk) error {
	texts := wording(h.entries)
	for _, s := range t.said {
		if _, logged := texts[s.ts]; logged || s.deleted {
			continue
		}
		id := spoken(s).ID
		if slices.ContainsFunc(j.letters, func(l engine.DeadLetter) bool { return l.Mail.ID == id }) {
			continue
		}
		taken, err := j.store.consumed(ctx, h, id)
		switch {
		case err != nil:
			return fmt.Errorf("look for message %s: %w", s.ts, err)
		case !taken:
			j.log.violation("I1", "%s in %s: message %s was never taken in", h.ref.ID, h.ref.Channel, s.ts)
		case !s.leaves:
			j.log.add(late, 1)
		}
	}
	return nil
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

// promises: who was told that a discussion opens has one.
func (j *court) promises() {
	there := make(map[string]int)
	for _, h := range j.held {
		there[h.state.Topic]++
	}
	for _, p := range j.town.people {
		texts := j.town.whispers(p.ID)
		for _, t := range j.talks {
			if there[t.topic] == 0 && slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(s, "“"+t.topic+"”") }) {
				j.log.violation("I1", "%s was told that %q opens, and it never did", p.RealName, t.topic)
			}
		}
	}
}

// items: every discussion has its record and its block, once, and nothing that was
// seen in a document has gone (I8).
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

func (j *court) item(ref engine.ItemRef, item engine.Item, discussions []held) {
	blocks, recorded := make(map[string]int), 0
	for _, h := range discussions {
		if h.state.Turns > 0 {
			recorded++
		}
		for _, change := range h.state.Changes {
			blocks[change.File]++
		}
		if _, written := item.Applied[h.ref.ID]; h.state.Enriching != "" && !written {
			j.log.violation("I8", "%s of %s: nothing of discussion %s was written", ref.Slug, ref.Channel, h.ref.ID)
		}
		if t := j.talkOf[h.ref.ID]; t != nil {
			for name, before := range t.notes {
				if !subsequence(before, item.Files[name]) {
					j.log.violation("I8", "%s of %s: %s lost bytes", ref.Slug, ref.Channel, name)
				}
			}
		}
	}
	for name, want := range blocks {
		if got := bytes.Count(item.Files[name], []byte("<!-- Elaboration:")); got != want {
			j.log.violation("I8", "%s of %s: %s has %d blocks of %d discussions", ref.Slug, ref.Channel, name, got, want)
		}
	}
	got := 0
	if item.Meta != nil {
		meta, err := document.ParseMeta(item.Meta)
		if err != nil {
			j.log.violation("I8", "%s of %s: meta.json cannot be read: %v", ref.Slug, ref.Channel, err)
			return
		}
		got = len(meta.Elaborations())
	}
	j.log.add(records, got)
	if got != recorded {
		j.log.violation("I8", "%s of %s: meta.json has %d records of %d discussions", ref.Slug, ref.Channel, got, recorded)
	}
}

// subsequence reports whether next holds all bytes of old in their order.
func subsequence(old, next []byte) bool {
	for _, b := range old {
		at := bytes.IndexByte(next, b)
		if at < 0 {
			return false
		}
		next = next[at+1:]
	}
	return true
}
