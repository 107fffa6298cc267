package slacksim

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// toObject turns a value into the JSON object it encodes to, detached from it.
func toObject(v any) object {
	raw, err := json.Marshal(v)
	if err != nil {
		return object{}
	}
	var o object
	_ = json.Unmarshal(raw, &o)
	return o
}

// tell sends an inner event to the app. channel may be "" when there is none.
func (w *Workspace) tell(inner object, channel string) {
	kind, _ := inner["type"].(string)
	stamp, _ := inner["event_ts"].(string)
	micro, _ := parseTS(stamp)
	about, _ := json.Marshal(map[string]string{"et": kind, "tid": w.opts.TeamID, "aid": w.opts.AppID, "cid": channel})
	shared := false
	if c := w.byID[channel]; c != nil {
		shared = c.Shared
	}
	w.enqueue(&delivery{Kind: kindEvents, Name: kind, Payload: mustJSON(object{
		"token":                 "local-verification-token",
		"team_id":               w.opts.TeamID,
		"api_app_id":            w.opts.AppID,
		"context_team_id":       w.opts.TeamID,
		"context_enterprise_id": nil,
		"type":                  "event_callback",
		"event_id":              w.ids.next("Ev"),
		"event_time":            micro / 1e6,
		"event_context":         "4-" + base64.RawStdEncoding.EncodeToString(about),
		"is_ext_shared_channel": shared,
		"event":                 inner,
		"authorizations": []any{object{
			"enterprise_id": nil, "team_id": w.opts.TeamID, "user_id": w.opts.BotUserID, "is_bot": true, "is_enterprise_install": false,
		}},
	})})
}

// mustJSON encodes what is made of maps, strings and numbers only and therefore
// always encodes.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("slacksim: encode event: %v", err))
	}
	return raw
}

// channelType is the channel_type of message events.
func (c *channel) channelType() string {
	switch c.Kind {
	case kindIM:
		return "im"
	case kindPrivate:
		return "group"
	}
	return "channel"
}

// tellMessage sends the message event of a new post, and a second delivery with
// another event id when it mentions the app.
func (w *Workspace) tellMessage(ch *channel, m *Message) {
	if !ch.has(w.opts.BotUserID) {
		return
	}
	event := toObject(m.forReader(true))
	event["channel"], event["channel_type"], event["event_ts"] = ch.ID, ch.channelType(), m.TS
	w.tellTeam(event, m)
	if m.isReply() {
		if root := ch.at(m.ThreadTS); root != nil && m.Subtype == "thread_broadcast" {
			event["root"] = toObject(root.forReader(false))
		}
	}
	w.tell(event, ch.ID)
	w.tellMention(ch, m)
}

// tellMention sends app_mention when a person names the app.
func (w *Workspace) tellMention(ch *channel, m *Message) {
	if m.BotID != "" || ch.Kind == kindIM || !strings.Contains(m.Text, "<@"+w.opts.BotUserID) {
		return
	}
	mention := object{"type": "app_mention", "channel": ch.ID, "event_ts": m.TS}
	all := toObject(m)
	for _, key := range []string{"user", "ts", "thread_ts", "parent_user_id", "client_msg_id", "text", "team", "blocks", "files", "edited"} {
		if v, ok := all[key]; ok {
			mention[key] = v
		}
	}
	w.tellTeam(mention, m)
	w.tell(mention, ch.ID)
}

// tellTeam names the workspace of an author who is of another one.
func (w *Workspace) tellTeam(event object, m *Message) {
	if m.Team != "" && m.Team != w.opts.TeamID {
		event["user_team"], event["source_team"] = m.Team, m.Team
	}
}

// tellChanged sends message_changed.
func (w *Workspace) tellChanged(ch *channel, m, before *Message) {
	if !ch.has(w.opts.BotUserID) {
		return
	}
	ts := w.ids.ts(w.now())
	now := toObject(m.forReader(true))
	now["source_team"], now["user_team"] = w.opts.TeamID, w.opts.TeamID
	w.tell(object{
		"type": "message", "subtype": "message_changed", "hidden": true, "channel": ch.ID, "channel_type": ch.channelType(),
		"ts": ts, "event_ts": ts, "message": now, "previous_message": toObject(before.forReader(true)),
	}, ch.ID)
}

// tellDeleted sends message_deleted.
func (w *Workspace) tellDeleted(ch *channel, before *Message) {
	if !ch.has(w.opts.BotUserID) {
		return
	}
	ts := w.ids.ts(w.now())
	w.tell(object{
		"type": "message", "subtype": "message_deleted", "hidden": true, "channel": ch.ID, "channel_type": ch.channelType(),
		"ts": ts, "event_ts": ts, "deleted_ts": before.TS, "previous_message": toObject(before.forReader(true)),
	}, ch.ID)
}

// tellReaction sends reaction_added or reaction_removed.
func (w *Workspace) tellReaction(kind string, ch *channel, m *Message, user, name string) {
	if !ch.has(w.opts.BotUserID) {
		return
	}
	event := object{
		"type": kind, "user": user, "reaction": name, "event_ts": w.ids.ts(w.now()),
		"item": object{"type": "message", "channel": ch.ID, "ts": m.TS},
	}
	if m.User != "" {
		event["item_user"] = m.User
	}
	w.tell(event, ch.ID)
}

// tellChannel sends channel_archive, channel_unarchive, member_joined_channel
// and their like.
func (w *Workspace) tellChannel(kind string, ch *channel, user string, more object) {
	event := object{"type": kind, "channel": ch.ID, "user": user, "event_ts": w.ids.ts(w.now())}
	maps.Copy(event, more)
	w.tell(event, ch.ID)
}

// Unfurl sends the message_changed that a link preview causes: the text is the
// same, nobody edited anything. It reports whether the message exists.
func (w *Workspace) Unfurl(channelID, ts string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := w.byID[channelID]
	if ch == nil || ch.at(ts) == nil {
		return false
	}
	m := ch.at(ts)
	before := m.clone()
	m.Attachments = []any{object{"id": 1, "from_url": "https://example.org/", "service_name": "Example", "title": "Preview", "fallback": "Preview"}}
	w.changed()
	w.showMessage(ch, m)
	w.tellChanged(ch, m, before)
	return true
}
