package slacksim

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
)

// span is the part of a conversation a reader asked for.
type span struct {
	oldest, latest int64 // microseconds; latest 0: no end
	inclusive      bool
	horizon        int64 // posts after it are not visible to this reader yet
}

func (w *Workspace) span(c *call) (span, error) {
	s := span{inclusive: c.flag("inclusive"), horizon: w.now().UnixMicro() + 1e12}
	var ok bool
	if v := c.args["oldest"]; v != "" {
		if s.oldest, ok = parseTS(v); !ok {
			return s, refuse("invalid_ts_oldest")
		}
	}
	if v := c.args["latest"]; v != "" && v != "now" {
		if s.latest, ok = parseTS(v); !ok {
			return s, refuse("invalid_ts_latest")
		}
	}
	if c.lag > 0 {
		s.horizon = w.now().UnixMicro() - c.lag
	}
	return s, nil
}

func (s span) holds(m *Message) bool {
	at, _ := parseTS(m.TS)
	if at > s.horizon {
		return false
	}
	if s.inclusive && (at == s.oldest || at == s.latest) {
		return true
	}
	return at > s.oldest && (s.latest == 0 || at < s.latest)
}

// pageOf cuts one page out of a list and gives the cursor of the next.
func pageOf[T any](c *call, items []T, fallback, most int) ([]T, object, error) {
	start := 0
	if cursor := c.args["cursor"]; cursor != "" {
		raw, err := base64.StdEncoding.DecodeString(cursor)
		n, numeric := strings.CutPrefix(string(raw), "next:")
		start, _ = strconv.Atoi(n)
		if err != nil || !numeric || start < 0 || start > len(items) {
			return nil, nil, refuse("invalid_cursor")
		}
	}
	size := c.number("limit", fallback)
	if size <= 0 {
		size = fallback
	}
	end := min(start+min(size, most), len(items))
	next := ""
	if end < len(items) {
		next = base64.StdEncoding.EncodeToString([]byte("next:" + strconv.Itoa(end)))
	}
	out := slices.Clone(items[start:end])
	if out == nil {
		out = []T{}
	}
	return out, object{"next_cursor": next}, nil
}

func readers(list []*Message, metadata bool) []*Message {
	out := make([]*Message, len(list))
	for i, m := range list {
		out[i] = m.forReader(metadata)
	}
	return out
}

// conversationReplies is conversations.replies: the root, then the replies,
// oldest first. ts may be the root's or any reply's.
func (w *Workspace) conversationReplies(c *call) (object, error) {
	ch, err := w.channelFor(c.args["channel"])
	if err != nil {
		return nil, err
	}
	if !ch.has(w.opts.BotUserID) {
		return nil, refuse("channel_not_found")
	}
	within, err := w.span(c)
	if err != nil {
		return nil, err
	}
	rootTS := c.args["ts"]
	if m := ch.at(rootTS); m != nil && m.isReply() {
		rootTS = m.ThreadTS
	}
	root, replies := ch.thread(rootTS)
	if root == nil && len(replies) == 0 {
		return nil, refuse("thread_not_found")
	}
	replies = slices.DeleteFunc(replies, func(m *Message) bool { return !within.holds(m) })
	part, next, err := pageOf(c, replies, 1000, 1000)
	if err != nil {
		return nil, err
	}
	// The root opens every page, and does not count towards the limit.
	messages := readers(part, c.flag("include_all_metadata"))
	if root != nil {
		messages = append([]*Message{root.forReader(c.flag("include_all_metadata"))}, messages...)
	}
	return object{"messages": messages, "has_more": next["next_cursor"] != "", "response_metadata": next}, nil
}

// conversationHistory is conversations.history: roots and broadcasts, newest first.
func (w *Workspace) conversationHistory(c *call) (object, error) {
	ch, err := w.channelFor(c.args["channel"])
	if err != nil {
		return nil, err
	}
	if !ch.has(w.opts.BotUserID) {
		return nil, refuse("not_in_channel")
	}
	within, err := w.span(c)
	if err != nil {
		return nil, err
	}
	var shown []*Message
	for _, m := range slices.Backward(ch.Messages) {
		if within.holds(m) && (!m.isReply() || m.Subtype == "thread_broadcast") {
			shown = append(shown, m)
		}
	}
	part, next, err := pageOf(c, shown, 100, 999)
	if err != nil {
		return nil, err
	}
	out := object{"messages": readers(part, c.flag("include_all_metadata")), "has_more": next["next_cursor"] != "", "pin_count": 0, "response_metadata": next}
	return out, nil
}

