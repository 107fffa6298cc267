package slacksim

import (
	"strings"

	"github.com/roundtable-chat/app/bot/slacksim/blockkit"
	"github.com/roundtable-chat/app/bot/slacksim/feed"
)

// channelFor finds the channel an argument names: an id, a name with or without
// #, or a person, which means the app's direct message with them.
func (w *Workspace) channelFor(name string) (*channel, error) {
	if c := w.byID[name]; c != nil {
		return c, w.reachable(c)
	}
	if p := w.person(name); p != nil && !p.IsBot && !p.Deleted {
		return w.directMessage(p.ID), nil
	}
	for _, c := range w.channels {
		if c.Kind != kindIM && c.Name == strings.TrimPrefix(name, "#") {
			return c, w.reachable(c)
		}
	}
	return nil, refuse("channel_not_found")
}

// reachable hides private channels that the app was not invited to.
func (w *Workspace) reachable(c *channel) error {
	if c.Kind == kindPrivate && !c.has(w.opts.BotUserID) {
		return refuse("channel_not_found")
	}
	return nil
}

// writable finds a channel the app may post to.
func (w *Workspace) writable(name string) (*channel, error) {
	c, err := w.channelFor(name)
	switch {
	case err != nil:
		return nil, err
	case c.Archived:
		return nil, refuse("is_archived")
	case !c.has(w.opts.BotUserID):
		return nil, refuse("not_in_channel")
	}
	return c, nil
}

// chatPost is chat.postMessage.
func (w *Workspace) chatPost(c *call) (object, error) {
	ch, err := w.writable(c.args["channel"])
	if err != nil {
		return nil, err
	}
	draft, err := w.draft(c)
	if err != nil {
		return nil, err
	}
	if err := w.place(draft, ch, c); err != nil {
		return nil, err
	}
	first := draft
	for i, text := range splitText(draft.Text, len(draft.Blocks) > 0) {
		m := draft
		if i > 0 {
			m = draft.clone()
			m.Metadata = nil
		}
		m.Text = text
		w.dress(m, c)
		w.post(ch, m)
	}
	if first.ThreadTS != "" {
		w.clearStatus(threadKey{ch.ID, first.ThreadTS})
	}
	return object{"channel": ch.ID, "ts": first.TS, "message": first.forReader(true)}, nil
}

// place puts a draft into the thread it is meant for. A thread whose root was
// deleted or never existed takes no replies: the post then stands in the channel.
func (w *Workspace) place(m *Message, ch *channel, c *call) error {
	ts := c.args["thread_ts"]
	if ts == "" {
		return nil
	}
	root := ch.at(ts)
	if root == nil || root.Subtype == tombstone {
		return nil
	}
	if root.isReply() {
		return refuse("cannot_reply_to_message")
	}
	m.ThreadTS, m.ParentUserID = root.TS, root.User
	if c.flag("reply_broadcast") {
		m.Subtype = "thread_broadcast"
	}
	return nil
}

// dress completes a draft: rich text made from its text when it brought no blocks.
func (w *Workspace) dress(m *Message, c *call) {
	if len(m.Blocks) == 0 && m.Text != "" && c.args["markdown_text"] == "" {
		m.Blocks = blockkit.RichText(m.Text, c.args["mrkdwn"] != "false", w.blockID)
	}
}

// blockID is the id of a block that came without one.
func (w *Workspace) blockID() string { return strings.TrimLeft(w.ids.next("b"), "b0") + "x" }

// post gives a message its time, stores it, and tells the page and the app.
func (w *Workspace) post(ch *channel, m *Message) {
	m.TS = w.ids.ts(w.now())
	if m.Type == "" {
		m.Type = "message"
	}
	ch.add(m)
	w.changed()
	w.showMessage(ch, m)
	if m.isReply() {
		if root := ch.at(m.ThreadTS); root != nil {
			w.showMessage(ch, root)
		}
	}
	w.tellMessage(ch, m)
}

// chatUpdate is chat.update. It drops a customised name and icon, as Slack does.
func (w *Workspace) chatUpdate(c *call) (object, error) {
	ch, m, err := w.ownMessage(c, "cant_update_message", "is_inactive")
	if err != nil {
		return nil, err
	}
	if len([]rune(c.args["text"])) > updateTextLimit {
		return nil, refuse("msg_too_long")
	}
	draft, err := w.revision(c, m)
	if err != nil {
		return nil, err
	}
	before := m.clone()
	w.revise(m, draft, c)
	m.Edited = &Edited{User: w.opts.BotID, TS: formatTS(w.now().Unix() * 1e6)}
	w.changed()
	w.showMessage(ch, m)
	w.tellChanged(ch, m, before)
	return object{"channel": ch.ID, "ts": m.TS, "text": m.Text, "message": m.forReader(true)}, nil
}

