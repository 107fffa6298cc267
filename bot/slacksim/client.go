package slacksim

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/roundtable-chat/app/bot/slacksim/blockkit"
)

// clientLimit is how many characters a client's message may have. The page's box
// takes fewer.
const clientLimit = 40_000

// Utterance is a message as a program posts it that has somebody's token, or another
// app's: with everything that the page does not let people do.
type Utterance struct {
	Channel, Thread string
	// Text is mrkdwn as Slack keeps it, links with a label of their own included, up
	// to 40,000 characters.
	Text string
	// ClientMsgID is the sender's choice; "" is a fresh one.
	ClientMsgID string
	// App makes it the post of another app with this bot id; nobody's user id is in it.
	App string
}

// Utter posts an utterance for a person. What Slack would not take is an error.
func (w *Workspace) Utter(person string, u Utterance) (ts string, err error) {
	if n := utf8.RuneCountInString(u.Text); n == 0 || n > clientLimit {
		return "", fmt.Errorf("utter in %s: %d characters are not between 1 and %d", u.Channel, n, clientLimit)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.person(person)
	if p == nil || p.IsBot {
		return "", fmt.Errorf("utter as %s: there is no such person", person)
	}
	ch, err := w.venue(p, u.Channel)
	if err != nil {
		return "", fmt.Errorf("utter in %s: %w", u.Channel, err)
	}
	m := &Message{Type: "message", User: p.ID, Team: p.TeamID, ClientMsgID: u.ClientMsgID, Text: u.Text}
	switch {
	case u.App != "":
		m.User, m.BotID, m.Subtype, m.ClientMsgID = "", u.App, "bot_message", ""
	case m.ClientMsgID == "":
		m.ClientMsgID = uuid()
	}
	if err := w.reply(m, ch, &act{ThreadTS: u.Thread}); err != nil {
		return "", fmt.Errorf("utter in %s: %w", u.Channel, err)
	}
	m.Blocks = blockkit.RichText(m.Text, true, w.blockID)
	w.post(ch, m)
	return m.TS, nil
}

// Amend edits a person's message as a client does: within the client's bound, and
// stamped finer than by the second, for Slack promises no coarser stamps.
func (w *Workspace) Amend(person, channel, ts, text string) error {
	if n := utf8.RuneCountInString(text); n == 0 || n > clientLimit {
		return fmt.Errorf("amend %s: %d characters are not between 1 and %d", ts, n, clientLimit)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.person(person)
	if p == nil {
		return fmt.Errorf("amend as %s: there is no such person", person)
	}
	ch, m, err := w.ownPost(p, &act{Channel: channel, TS: ts})
	if err != nil {
		return fmt.Errorf("amend %s: %w", ts, err)
	}
	before := m.clone()
	m.Text, m.Blocks = text, blockkit.RichText(text, true, w.blockID)
	m.Edited = &Edited{User: p.ID, TS: w.ids.ts(w.now())}
	w.changed()
	w.showMessage(ch, m)
	w.tellChanged(ch, m, before)
	return nil
}

// Answer is what became of a forged envelope.
type Answer struct {
	// Payload is the acknowledgement's, if it had one.
	Payload json.RawMessage
	// Failure is empty if the app acknowledged, else why Slack stopped waiting:
	// "operation_timeout", "dispatch_failed" or "given_up".
	Failure string
}

// Forge delivers an envelope whose payload nobody in the workspace made: kind is
// "events_api", "interactive", "slash_commands" or what Slack may invent, name the
// inner event's type where there is one. It is delivered again as an honest one would
// be. The answer comes once, and nobody has to wait for it. A payload that is no JSON
// is not dispatched: see [Workspace.ForgeFrame].
func (w *Workspace) Forge(kind, name string, payload json.RawMessage) <-chan Answer {
	done, answer := make(chan outcome, 1), make(chan Answer, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || !json.Valid(payload) {
		answer <- Answer{Failure: "dispatch_failed"}
		return answer
	}
	w.alive.Go(func() {
		o := outcome{failure: "operation_timeout"}
		select {
		case o = <-done:
		case <-w.feed.Ended():
		}
		answer <- Answer{Payload: o.payload, Failure: o.failure}
	})
	w.enqueue(&delivery{Kind: kind, Name: name, Payload: payload, accepts: kind != kindEvents, done: done})
	return answer
}

// errNoConnection is the end of a frame that nobody is there to read.
var errNoConnection = errors.New("no app is connected")

// ForgeFrame sends bytes over the next connection as they are, in one text frame: what
// no workspace would send. Nobody waits for an answer, and nothing is sent again.
func (w *Workspace) ForgeFrame(frame []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.nextConn()
	if c == nil {
		return errNoConnection
	}
	w.send(c, frame)
	return nil
}

// GivenUp is how many events Slack stopped delivering because no attempt was
// acknowledged.
func (w *Workspace) GivenUp() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.givenUp
}
