package slacksim

import (
	"encoding/json"
	"strings"
	"time"
)

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
	w.show(audience{channel: ch.ID}, "status", s)
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
	w.show(audience{channel: key.channel}, "status", &status{Channel: key.channel, ThreadTS: key.ts})
}