// revision reads the new content of a message.
func (w *Workspace) revision(c *call, m *Message) (*Message, error) {
	if c.args["text"] == "" && c.args["blocks"] == "" && c.args["attachments"] == "" && c.args["markdown_text"] == "" {
		if c.args["metadata"] != "" {
			if err := c.readMetadata(&Message{}); err != nil {
				return nil, err
			}
			return m.clone(), nil
		}
		return nil, refuse("no_text")
	}
	return w.draft(c)
}

// revise replaces the content of a message by that of a draft.
func (w *Workspace) revise(m, draft *Message, c *call) {
	if _, sent := c.args["text"]; sent || c.args["markdown_text"] != "" {
		m.Text, m.Blocks = draft.Text, nil
	}
	if _, sent := c.args["blocks"]; sent || c.args["markdown_text"] != "" {
		m.Blocks = draft.Blocks
	}
	if _, sent := c.args["attachments"]; sent {
		m.Attachments = draft.Attachments
	}
	if raw := c.args["metadata"]; raw != "" {
		m.Metadata = nil
		if strings.TrimSpace(raw) != "{}" {
			_ = c.readMetadata(m) // was read once already without complaint
		}
	}
	if m.Subtype == "bot_message" {
		m.Subtype = ""
	}
	m.Username, m.Icons = "", nil
	m.User, m.BotProfile = w.opts.BotUserID, w.botProfile()
	if w.opts.UpdateHonoursIdentity {
		w.identify(m, c)
	}
	w.dress(m, c)
}

// ownMessage finds a message of the app that it wants to change.
func (w *Workspace) ownMessage(c *call, foreign, archived string) (*channel, *Message, error) {
	ch, err := w.channelFor(c.args["channel"])
	if err != nil {
		return nil, nil, err
	}
	m := ch.at(c.args["ts"])
	switch {
	case m == nil || m.Subtype == tombstone:
		return nil, nil, refuse("message_not_found")
	case m.BotID != w.opts.BotID:
		return nil, nil, refuse(foreign)
	case ch.Archived:
		return nil, nil, refuse(archived)
	}
	return ch, m, nil
}

// chatDelete is chat.delete.
func (w *Workspace) chatDelete(c *call) (object, error) {
	ch, m, err := w.ownMessage(c, "cant_delete_message", "cant_delete_message")
	if err != nil {
		return nil, err
	}
	ts := m.TS
	w.erase(ch, m)
	return object{"channel": ch.ID, "ts": ts}, nil
}

// erase deletes a message and tells everybody.
func (w *Workspace) erase(ch *channel, m *Message) {
	before := m.clone()
	kept := ch.remove(m)
	w.changed()
	if kept {
		w.showMessage(ch, m)
	} else {
		w.show(feed.Audience{Channel: ch.ID}, "message_deleted", object{"channel": ch.ID, "ts": before.TS})
		if before.isReply() {
			if root := ch.at(before.ThreadTS); root != nil {
				w.showMessage(ch, root)
			}
		}
	}
	w.tellDeleted(ch, before)
}

// chatEphemeral is chat.postEphemeral.
func (w *Workspace) chatEphemeral(c *call) (object, error) {
	ch, err := w.writable(c.args["channel"])
	if err != nil {
		return nil, err
	}
	if p := w.person(c.args["user"]); p == nil || p.Deleted || !ch.has(p.ID) {
		return nil, refuse("user_not_in_channel")
	}
	m, err := w.draft(c)
	if err != nil {
		return nil, err
	}
	if err := w.place(m, ch, c); err != nil {
		return nil, err
	}
	w.dress(m, c)
	e := w.whisper(ch, c.args["user"], m)
	return object{"message_ts": e.TS}, nil
}

// chatPermalink is chat.getPermalink. The link leads to the page.
func (w *Workspace) chatPermalink(c *call) (object, error) {
	ch, err := w.channelFor(c.args["channel"])
	if err != nil {
		return nil, err
	}
	m := ch.at(c.args["message_ts"])
	if m == nil {
		return nil, refuse("message_not_found")
	}
	link := w.origin() + "/archives/" + ch.ID + "/p" + strings.ReplaceAll(m.TS, ".", "")
	if m.isReply() {
		link += "?thread_ts=" + m.ThreadTS + "&cid=" + ch.ID
	}
	return object{"channel": ch.ID, "permalink": link}, nil
}
