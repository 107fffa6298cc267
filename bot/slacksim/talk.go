package slacksim

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot/slacksim/blockkit"
)

// typedLimit is how many characters a person may send in one message: what is longer
// Slack truncates (chat.postMessage, text).
const typedLimit = 40_000

// venue finds a channel in which a person may do something.
func (w *Workspace) venue(p *Person, id string) (*channel, error) {
	ch := w.byID[id]
	switch {
	case ch == nil || !ch.visibleTo(p.ID):
		return nil, decline(http.StatusNotFound, "channel_not_found", "There is no such channel.")
	case ch.Archived:
		return nil, decline(http.StatusBadRequest, "is_archived", "#%s is archived.", ch.Name)
	case !ch.has(p.ID):
		return nil, decline(http.StatusBadRequest, "not_in_channel", "Join #%s first.", ch.Name)
	}
	return ch, nil
}

// Say posts what a person typed, as the page does, and returns the message's
// timestamp; "" for a command, which posts nothing. thread is the timestamp of a
// root, or "". What Slack would not let the person do is an error.
func (w *Workspace) Say(person, channel, thread, text string) (ts string, err error) {
	w.mu.Lock()
	p := w.person(person)
	w.mu.Unlock()
	if p == nil || p.IsBot {
		return "", fmt.Errorf("say as %s: there is no such person", person)
	}
	out, err := w.say(p, &act{Channel: channel, ThreadTS: thread, Text: text})
	if err != nil {
		return "", fmt.Errorf("say in %s: %w", channel, err)
	}
	ts, _ = out["ts"].(string)
	return ts, nil
}

