package bot

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// Bounds of what reactions may cost (I1).
const (
	// asksEvery is the pause between two messages of a workspace about whose thread Slack
	// is asked, over all replicas: six a minute, of the fifty that Slack allows, of which
	// recovery takes forty.
	asksEvery = 10 * time.Second
	// asksRest is how long Slack is not asked about marks after it wanted to be left
	// alone: what it allows then is for recovery.
	asksRest = 10 * time.Minute
	// mostKeepers is how many discussions keep a mark of which nobody knows whose it is,
	// those first that were active last.
	mostKeepers = 10
)

// repliesMethod is what tells in which thread a message stands.
const repliesMethod = "conversations.replies"

// marked takes in a reaction. Its event does not say in which thread the message stands:
// this process may remember, and else the store knows whose message it is. Slack is
// asked only where the store does not know and a discussion of the channel began before
// the message. If Slack may not be asked, or does not answer, the mark is kept by all
// that the message may belong to: the one that has it counts it. So it is safe, and
// acknowledged, whatever Slack allows.
func (b *Bot) marked(ctx context.Context, h happening) (why skipReason, later task, err error) {
	s, how, err := b.whose(ctx, h)
	if err != nil {
		return "", nil, err
	}
	b.metrics.marks.WithLabelValues(how).Inc()
	switch {
	case !s.Known && len(s.Perhaps) == 0:
		return skipUnknown, nil, nil
	case b.outsider(ctx, h):
		return skipForeigner, nil, nil
	case s.Known:
		return b.deliver(ctx, s.Ref, h)
	}
	return b.keepMark(ctx, s.Perhaps, h)
}

// How a marked message's discussion was found: labels of a metric.
const (
	markRemembered = "remembered" // by this process
	markStored     = "stored"     // by the store, or it is nobody's
	markAsked      = "asked"      // by Slack
	markUnsure     = "unsure"     // by nobody: it is kept where it may belong
)

// whose finds the discussion of a marked message, and says how it was found.
func (b *Bot) whose(ctx context.Context, h happening) (s engine.Sighting, how string, err error) {
	if root, ok := b.threads.roots.Get(spot{h.Channel, h.Message}); ok {
		s.Ref, s.Known, err = b.find(ctx, h.Channel, root)
		return s, markRemembered, err
	}
	s, err = b.opts.Threads.FindMessage(ctx, b.self.team, h.Channel, h.Message)
	if err != nil {
		return s, "", fmt.Errorf("find whose message is marked: %w", err)
	}
	if s.Known || len(s.Perhaps) == 0 {
		return s, markStored, nil
	}
	root, asked := b.threadOf(ctx, h.Channel, h.Message)
	switch {
	case !asked:
		return s, markUnsure, nil
	case root == "":
		return engine.Sighting{}, markAsked, nil
	}
	s = engine.Sighting{}
	s.Ref, s.Known, err = b.find(ctx, h.Channel, root)
	return s, markAsked, err
}

// keepMark puts a mark into the mailboxes of the discussions that its message may belong to.
// One whose mailbox is full is passed over, as long as another takes it.
func (b *Bot) keepMark(ctx context.Context, perhaps []engine.Ref, h happening) (why skipReason, later task, err error) {
	if e, ok := h.Input.Event.(roundtable.Reacted); ok {
		e.Unsure = true
		h.Input.Event = e
	}
	full := 0
	perhaps = perhaps[:min(len(perhaps), mostKeepers)]
	in := b.named(ctx, h.Input)
	for _, ref := range perhaps {
		r, err := b.put(ctx, engine.Delivery{Ref: ref, Also: h.Also, From: h.User}, in)
		if err != nil {
			return "", nil, err
		}
		if r == engine.Full {
			full++
		}
	}
	if full == len(perhaps) {
		return "", nil, errors.New("every mailbox that could keep the mark is full")
	}
	return "", nil, nil
}

// threadOf asks Slack in which thread a message stands: the first message of
// conversations.replies is the thread's. A message that is gone, or that we may not
// read, stands in none. asked is false if Slack may not be asked now, or did not answer.
func (b *Bot) threadOf(ctx context.Context, channel, message string) (root string, asked bool) {
	got, err, _ := b.asks.Do(channel+"/"+message, func() (any, error) { return b.askThread(ctx, channel, message) })
	if err != nil {
		b.log.Debug("thread of a marked message not found", "channel", channel, "error", webapi.Scrub(err))
		return "", false
	}
	root, _ = got.(string)
	return root, true
}

// errNotAsked means that what Slack allows is left to others.
var errNotAsked = errors.New("Slack is not asked about marks now")

// askThread is threadOf for all who ask about a message at once. It has a time of its
// own, since they share the answer.
func (b *Bot) askThread(ctx context.Context, channel, message string) (root string, err error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), webapi.LookupWithin, fmt.Errorf("%s took more than %s", repliesMethod, webapi.LookupWithin))
	defer cancel()
	if !b.paced.Calm(repliesMethod, asksRest) {
		return "", errNotAsked
	}
	if wait, err := b.opts.Threads.MayAsk(ctx, b.self.team, asksEvery); err != nil || wait > 0 {
		return "", errors.Join(errNotAsked, err)
	}
	messages, _, _, err := b.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{ChannelID: channel, Timestamp: message, Limit: 1})
	switch {
	case webapi.Answered(err, "thread_not_found", "channel_not_found", "message_not_found", "not_in_channel", "missing_scope"):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("find the thread of a message: %w", err)
	case len(messages) == 0:
		return "", nil
	}
	root = firstOf(messages[0].ThreadTimestamp, messages[0].Timestamp)
	b.threads.keepMessage(channel, message, root)
	return root, nil
}
