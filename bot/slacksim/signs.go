package slacksim

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot/slacksim/feed"
)

// reactionName is an emoji name without colons, with an optional skin tone.
var reactionName = regexp.MustCompile(`^[a-z0-9_+'-]+(::skin-tone-[2-6])?$`)

// reactionLimit is how many different emoji one message takes.
const reactionLimit = 50

// reacted finds the message a reaction call is about.
func (w *Workspace) reacted(c *call) (*channel, *Message, error) {
	if c.args["channel"] == "" || c.args["timestamp"] == "" {
		return nil, nil, refuse("no_item_specified")
	}
	ch, err := w.channelFor(c.args["channel"])
	if err != nil {
		return nil, nil, err
	}
	if _, ok := parseTS(c.args["timestamp"]); !ok {
		return nil, nil, refuse("bad_timestamp")
	}
	m := ch.at(c.args["timestamp"])
	if m == nil || m.Subtype == tombstone {
		return nil, nil, refuse("message_not_found")
	}
	return ch, m, nil
}

// reactionAdd is reactions.add.
func (w *Workspace) reactionAdd(c *call) (object, error) {
	ch, m, err := w.reacted(c)
	switch {
	case err != nil:
		return nil, err
	case !reactionName.MatchString(c.args["name"]):
		return nil, refuse("invalid_name")
	case ch.Archived:
		return nil, refuse("is_archived")
	case len(m.Reactions) >= reactionLimit:
		return nil, refuse("too_many_emoji")
	case !w.react(ch, m, w.opts.BotUserID, c.args["name"]):
		return nil, refuse("already_reacted")
	}
	return nil, nil
}

// reactionRemove is reactions.remove.
func (w *Workspace) reactionRemove(c *call) (object, error) {
	ch, m, err := w.reacted(c)
	switch {
	case err != nil:
		return nil, err
	case !w.unreact(ch, m, w.opts.BotUserID, c.args["name"]):
		return nil, refuse("no_reaction")
	}
	return nil, nil
}

// reactionGet is reactions.get.
func (w *Workspace) reactionGet(c *call) (object, error) {
	ch, m, err := w.reacted(c)
	if err != nil {
		return nil, err
	}
	return object{"type": "message", "channel": ch.ID, "message": m.forReader(false)}, nil
}

// react adds a reaction, tells everybody, and reports whether it was new.
func (w *Workspace) react(ch *channel, m *Message, user, name string) bool {
	if !m.react(name, user) {
		return false
	}
	w.changed()
	w.showMessage(ch, m)
	w.tellReaction("reaction_added", ch, m, user, name)
	return true
}

// unreact removes a reaction, tells everybody, and reports whether it was there.
func (w *Workspace) unreact(ch *channel, m *Message, user, name string) bool {
	if !m.unreact(name, user) {
		return false
	}
	w.changed()
	w.showMessage(ch, m)
	w.tellReaction("reaction_removed", ch, m, user, name)
	return true
}

// status is the "is thinking…" line of a thread; one per thread, the last writer wins.
type status struct {
	Channel  string   `json:"channel"`
	ThreadTS string   `json:"thread_ts"`
	Status   string   `json:"status"`
	Username string   `json:"username,omitempty"`
	Emoji    string   `json:"icon_emoji,omitempty"`
	IconURL  string   `json:"icon_url,omitempty"`
	Loading  []string `json:"loading_messages,omitempty"`

	until time.Time
}

// loadingLimit is how many loading messages a status may have.
const loadingLimit = 10

// setStatus is assistant.threads.setStatus.
func (w *Workspace) setStatus(c *call) (object, error) {
	ch, err := w.channelFor(c.args["channel_id"])
	if err != nil {
		return nil, err
	}
	root := ch.at(c.args["thread_ts"])
	if root == nil || root.isReply() {
		return nil, refuse("invalid_thread_ts")
	}
	key := threadKey{ch.ID, root.TS}
	if c.args["status"] == "" {
		w.clearStatus(key)
		return nil, nil
	}
	s := &status{Channel: ch.ID, ThreadTS: root.TS, Status: c.args["status"], until: w.now().Add(w.opts.Timing.StatusLife)}
	if w.granted("chat:write.customize") {
		s.Username, s.Emoji, s.IconURL = c.args["username"], c.args["icon_emoji"], c.args["icon_url"]
	}
	if strings.EqualFold(s.Username, "slackbot") || strings.EqualFold(s.Username, "slack") {
		return nil, refuse("reserved_username")
	}
	if s.Loading = loadingMessages(c.args["loading_messages"]); len(s.Loading) > loadingLimit {
		return nil, refuse("invalid_arguments", "[ERROR] no more than 10 items allowed [json-pointer:/loading_messages]")
	}
	w.statuses[key] = s
	w.show(feed.Audience{Channel: ch.ID}, "status", s)
	w.rouse()
	return nil, nil
}

// loadingMessages reads a JSON array, or text with commas between the messages.
func loadingMessages(raw string) []string {
	var list []string
	if raw == "" || json.Unmarshal([]byte(raw), &list) == nil {
		return list
	}
	return strings.Split(raw, ",")
}

// clearStatus removes a thread's status line, if it has one.
func (w *Workspace) clearStatus(key threadKey) {
	if w.statuses[key] == nil {
		return
	}
	delete(w.statuses, key)
	w.show(feed.Audience{Channel: key.channel}, "status", &status{Channel: key.channel, ThreadTS: key.ts})
}
