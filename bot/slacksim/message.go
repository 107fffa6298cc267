package slacksim

import (
	"encoding/json"
	"slices"

	"github.com/roundtable-chat/app/bot/slacksim/feed"
)

// object is a JSON object whose shape is Slack's or the app's, not ours.
type object = map[string]any

// Message is a post as Slack gives it back. Texts are escaped mrkdwn.
type Message struct {
	Type            string            `json:"type"`
	Subtype         string            `json:"subtype,omitempty"`
	TS              string            `json:"ts"`
	ThreadTS        string            `json:"thread_ts,omitempty"`
	ParentUserID    string            `json:"parent_user_id,omitempty"`
	User            string            `json:"user,omitempty"`
	BotID           string            `json:"bot_id,omitempty"`
	AppID           string            `json:"app_id,omitempty"`
	BotProfile      object            `json:"bot_profile,omitempty"`
	Username        string            `json:"username,omitempty"`
	Icons           map[string]string `json:"icons,omitempty"`
	Team            string            `json:"team,omitempty"`
	Text            string            `json:"text"`
	Blocks          []any             `json:"blocks,omitempty"`
	Attachments     []any             `json:"attachments,omitempty"`
	Files           []object          `json:"files,omitempty"`
	Upload          *bool             `json:"upload,omitempty"`
	ClientMsgID     string            `json:"client_msg_id,omitempty"`
	Edited          *Edited           `json:"edited,omitempty"`
	Metadata        *Metadata         `json:"metadata,omitempty"`
	Reactions       []Reaction        `json:"reactions,omitempty"`
	ReplyCount      int               `json:"reply_count,omitempty"`
	ReplyUsersCount int               `json:"reply_users_count,omitempty"`
	ReplyUsers      []string          `json:"reply_users,omitempty"`
	LatestReply     string            `json:"latest_reply,omitempty"`
	Hidden          bool              `json:"hidden,omitempty"`
	Channel         string            `json:"channel,omitempty"`      // ephemerals only
	IsEphemeral     bool              `json:"is_ephemeral,omitempty"` // ephemerals only
}

// Edited says who changed a message last, and when.
type Edited struct {
	User string `json:"user"`
	TS   string `json:"ts"`
}

// Metadata travels with a message and is returned only to who asks for it.
type Metadata struct {
	EventType    string          `json:"event_type"`
	EventPayload json.RawMessage `json:"event_payload"`
}

// Reaction is one emoji and who gave it.
type Reaction struct {
	Name  string   `json:"name"`
	Users []string `json:"users"`
	Count int      `json:"count"`
}

// tombstone is the subtype of a deleted root that still has replies.
const tombstone = "tombstone"

// isReply reports whether the message lives in a thread without being its root.
func (m *Message) isReply() bool { return m.ThreadTS != "" && m.ThreadTS != m.TS }

// author is what a person would click on: a user id, or a bot's.
func (m *Message) author() string {
	if m.User != "" {
		return m.User
	}
	return m.BotID
}

// clone copies the message so that a stored event does not change with it.
// Blocks and the like are replaced as a whole by edits, never changed in place.
func (m *Message) clone() *Message {
	c := *m
	c.Reactions = slices.Clone(m.Reactions)
	for i := range c.Reactions {
		c.Reactions[i].Users = slices.Clone(c.Reactions[i].Users)
	}
	c.ReplyUsers = slices.Clone(m.ReplyUsers)
	return &c
}

// forReader is the message as a reader gets it, with metadata only on request.
func (m *Message) forReader(metadata bool) *Message {
	c := m.clone()
	if !metadata {
		c.Metadata = nil
	}
	return c
}

// react adds a reaction and reports whether that changed anything.
func (m *Message) react(name, user string) bool {
	for i := range m.Reactions {
		r := &m.Reactions[i]
		if r.Name != name {
			continue
		}
		if slices.Contains(r.Users, user) {
			return false
		}
		r.Users = append(r.Users, user)
		r.Count = len(r.Users)
		return true
	}
	m.Reactions = append(m.Reactions, Reaction{Name: name, Users: []string{user}, Count: 1})
	return true
}

// unreact removes a reaction and reports whether it was there.
func (m *Message) unreact(name, user string) bool {
	for i := range m.Reactions {
		r := &m.Reactions[i]
		at := slices.Index(r.Users, user)
		if r.Name != name || at < 0 {
			continue
		}
		r.Users = slices.Delete(r.Users, at, at+1)
		r.Count = len(r.Users)
		if r.Count == 0 {
			m.Reactions = slices.Delete(m.Reactions, i, i+1)
		}
		return true
	}
	return false
}

// ephemeral is a message that only one person sees, until they reload.
type ephemeral struct {
	Message
	user string
}

// whisper shows a message to one person.
func (w *Workspace) whisper(ch *channel, user string, m *Message) *ephemeral {
	m.TS = w.ids.ts(w.now())
	m.Channel, m.IsEphemeral = ch.ID, true
	e := &ephemeral{Message: *m, user: user}
	w.hidden[user] = append(w.hidden[user], e)
	w.showEphemeral(e)
	return e
}

// Ephemerals are copies of the messages that only one person sees, oldest first.
func (w *Workspace) Ephemerals(user string) []*Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	copies := make([]*Message, 0, len(w.hidden[user]))
	for _, e := range w.hidden[user] {
		m := e.Message
		copies = append(copies, &m)
	}
	return copies
}

func (w *Workspace) showEphemeral(e *ephemeral) {
	w.show(feed.Audience{User: e.user}, "ephemeral", object{"channel": e.Channel, "message": &e.Message})
}

// whispered finds a person's ephemeral message.
func (w *Workspace) whispered(user, channel, ts string) *ephemeral {
	for _, e := range w.hidden[user] {
		if e.TS == ts && e.Channel == channel {
			return e
		}
	}
	return nil
}

// forget removes an ephemeral message.
func (w *Workspace) forget(e *ephemeral) {
	w.hidden[e.user] = slices.DeleteFunc(w.hidden[e.user], func(o *ephemeral) bool { return o == e })
	w.show(feed.Audience{User: e.user}, "ephemeral_deleted", object{"channel": e.Channel, "ts": e.TS})
}
