package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slack-go/slack"
	"github.com/slack-go/slack/slackevents"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// Times of routing.
const (
	// aliasWithin is how long a thread of ours may be unknown before the event
	// is left for redelivery: its first message is posted before the store
	// learns where it stands.
	aliasWithin = 2 * time.Second
	aliasEvery  = 100 * time.Millisecond
	// aliasYoung is how old a thread may be for that to be the reason.
	aliasYoung = 10 * time.Minute
)

// read reads an event: a happening, the Home tab being opened, or nil for what
// concerns nobody, and why it does not.
func (b *Bot) read(e slackevents.EventsAPIEvent) (what any, why skipReason) {
	if opened, ok := e.InnerEvent.Data.(*slackevents.AppHomeOpenedEvent); ok && (e.TeamID == "" || e.TeamID == b.self.team) {
		return opened, ""
	}
	h := decodeEvent(e, b.self)
	if h.Skip != "" {
		return nil, h.Skip
	}
	return h, ""
}

// event handles a happening and says what became of it. Its event may be acknowledged
// unless that is endUnacknowledged: it is safe, or it concerns no discussion. What nobody has to wait for is left for later.
func (b *Bot) event(ctx context.Context, h happening) (end string, later task) {
	why, later, err := b.accept(ctx, h)
	if err != nil {
		b.log.Warn("event not taken", "input", h.Input.ID, "channel", h.Channel, "error", scrub(err))
		return endUnacknowledged, later
	}
	return cmp.Or(string(why), endDelivered), later
}

// accept puts a happening into its discussion's mailbox, or says why it falls
// away. An error means that it has to be delivered again.
func (b *Bot) accept(ctx context.Context, h happening) (why skipReason, later task, err error) {
	if h.Thread == "" && !h.Mention {
		if h.Thread, err = b.threadOf(ctx, h.Channel, h.Message); err != nil || h.Thread == "" {
			return skipUnknown, nil, err
		}
	}
	var ref engine.Ref
	known := false
	if h.Thread != "" {
		if ref, known, err = b.discussion(ctx, h); err != nil {
			return "", nil, err
		}
	}
	switch {
	case h.Mention && known:
		return skipMentionOnly, nil, nil
	case h.Mention:
		later, err = b.mentioned(ctx, h)
		return "", later, err
	case !known:
		return skipUnknown, nil, nil
	case b.outsider(ctx, h):
		return skipForeigner, nil, nil
	}
	if w, ok := b.wishInThread(h); ok {
		text, later := b.showInThread(ctx, ref, w, asker{channel: h.Channel, thread: h.Thread, user: h.User, foreign: h.Foreign})
		return skipWish, inTurn(b.answering(h.Channel, h.Thread, h.User, text), later), nil
	}
	return b.deliver(ctx, ref, h)
}

func (b *Bot) deliver(ctx context.Context, ref engine.Ref, h happening) (why skipReason, later task, err error) {
	if _, said := h.Input.Event.(roundtable.Deleted); !said {
		b.heard.listen(h.Channel, h.Thread, h.Text)
	}
	b.threads.keepMessage(h.Channel, h.Message, h.Thread)
	r, err := b.put(ctx, engine.Delivery{Ref: ref, Also: h.Also}, b.named(ctx, h.Input))
	if err != nil {
		return "", nil, err
	}
	switch r {
	case engine.Stored, engine.Duplicate:
		return "", nil, nil
	case engine.Closed:
		return skipClosed, nil, nil
	case engine.Unknown:
		// Forgotten by the store: the thread is free for another discussion.
		b.threads.discussions.Remove(spot{h.Channel, h.Thread})
		return skipUnknown, nil, nil
	case engine.Full:
		return "", b.crowded(h), errors.New("the mailbox is full")
	}
	return "", nil, fmt.Errorf("unknown reception %q", r)
}

// put stores an input.
func (b *Bot) put(ctx context.Context, d engine.Delivery, in roundtable.Input) (engine.Reception, error) {
	body, err := roundtable.EncodeInput(in)
	if err != nil {
		return "", err
	}
	d.Mail = engine.Mail{ID: in.ID, Body: body}
	r, err := b.opts.Inbox.Receive(ctx, d)
	if err != nil {
		return "", fmt.Errorf("put %s into the mailbox: %w", in.ID, err)
	}
	return r, nil
}

