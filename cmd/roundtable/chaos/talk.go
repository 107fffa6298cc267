package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// talk is what people do in one discussion, and what they remember of it.
type talk struct {
	*room
	topic  string
	dice   *rand.Rand
	id     string // of the discussion; empty until it appears
	thread string

	said  []*saying
	marks []mark
	// strict is set when people waited until everything they had said stood in the
	// log before they ended the discussion: none of it may be missing.
	strict bool
	// states are the states that were seen, in order; notes the document as it was
	// seen once the discussion was over.
	states []roundtable.Discussion
	notes  map[string][]byte
}

// saying is a message that a person wrote.
type saying struct {
	ts, text string
	by       slacksim.Person
	edited   bool
	deleted  bool
	leaves   bool // it is about the procedure: "done"
	decides  bool // it is a decision of somebody who came late
}

// mark is a reaction that marks a message.
type mark struct {
	ts string
	by slacksim.Person
}

// lines are what people say. %s is a persona's first name.
var lines = []string{
	"I worry about how long the import takes on a slow line.",
	"%s, what breaks first when two people edit the same entry?",
	"What do you all think about starting with read-only access?",
	"Decision: every entry keeps its author.",
	"Users told us that they reconcile on Fridays, mostly on the train.",
	"Action: ask the pilot customers for their largest ledger.",
	"%s, how would you store the entries that were never sent?",
	"We could leave the search for later, I think.",
	"The audit wants every change for ten years.",
	"Let us keep the old export until summer.",
}

var personas = []string{"Maya", "Alex", "Jordan"}

// hold holds a discussion from its opening to its end.
func (t *talk) hold(ctx context.Context) error {
	if !t.open(ctx) {
		return nil
	}
	for range 2 + t.dice.IntN(3) {
		if over := t.beat(ctx); over {
			return t.leave(ctx)
		}
	}
	t.welcome(ctx)
	return t.end(ctx)
}

// open asks for the discussion until it appears in the channel, at most three
// times: who was told that it opens waits longer.
func (t *talk) open(ctx context.Context) bool {
	for range 3 {
		t.log.add(openings, 1)
		_, err := t.town.act(ctx, "command", t.as(t.anybody(), "command", "/roundtable", "text", t.topic))
		if err != nil {
			t.log.add(unanswered, 1)
		}
		patience, cancel := context.WithTimeout(ctx, 20*time.Second)
		err = until(patience, "the introduction stands", 150*time.Millisecond, t.find)
		cancel()
		if err == nil {
			return true
		}
	}
	return false
}

// find looks for an introduction with the topic that no other talk is about.
func (t *talk) find() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.town.Messages(t.channel) {
		id := discussionOf(m)
		if m.ThreadTS == "" || m.ThreadTS == m.TS {
			if id != "" && !t.taken[id] && strings.Contains(m.Text, t.topic) {
				t.taken[id] = true
				t.id, t.thread = id, m.TS
				return true
			}
		}
	}
	return false
}

func (t *talk) anybody() slacksim.Person { return t.town.people[t.dice.IntN(len(t.town.people))] }

// as is an act of a person in the room.
func (t *talk) as(p slacksim.Person, more ...string) map[string]any {
	act := map[string]any{"as": p.ID, "channel": t.channel}
	for i := 0; i+1 < len(more); i += 2 {
		act[more[i]] = more[i+1]
	}
	return act
}

// beat is one or more messages, what goes with them, and mostly waiting for an
// answer. It reports whether the discussion is over.
func (t *talk) beat(ctx context.Context) (over bool) {
	before := len(t.replies())
	for range 1 + t.dice.IntN(2) {
		text := lines[t.dice.IntN(len(lines))]
		if strings.Contains(text, "%s") {
			text = fmt.Sprintf(text, personas[t.dice.IntN(len(personas))])
		}
		t.say(ctx, t.anybody(), text, false)
	}
	t.fidget(ctx)
	if t.dice.IntN(4) > 0 {
		patience, cancel := context.WithTimeout(ctx, 6*time.Second)
		defer cancel()
		// Without an answer people go on, as they do.
		_ = until(patience, "somebody answers", 200*time.Millisecond, func() bool { return len(t.replies()) > before })
	}
	d := t.look(ctx)
	return d.State == roundtable.StateClosed
}

