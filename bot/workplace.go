package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Permalink is the address of a message in a place's thread, or "".
func (b *Bot) Permalink(place thread.Place, ts string) string {
	return blocks.Permalink(b.self.site, place, ts)
}

// pageSize is how many messages are read at once.
const pageSize = 200

// Find reads back posts of ours with their keys, oldest first
// (conversations.replies, or conversations.history without a thread). Metadata
// of other apps' messages is nobody's word (I3).
func (w *Workplace) Find(ctx context.Context, place thread.Place, since time.Time) ([]engine.Found, error) {
	var found []engine.Found
	oldest := stamp(since)
	for cursor := ""; ; {
		messages, next, err := w.page(ctx, place, oldest, cursor)
		if err != nil {
			return nil, webapi.SendError(fmt.Errorf("read back posts: %w", err), true)
		}
		for _, m := range messages {
			key, _ := m.Metadata.EventPayload[turnKey].(string)
			if m.BotID == w.self.bot && m.Metadata.EventType == turnEvent && key != "" && olderOrSame(oldest, m.Timestamp) {
				found = append(found, engine.Found{Key: key, TS: m.Timestamp})
			}
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	slices.SortFunc(found, func(a, b engine.Found) int { return cmp.Compare(moment(a.TS).UnixMicro(), moment(b.TS).UnixMicro()) })
	return found, nil
}

func (w *Workplace) page(ctx context.Context, place thread.Place, oldest, cursor string) ([]slack.Message, string, error) {
	ctx, _, cancel := w.request(ctx)
	defer cancel()
	if place.Thread == "" {
		h, err := w.api.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
			ChannelID: place.Channel, Cursor: cursor, Oldest: oldest, Inclusive: true, Limit: pageSize, IncludeAllMetadata: true,
		})
		if err != nil {
			return nil, "", err
		}
		if !h.HasMore {
			return h.Messages, "", nil
		}
		return h.Messages, h.ResponseMetaData.NextCursor, nil
	}
	messages, more, next, err := w.api.GetConversationRepliesContext(ctx, &slack.GetConversationRepliesParameters{
		ChannelID: place.Channel, Timestamp: place.Thread, Cursor: cursor, Oldest: oldest, Inclusive: true, Limit: pageSize, IncludeAllMetadata: true,
	})
	if !more {
		next = ""
	}
	return messages, next, err
}

// Retract removes a post of ours (chat.delete). One that is gone already is as
// good.
func (w *Workplace) Retract(ctx context.Context, place thread.Place, ts string) error {
	ctx, pass, cancel := w.request(ctx)
	defer cancel()
	_, _, err := w.api.DeleteMessageContext(ctx, place.Channel, ts)
	if err == nil || webapi.Answered(err, "message_not_found") {
		return nil
	}
	return webapi.SendError(fmt.Errorf("retract %s: %w", ts, err), pass.Left())
}

// ShowRoot brings the introduction up to date (chat.update). It is the app's own
// message: personas' are never edited, because an edit takes their name away.
func (w *Workplace) ShowRoot(ctx context.Context, place thread.Place, m thread.Message) error {
	root := cmp.Or(place.Root, place.Thread)
	if root == "" {
		return nil
	}
	d, err := w.drawn(ctx, place, "", m)
	if err != nil {
		return &engine.SendError{Outcome: engine.Unmade, Err: fmt.Errorf("draw the introduction: %w", err)}
	}
	ctx, pass, cancel := w.request(ctx)
	defer cancel()
	if _, _, _, err = w.api.UpdateMessageContext(ctx, place.Channel, root, plainly(d)...); err != nil {
		return webapi.SendError(fmt.Errorf("update the introduction: %w", err), pass.Left())
	}
	return nil
}