// conversationInfo is conversations.info.
func (w *Workspace) conversationInfo(c *call) (object, error) {
	ch, err := w.channelFor(c.args["channel"])
	if err != nil {
		return nil, err
	}
	return object{"channel": w.info(ch)}, nil
}

// channelKinds reads the types argument.
func channelKinds(c *call) (map[string]bool, error) {
	kinds := map[string]bool{}
	types := c.list("types")
	if len(types) == 0 {
		types = []string{"public_channel"}
	}
	for _, t := range types {
		switch t {
		case "public_channel":
			kinds[kindPublic] = true
		case "private_channel":
			kinds[kindPrivate] = true
		case "im":
			kinds[kindIM] = true
		case "mpim":
		default:
			return nil, refuse("invalid_types")
		}
	}
	return kinds, nil
}

func (w *Workspace) listChannels(c *call, keep func(*channel) bool) (object, error) {
	kinds, err := channelKinds(c)
	if err != nil {
		return nil, err
	}
	if raw := c.args["limit"]; raw != "" && c.number("limit", -1) < 0 {
		return nil, refuse("invalid_limit")
	}
	var found []object
	for _, ch := range w.channels {
		if !kinds[ch.Kind] || ch.Archived && c.flag("exclude_archived") || w.reachable(ch) != nil || !keep(ch) {
			continue
		}
		found = append(found, w.info(ch))
	}
	part, next, err := pageOf(c, found, 100, 1000)
	if err != nil {
		return nil, err
	}
	return object{"channels": part, "response_metadata": next}, nil
}

// conversationList is conversations.list.
func (w *Workspace) conversationList(c *call) (object, error) {
	return w.listChannels(c, func(*channel) bool { return true })
}

// userConversations is users.conversations, for the app itself by default.
func (w *Workspace) userConversations(c *call) (object, error) {
	user := c.args["user"]
	if user == "" {
		user = w.opts.BotUserID
	}
	return w.listChannels(c, func(ch *channel) bool { return ch.has(user) })
}

// conversationMembers is conversations.members.
func (w *Workspace) conversationMembers(c *call) (object, error) {
	ch, err := w.channelFor(c.args["channel"])
	if err != nil {
		return nil, err
	}
	if raw := c.args["limit"]; raw != "" && c.number("limit", -1) < 0 {
		return nil, refuse("invalid_limit")
	}
	part, next, err := pageOf(c, ch.Members, 100, 1000)
	if err != nil {
		return nil, err
	}
	return object{"members": part, "response_metadata": next}, nil
}

// conversationJoin is conversations.join.
func (w *Workspace) conversationJoin(c *call) (object, error) {
	ch, err := w.channelFor(c.args["channel"])
	switch {
	case err != nil:
		return nil, err
	case ch.Kind != kindPublic:
		return nil, refuse("method_not_supported_for_channel_type")
	case ch.Archived:
		return nil, refuse("is_archived")
	}
	out := object{"channel": w.info(ch)}
	if !w.join(ch, w.opts.BotUserID, "") {
		out["warning"] = "already_in_channel"
		out["response_metadata"] = object{"warnings": []string{"already_in_channel"}}
	}
	return out, nil
}

// join adds a member, tells everybody, and reports whether that was news.
func (w *Workspace) join(ch *channel, user, inviter string) bool {
	if ch.has(user) {
		return false
	}
	ch.Members = append(ch.Members, user)
	w.changed()
	w.showChannel(ch)
	if ch.has(w.opts.BotUserID) {
		more := object{"channel_type": "C", "team": w.opts.TeamID}
		if inviter != "" {
			more["inviter"] = inviter
		}
		w.tellChannel("member_joined_channel", ch, user, more)
	}
	return true
}

// conversationOpen is conversations.open, for direct messages with one person.
func (w *Workspace) conversationOpen(c *call) (object, error) {
	if id := c.args["channel"]; id != "" {
		ch, err := w.channelFor(id)
		if err != nil {
			return nil, err
		}
		return object{"channel": w.info(ch)}, nil
	}
	users := c.list("users")
	switch {
	case len(users) == 0:
		return nil, refuse("users_list_not_supplied")
	case len(users) > 1:
		return nil, refuse("method_not_supported_for_channel_type")
	}
	p := w.person(users[0])
	switch {
	case p == nil || p.IsBot:
		return nil, refuse("user_not_found")
	case p.Deleted:
		return nil, refuse("user_disabled")
	}
	ch := w.directMessage(p.ID)
	if c.flag("return_im") {
		return object{"channel": w.info(ch), "no_op": true, "already_open": true}, nil
	}
	return object{"channel": object{"id": ch.ID}, "no_op": true, "already_open": true}, nil
}
