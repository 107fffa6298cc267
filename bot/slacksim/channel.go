package slacksim

import (
	"slices"
	"sort"
)

// Kinds of conversation.
const (
	kindPublic  = "public"
	kindPrivate = "private"
	kindIM      = "im"
)

// channel is a conversation with its messages, oldest first.
type channel struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Kind     string     `json:"kind"`
	Topic    string     `json:"topic"`
	Purpose  string     `json:"purpose"`
	Created  int64      `json:"created"`
	Archived bool       `json:"is_archived"`
	Shared   bool       `json:"is_ext_shared"`
	Members  []string   `json:"members"`
	Messages []*Message `json:"messages"`
}

type threadKey struct{ channel, ts string }

// addChannel makes a channel of the options. The caller holds mu or is New.
func (w *Workspace) addChannel(c Channel) *channel {
	kind := kindPublic
	if c.Private {
		kind = kindPrivate
	}
	members := slices.Clone(c.Members)
	if c.Members == nil {
		for _, p := range w.people {
			if !p.IsBot {
				members = append(members, p.ID)
			}
		}
	}
	if !c.WithoutBot && !slices.Contains(members, w.opts.BotUserID) {
		members = append(members, w.opts.BotUserID)
	}
	return w.keep(&channel{
		ID: c.ID, Name: c.Name, Kind: kind, Topic: c.Topic, Purpose: c.Purpose, Shared: c.IsExtShared,
		Created: w.now().Unix(), Members: members,
	})
}

func (w *Workspace) keep(c *channel) *channel {
	w.channels = append(w.channels, c)
	w.byID[c.ID] = c
	return c
}

// directMessage finds or makes the conversation between the app and a person.
// Its id derives from the person's, so that it is the same after a restart.
func (w *Workspace) directMessage(user string) *channel {
	id := "D" + user[1:]
	if c := w.byID[id]; c != nil {
		return c
	}
	return w.keep(&channel{ID: id, Kind: kindIM, Created: w.now().Unix(), Members: []string{user, w.opts.BotUserID}})
}

func (c *channel) has(user string) bool { return slices.Contains(c.Members, user) }

// visibleTo reports whether a person sees the channel in their sidebar.
func (c *channel) visibleTo(user string) bool { return c.Kind == kindPublic || c.has(user) }

// at finds the message with this timestamp, or nil.
func (c *channel) at(ts string) *Message {
	i := sort.Search(len(c.Messages), func(i int) bool { return !tsLess(c.Messages[i].TS, ts) })
	if i < len(c.Messages) && c.Messages[i].TS == ts {
		return c.Messages[i]
	}
	return nil
}

// tsLess orders timestamps of ten or more digits of seconds as numbers.
func tsLess(a, b string) bool {
	if len(a) != len(b) {
		am, _ := parseTS(a)
		bm, _ := parseTS(b)
		return am < bm
	}
	return a < b
}

// thread gives the root (nil if it was removed) and its replies, oldest first.
func (c *channel) thread(root string) (*Message, []*Message) {
	var replies []*Message
	for _, m := range c.Messages {
		if m.isReply() && m.ThreadTS == root {
			replies = append(replies, m)
		}
	}
	return c.at(root), replies
}

// add appends a message that is newer than all others and counts it at its root.
func (c *channel) add(m *Message) {
	c.Messages = append(c.Messages, m)
	if m.isReply() {
		c.recount(m.ThreadTS)
	}
}

// remove takes a message away; a root with replies becomes a tombstone instead.
// It reports whether the tombstone stayed.
func (c *channel) remove(m *Message) (kept bool) {
	if m.ReplyCount > 0 {
		*m = Message{Type: "message", Subtype: tombstone, TS: m.TS, ThreadTS: m.TS, User: "USLACKBOT", Hidden: true,
			Text: "This message was deleted.", ReplyCount: m.ReplyCount, ReplyUsers: m.ReplyUsers,
			ReplyUsersCount: m.ReplyUsersCount, LatestReply: m.LatestReply}
		return true
	}
	c.Messages = slices.DeleteFunc(c.Messages, func(o *Message) bool { return o == m })
	if m.isReply() {
		c.recount(m.ThreadTS)
	}
	return false
}

// recount brings a root's reply counters up to date.
func (c *channel) recount(ts string) {
	root, replies := c.thread(ts)
	if root == nil {
		return
	}
	root.ReplyCount, root.ReplyUsers, root.LatestReply = len(replies), nil, ""
	for _, r := range replies {
		if who := r.author(); len(root.ReplyUsers) < 5 && !slices.Contains(root.ReplyUsers, who) {
			root.ReplyUsers = append(root.ReplyUsers, who)
		}
		root.LatestReply = r.TS
	}
	root.ReplyUsersCount = len(root.ReplyUsers)
	root.ThreadTS = ""
	if len(replies) > 0 {
		root.ThreadTS = root.TS
	}
}

// person finds somebody by id, or nil.
func (w *Workspace) person(id string) *Person {
	for _, p := range w.people {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// info is the conversation object of conversations.info and .list.
func (w *Workspace) info(c *channel) object {
	o := object{
		"id": c.ID, "created": c.Created, "is_archived": c.Archived, "is_im": c.Kind == kindIM, "is_org_shared": false,
		"context_team_id": w.opts.TeamID, "updated": c.Created * 1000, "priority": 0,
	}
	if c.Kind == kindIM {
		o["user"] = c.Members[0]
		o["is_user_deleted"] = false
		return o
	}
	o["name"], o["name_normalized"] = c.Name, c.Name
	o["is_channel"], o["is_group"], o["is_mpim"] = c.Kind == kindPublic, c.Kind == kindPrivate, false
	o["is_private"], o["is_general"] = c.Kind == kindPrivate, c.Name == "general"
	o["is_member"], o["is_shared"] = c.has(w.opts.BotUserID), c.Shared
	o["is_ext_shared"], o["is_pending_ext_shared"] = c.Shared, false
	o["shared_team_ids"], o["pending_shared"], o["pending_connected_team_ids"] = []string{w.opts.TeamID}, []string{}, []string{}
	o["unlinked"], o["parent_conversation"], o["previous_names"] = 0, nil, []string{}
	o["creator"] = w.people[0].ID
	o["topic"] = object{"value": c.Topic, "creator": "", "last_set": 0}
	o["purpose"] = object{"value": c.Purpose, "creator": "", "last_set": 0}
	o["num_members"] = len(c.Members)
	return o
}