// QuietUntil returns until when a person wants not to be disturbed (dnd.info): the end
// of the do-not-disturb hours that are on now, or of what they snoozed.
func (w *Workplace) QuietUntil(ctx context.Context, user string) (until time.Time, err error) {
	if !w.self.may("dnd:read") {
		return time.Time{}, nil
	}
	ctx, pass, cancel := w.request(ctx)
	defer cancel()
	dnd, err := w.api.GetDNDInfoContext(ctx, &user)
	if err != nil {
		return time.Time{}, webapi.SendError(fmt.Errorf("ask about do-not-disturb: %w", err), pass.Left())
	}
	return quietUntil(*dnd, time.Now()), nil
}

// quietUntil reads an answer about do-not-disturb at a time.
func quietUntil(dnd slack.DNDStatus, now time.Time) (until time.Time) {
	if start, end := time.Unix(int64(dnd.NextStartTimestamp), 0), time.Unix(int64(dnd.NextEndTimestamp), 0); dnd.Enabled && !start.After(now) && end.After(now) {
		until = end
	}
	if end := time.Unix(int64(dnd.SnoozeEndTime), 0); dnd.SnoozeEnabled && end.After(now) && end.After(until) {
		until = end
	}
	return until
}

// Identify says who a person is (users.info), as far as the policy is concerned, or strictly.
func (w *Workplace) Identify(ctx context.Context, user string, strictly bool) (thread.Person, error) {
	p, after := w.who(ctx, user, strictly)
	if p.Is() == thread.StandingUnknown {
		return thread.Person{}, &engine.SendError{Outcome: engine.Unsent, After: after, Err: errUnidentified}
	}
	return p, nil
}

// errUnidentified is why a person's rights are not known.
var errUnidentified = errors.New("slack does not say who the person is")

// Tell says something to one person (chat.postEphemeral).
func (w *Workplace) Tell(ctx context.Context, place thread.Place, user, text string) error {
	opts := []slack.MsgOption{slack.MsgOptionText(w.draw.Private(place, text), false), slack.MsgOptionParse(false), slack.MsgOptionLinkNames(false)}
	ctx, pass, cancel := w.request(ctx)
	defer cancel()
	if place.Thread != "" {
		opts = append(opts, slack.MsgOptionTS(place.Thread))
	}
	if _, err := w.api.PostEphemeralContext(ctx, place.Channel, user, opts...); err != nil {
		return webapi.SendError(fmt.Errorf("tell a person: %w", err), pass.Left())
	}
	return nil
}

// React puts an emoji on a message (reactions.add).
func (w *Workplace) React(ctx context.Context, place thread.Place, ts, emoji string) error {
	if !w.self.may("reactions:write") {
		return nil
	}
	ctx, pass, cancel := w.request(ctx)
	defer cancel()
	err := w.api.AddReactionContext(ctx, emoji, slack.NewRefToMessage(place.Channel, ts))
	if err == nil || webapi.Answered(err, "already_reacted") {
		return nil
	}
	return webapi.SendError(fmt.Errorf("react: %w", err), pass.Left())
}

// Think shows under the next speaker's name that personas are thinking
// (assistant.threads.setStatus); with nobody it clears that. Slack keeps one
// status for the app and thread and forgets it after two minutes.
func (w *Workplace) Think(ctx context.Context, place thread.Place, personas []persona.Seat) error {
	if place.Thread == "" {
		return nil
	}
	ctx, pass, cancel := w.request(ctx)
	defer cancel()
	p := slack.AssistantThreadsSetStatusParameters{ChannelID: place.Channel, ThreadTS: place.Thread}
	if len(personas) > 0 {
		p.Status = say.Thinking(personas)
		p.LoadingMessages = []string{p.Status}
		if w.draw.Names {
			p.Username = personas[0].Identity()
			p.IconEmoji, p.IconURL = face(w.icon(personas[0].Key))
		}
	}
	if err := w.api.SetAssistantThreadsStatusContext(ctx, p); err != nil {
		return webapi.SendError(fmt.Errorf("show who is thinking: %w", err), pass.Left())
	}
	return nil
}
