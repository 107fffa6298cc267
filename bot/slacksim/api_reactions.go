package slacksim

import (
	"regexp"
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