// welcome lets somebody who has done nothing yet press a button and decide, while
// rogues are about: nobody knows them, and Slack may have been asked too much to say.
func (t *talk) welcome(ctx context.Context) {
	p, ok := t.town.newcomer()
	if !ok {
		return
	}
	t.pressAs(ctx, p, "rt:continue")
	before := len(t.said)
	t.say(ctx, p, "Decision: "+p.RealName+" keeps the summary.", false)
	for _, s := range t.said[before:] {
		s.decides = true
	}
}

func (t *talk) say(ctx context.Context, p slacksim.Person, text string, leaves bool) {
	ts, err := t.town.act(ctx, "say", t.as(p, "thread_ts", t.thread, "text", text))
	if err != nil {
		return // the introduction is gone: judged from what stands
	}
	t.log.add(messages, 1)
	t.said = append(t.said, &saying{ts: ts, text: text, by: p, leaves: leaves})
}

// replies are the app's posts in the thread.
func (t *talk) replies() []*slacksim.Message {
	var all []*slacksim.Message
	for _, m := range t.town.Messages(t.channel) {
		if m.ThreadTS == t.thread && m.TS != t.thread && key(m) != "" {
			all = append(all, m)
		}
	}
	return all
}

// fidget is what people do besides writing.
func (t *talk) fidget(ctx context.Context) {
	last := t.said
	if len(last) == 0 {
		return
	}
	s := last[t.dice.IntN(len(last))]
	switch throw := t.dice.IntN(20); {
	case throw < 4 && !s.deleted && !s.edited:
		text := strings.TrimSuffix(s.text, ".") + ", to be exact."
		if _, err := t.town.act(ctx, "edit", t.as(s.by, "ts", s.ts, "text", text)); err == nil {
			s.text, s.edited = text, true
			t.log.add(edits, 1)
		}
	case throw < 5 && !s.deleted:
		if _, err := t.town.act(ctx, "delete", t.as(s.by, "ts", s.ts)); err == nil {
			s.deleted = true
			t.log.add(deletions, 1)
		}
	case throw < 9:
		t.mark(ctx)
	case throw < 13:
		t.press(ctx, "rt:continue")
	}
}

// mark puts a check mark on the newest post of the app.
func (t *talk) mark(ctx context.Context) {
	replies := t.replies()
	if len(replies) == 0 {
		return
	}
	m := mark{ts: replies[len(replies)-1].TS, by: t.anybody()}
	if _, err := t.town.act(ctx, "react", t.as(m.by, "ts", m.ts, "name", "white_check_mark")); err == nil {
		t.marks = append(t.marks, m)
		t.log.add(reactions, 1)
	}
}

// press presses a button wherever it stands last.
func (t *talk) press(ctx context.Context, action string) bool {
	return t.pressAs(ctx, t.anybody(), action)
}

func (t *talk) pressAs(ctx context.Context, p slacksim.Person, action string) bool {
	for _, m := range append([]*slacksim.Message{t.root()}, t.replies()...) {
		if m == nil {
			continue
		}
		block, ok := button(m, action)
		if !ok {
			continue
		}
		t.log.add(clicks, 1)
		if _, err := t.town.act(ctx, "act", t.as(p, "message_ts", m.TS, "block_id", block, "action_id", action)); err != nil {
			t.log.add(unanswered, 1)
		}
		return true
	}
	return false
}

func (t *talk) root() *slacksim.Message {
	for _, m := range t.town.Messages(t.channel) {
		if m.TS == t.thread {
			return m
		}
	}
	return nil
}

// button finds the block in which a message has a button.
func button(m *slacksim.Message, action string) (block string, ok bool) {
	for _, b := range m.Blocks {
		fields, _ := b.(map[string]any)
		elements, _ := fields["elements"].([]any)
		for _, e := range elements {
			if element, _ := e.(map[string]any); element["action_id"] == action {
				block, ok = fields["block_id"].(string)
				return block, ok
			}
		}
	}
	return "", false
}

// look reads the discussion and remembers the state it was in. What cannot be
// read now is looked at again later.
func (t *talk) look(ctx context.Context) roundtable.Discussion {
	e, err := t.store.read(ctx, t.ref())
	if err == nil && e.Discussion.State != "" {
		t.states = append(t.states, e.Discussion)
	}
	return e.Discussion
}

func (t *talk) ref() engine.Ref { return engine.Ref{Team: team, Channel: t.channel, ID: t.id} }