// say posts what a person typed.
func (w *Workspace) say(p *Person, a *act) (object, error) {
	text := strings.TrimSpace(a.Text)
	if command, rest, ok := w.typedCommand(text); ok {
		a.Command, a.Text = command, rest
		return w.command(p, a)
	}
	if text == "" && len(a.Files) == 0 {
		return nil, decline(http.StatusBadRequest, "no_text", "There is nothing to send.")
	}
	if len([]rune(text)) > typedLimit {
		return nil, decline(http.StatusBadRequest, "msg_too_long", "That is longer than %d characters.", typedLimit)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.venue(p, a.Channel)
	if err != nil {
		return nil, err
	}
	m := &Message{Type: "message", User: p.ID, Team: p.TeamID, ClientMsgID: cmp.Or(a.ClientID, uuid())}
	if rest, ok := strings.CutPrefix(text, "/me "); ok {
		m.Subtype, text = "me_message", rest
	} else if strings.HasPrefix(text, "/") {
		word, _, _ := strings.Cut(text, " ")
		return nil, decline(http.StatusBadRequest, "unknown_command", "%s is not a valid command.", word)
	}
	m.Text = w.typed(text)
	if err := w.reply(m, ch, a); err != nil {
		return nil, err
	}
	if err := w.attach(m, a.Files); err != nil {
		return nil, err
	}
	if m.Text != "" {
		m.Blocks = blockkit.RichText(m.Text, true, w.blockID)
	}
	w.post(ch, m)
	return object{"ts": m.TS}, nil
}

// reply puts a person's message into a thread.
func (w *Workspace) reply(m *Message, ch *channel, a *act) error {
	if a.ThreadTS == "" {
		return nil
	}
	root := ch.at(a.ThreadTS)
	if root == nil || root.isReply() {
		return decline(http.StatusNotFound, "thread_not_found", "This thread is gone.")
	}
	m.ThreadTS, m.ParentUserID = root.TS, root.User
	if a.Broadcast {
		m.Subtype = "thread_broadcast"
	}
	return nil
}

// attach adds uploaded files to a person's message.
func (w *Workspace) attach(m *Message, ids []string) error {
	for _, id := range ids {
		f := w.files[id]
		if f == nil {
			return decline(http.StatusNotFound, "file_not_found", "The file was not uploaded.")
		}
		m.Files = append(m.Files, f.shape())
	}
	if len(ids) > 0 {
		no := false
		m.Subtype, m.Upload = "file_share", &no
	}
	return nil
}

// typedCommand recognises a known slash command at the start of a text.
func (w *Workspace) typedCommand(text string) (command, rest string, ok bool) {
	word, rest, _ := strings.Cut(text, " ")
	known := slices.ContainsFunc(w.opts.Commands, func(c Command) bool { return c.Command == word })
	return word, rest, known
}

// command runs a slash command and shows the app's immediate answer.
func (w *Workspace) command(p *Person, a *act) (object, error) {
	if a.ThreadTS != "" {
		return nil, decline(http.StatusBadRequest, "not_in_threads", "%s is not supported in threads. Sorry!", a.Command)
	}
	if _, _, ok := w.typedCommand(a.Command); !ok {
		return nil, decline(http.StatusBadRequest, "unknown_command", "%s is not a valid command.", a.Command)
	}
	w.mu.Lock()
	ch, err := w.venue(p, a.Channel)
	if err != nil {
		w.mu.Unlock()
		return nil, err
	}
	done, hook := w.runCommand(p, ch, a.Command, a.Text)
	w.mu.Unlock()
	o := w.await(done)
	if o.failure != "" {
		return nil, decline(failureStatus(o.failure), o.failure, "%s failed with the error “%s”.", a.Command, o.failure)
	}
	if len(o.payload) == 0 || string(o.payload) == "null" || string(o.payload) == "{}" {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	payload := o.payload
	if payload[0] == '"' { // a bare string is the text
		payload = append(append([]byte(`{"text":`), payload...), '}')
	}
	if err := w.respond(hook, payload); err != nil {
		w.warn("%s: answer in the acknowledgement refused: %v", a.Command, err)
	}
	return nil, nil
}

// failureStatus is the HTTP status of an app that did not answer.
func failureStatus(failure string) int {
	if failure == "dispatch_failed" {
		return http.StatusBadGateway
	}
	return http.StatusGatewayTimeout
}

// give adds or removes a person's reaction.
func (w *Workspace) give(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, err := w.venue(p, a.Channel)
	if err != nil {
		return nil, err
	}
	m := ch.at(a.TS)
	switch {
	case m == nil || m.Subtype == tombstone:
		return nil, decline(http.StatusNotFound, "message_not_found", "This message is gone.")
	case !reactionName.MatchString(a.Name):
		return nil, decline(http.StatusBadRequest, "invalid_name", "There is no such emoji.")
	case a.Remove:
		w.unreact(ch, m, p.ID, a.Name)
	default:
		w.react(ch, m, p.ID, a.Name)
	}
	return nil, nil
}

// ownPost finds a message that a person wrote.
func (w *Workspace) ownPost(p *Person, a *act) (*channel, *Message, error) {
	ch, err := w.venue(p, a.Channel)
	if err != nil {
		return nil, nil, err
	}
	m := ch.at(a.TS)
	switch {
	case m == nil || m.Subtype == tombstone:
		return nil, nil, decline(http.StatusNotFound, "message_not_found", "This message is gone.")
	case m.User != p.ID:
		return nil, nil, decline(http.StatusForbidden, "cant_update_message", "You can change only your own messages.")
	}
	return ch, m, nil
}

// edit changes a person's message. A mention that the edit adds is a new
// app_mention, as in Slack.
func (w *Workspace) edit(p *Person, a *act) (object, error) {
	text := strings.TrimSpace(a.Text)
	if text == "" {
		return nil, decline(http.StatusBadRequest, "no_text", "There is nothing left. Delete the message instead.")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, m, err := w.ownPost(p, a)
	if err != nil {
		return nil, err
	}
	before := m.clone()
	m.Text = w.typed(text)
	m.Blocks = blockkit.RichText(m.Text, true, w.blockID)
	m.Edited = &Edited{User: p.ID, TS: formatTS(w.now().Unix() * 1e6)}
	w.changed()
	w.showMessage(ch, m)
	w.tellChanged(ch, m, before)
	if !strings.Contains(before.Text, "<@"+w.opts.BotUserID) {
		w.tellMention(ch, m)
	}
	return nil, nil
}

// unsay deletes a person's message.
func (w *Workspace) unsay(p *Person, a *act) (object, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch, m, err := w.ownPost(p, a)
	if err != nil {
		return nil, err
	}
	w.erase(ch, m)
	return nil, nil
}