// named gives the people in an input names.
func (b *Bot) named(ctx context.Context, in roundtable.Input) roundtable.Input {
	switch e := in.Event.(type) {
	case roundtable.Said:
		e.By = b.participant(ctx, e.By.ID)
		e.Zone = b.people.zone(e.By.ID)
		e.Text = b.withNames(ctx, e.Text)
		in.Event = e
	case roundtable.Edited:
		e.By = b.participant(ctx, e.By.ID)
		e.Text = b.withNames(ctx, e.Text)
		in.Event = e
	case roundtable.Reacted:
		e.By = b.participant(ctx, e.By.ID)
		in.Event = e
	case roundtable.Pressed:
		e.By = b.participant(ctx, e.By.ID)
		in.Event = e
	case roundtable.Opened, roundtable.Deleted, roundtable.Woken, roundtable.Framed, roundtable.Contributed, roundtable.RoundEnded,
		roundtable.Drafted, roundtable.Failed, roundtable.Posted, roundtable.Enriched, roundtable.Parked:
		// Nobody to name, or named already.
	}
	return in
}

// participant is somebody with a name. A guest who is not admitted to more may take part
// in what is said: the rules keep the rest from them, for it can be typed, too.
func (b *Bot) participant(ctx context.Context, user string) roundtable.Person {
	p := b.people.person(ctx, user)
	if known, ok := b.people.profile(ctx, user); ok && known.guest && !b.opts.Policy.AllowGuests {
		p.Guest = true
	}
	return p
}

// outsider reports whether the policy keeps a person out of discussions. Who is
// not known, and not said to be from elsewhere, is let in: the channel is
// internal, or no discussion could have been opened in it.
func (b *Bot) outsider(ctx context.Context, h happening) bool {
	if b.opts.Policy.AllowShared || h.User == "" {
		return false
	}
	if h.Foreign != "" {
		return true
	}
	p, ok := b.people.profile(ctx, h.User)
	return ok && p.outside
}

// discussion finds a thread's discussion. In a thread that begins with a message
// of ours there has to be one, so it is looked for a little longer, and while
// the thread is young the event is left to be delivered again.
func (b *Bot) discussion(ctx context.Context, h happening) (engine.Ref, bool, error) {
	deadline := time.Now().Add(aliasWithin)
	for {
		ref, ok, err := b.find(ctx, h.Channel, h.Thread)
		if err != nil || ok || !h.OurRoot {
			return ref, ok, err
		}
		if time.Now().After(deadline) || !sleep(ctx, aliasEvery) {
			break
		}
	}
	if time.Since(moment(h.Thread)) < aliasYoung {
		return engine.Ref{}, false, errors.New("the thread is ours but its discussion is not known yet")
	}
	return engine.Ref{}, false, nil
}

func (b *Bot) find(ctx context.Context, channel, thread string) (engine.Ref, bool, error) {
	at := spot{channel, thread}
	if ref, ok := b.threads.discussions.Get(at); ok {
		return ref, true, nil
	}
	ref, ok, err := b.opts.Inbox.FindThread(ctx, b.self.team, channel, thread)
	if err != nil {
		return engine.Ref{}, false, fmt.Errorf("find the discussion of a thread: %w", err)
	}
	if ok {
		b.threads.discussions.Add(at, ref)
	}
	return ref, ok, nil
}

// threadOf finds the thread in which a message stands, which a reaction does not
// say: the first message of conversations.replies is the thread's. A message
// that is gone, or that we may not read, stands in none.
func (b *Bot) threadOf(ctx context.Context, channel, message string) (string, error) {
	if root, ok := b.threads.roots.Get(spot{channel, message}); ok {
		return root, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lookupWithin, fmt.Errorf("conversations.replies took more than %s", lookupWithin))
	defer cancel()
	messages, _, _, err := b.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{ChannelID: channel, Timestamp: message, Limit: 1})
	if answered(err, "thread_not_found", "channel_not_found", "message_not_found", "not_in_channel", "missing_scope") {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("find the thread of a message: %w", err)
	}
	root := ""
	if len(messages) > 0 {
		root = firstOf(messages[0].ThreadTimestamp, messages[0].Timestamp)
		b.threads.keepMessage(channel, message, root)
	}
	return root, nil
}
