package bot

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// The shortcuts of the app's manifest, by callback id.
const (
	// ShortcutDiscuss stands in a message's menu.
	ShortcutDiscuss = "rt_ask_message"
	// ShortcutStart stands in the global menu.
	ShortcutStart = "rt_start_global"
)

// interaction handles a click, a shortcut or a form. The result is the payload
// of the acknowledgement, which only a form takes.
func (b *Bot) interaction(ctx context.Context, c slack.InteractionCallback) reply {
	switch c.Type {
	case slack.InteractionTypeBlockActions:
		var later task
		for _, a := range c.ActionCallback.BlockActions {
			if a.ActionID == homeStart || a.ActionID == homeAnalyze {
				b.startFromHome(ctx, c, a.ActionID)
			}
			if a.ActionID == offerStart {
				later = inTurn(later, b.takenUp(ctx, c, a.Value))
			}
			if kind, ok := strings.CutPrefix(a.ActionID, blocks.ActionPrefix); ok {
				kind, _, _ = strings.Cut(kind, ":")
				later = inTurn(later, b.pressed(ctx, c, a, thread.ButtonKind(kind)))
			}
		}
		return reply{later: later}
	case slack.InteractionTypeViewSubmission:
		switch c.View.CallbackID {
		case formID:
			return b.submitted(ctx, c)
		case itemFormID:
			return b.itemSubmitted(ctx, c)
		}
	case slack.InteractionTypeMessageAction, slack.InteractionTypeShortcut:
		return reply{later: b.shortcut(ctx, c)}
	}
	return reply{}
}

// knows reports whether this version knows a button.
func knows(kind thread.ButtonKind) bool {
	return buttons[kind] || slices.Contains(analysis.Buttons(), kind) || slices.Contains(forgetting.Buttons(), kind)
}

// buttons are those of discussions.
var buttons = map[thread.ButtonKind]bool{
	roundtable.ButtonContinue: true, roundtable.ButtonExtend: true, roundtable.ButtonWrapUp: true, roundtable.ButtonKeepOn: true,
	roundtable.ButtonChoose: true, roundtable.ButtonRetry: true, roundtable.ButtonQuiet: true, roundtable.ButtonMute: true,
	roundtable.ButtonOpenFloor: true, roundtable.ButtonShare: true, roundtable.ButtonCatchUp: true, roundtable.ButtonAgain: true, roundtable.ButtonAnalyse: true,
}

// pressed puts a click into its discussion's mailbox. Slack shows a button to
// everybody who sees the message, in a public channel to people who never joined it, so
// whoever pressed it is checked here; and the
// channel is the envelope's, so that no value leads into another one (I12).
func (b *Bot) pressed(ctx context.Context, c slack.InteractionCallback, a *slack.BlockAction, kind thread.ButtonKind) task {
	channel := firstOf(c.Container.ChannelID, c.Channel.ID)
	thread := firstOf(c.Container.ThreadTs, c.Message.ThreadTimestamp, c.Container.MessageTs, c.Message.Timestamp)
	if channel == "" {
		return nil // no message of ours; those stand in channels
	}
	if refusal := b.within(ctx, channel, c.User.ID, say.PressInside()); refusal != "" {
		return b.responding(c, channel, refusal)
	}
	sentence := b.press(ctx, c, a, kind, channel, thread)
	return b.answering(channel, thread, c.User.ID, sentence)
}

// press returns the sentence for a click that has no effect, or empty.
func (b *Bot) press(ctx context.Context, c slack.InteractionCallback, a *slack.BlockAction, kind thread.ButtonKind, channel, thread string) string {
	if !knows(kind) {
		return say.UnknownShortcut()
	}
	if refusal := b.mayPress(ctx, c.User.ID, foreign(b.self, c.User.TeamID)); refusal != "" {
		return refusal
	}
	by := b.participant(ctx, c.User.ID)
	if kind == forgetting.ButtonKeep {
		var refusal string
		who := asker{channel: channel, user: c.User.ID, foreign: foreign(b.self, c.User.TeamID), request: "b:" + a.ActionTs}
		if by, refusal = b.mayKeep(ctx, who); refusal != "" {
			return refusal
		}
	}
	discussion, value, ok := strings.Cut(a.Value, "|")
	ref := engine.Ref{Team: b.self.team, Channel: channel, ID: discussion}
	if !ok || discussion == "" {
		found, known, err := b.find(ctx, channel, thread)
		if err != nil {
			b.log.Warn("click not routed", "channel", channel, "error", webapi.Scrub(err))
			return say.NotKept()
		}
		if !known {
			return say.Gone()
		}
		ref = found
	}
	if kind == roundtable.ButtonCatchUp {
		if refusal := b.mayRead(ctx, asker{channel: channel, user: c.User.ID, foreign: foreign(b.self, c.User.TeamID)}); refusal != "" {
			return refusal
		}
		return b.catchUp(ctx, ref, c.User.ID)
	}
	if kind == roundtable.ButtonAgain { // opens one more, as the command does
		if refusal := b.roomFor(ctx, engine.Ref{Team: b.self.team, Channel: channel}); refusal != "" {
			return refusal
		}
	}
	r, err := b.put(ctx, engine.Delivery{Ref: ref, From: c.User.ID}, roundtable.Input{
		ID: "b:" + a.ActionTs + ":" + c.User.ID + ":" + string(kind), At: moment(a.ActionTs),
		Event: roundtable.Pressed{By: by, Button: kind, Value: value},
	})
	if err != nil {
		b.log.Warn("click not kept", "discussion", ref.ID, "error", webapi.Scrub(err))
		return say.NotKept()
	}
	return unsaved(r)
}

// unsaved is the sentence for a reception that took nothing in.
func unsaved(r engine.Reception) string {
	switch r {
	case engine.Stored, engine.Duplicate:
		return ""
	case engine.Unknown:
		return say.Gone()
	case engine.Closed:
		return say.Ended()
	case engine.Full:
		return say.Backlog()
	case engine.Taken:
		return say.ThreadTaken("")
	}
	return say.NotKept()
}

// catchUp tells a person in private what was said since they last spoke.
func (b *Bot) catchUp(ctx context.Context, ref engine.Ref, user string) string {
	v, t, err := b.opts.Reader.Transcript(ctx, ref)
	switch {
	case errors.Is(err, engine.ErrNotFound), v.Kind == engine.KindForgetting, err == nil && v.Kind == "":
		return say.Gone()
	case errors.Is(err, thread.ErrNewer):
		return say.Newer()
	case err != nil:
		b.log.Warn("transcript not read", "discussion", ref.ID, "error", webapi.Scrub(err))
		return say.NotRead()
	}
	return say.CatchUp(t, v.Cast, user, v.Title, v.Context)
}

// shortcut opens the form, about a message or about nothing yet.
func (b *Bot) shortcut(ctx context.Context, c slack.InteractionCallback) task {
	f := form{Channel: c.Channel.ID}
	switch c.CallbackID {
	case ShortcutStart:
	case ShortcutDiscuss:
		f.Message = c.Message.Timestamp
		f.Thread = firstOf(c.Message.ThreadTimestamp, c.Message.Timestamp)
		f.topic = blocks.Clip(strings.Join(strings.Fields(plainTopic(c.Message.Text, b.people.Known)), " "), topicLimit)
	default:
		return b.answering(c.Channel.ID, "", c.User.ID, say.UnknownShortcut())
	}
	if c.Channel.ID == "" {
		b.showForm(ctx, c.TriggerID, f)
		return nil
	}
	if refusal := b.within(ctx, c.Channel.ID, c.User.ID, say.OpenInside()); refusal != "" {
		return b.responding(c, c.Channel.ID, refusal)
	}
	return b.answering(c.Channel.ID, "", c.User.ID, b.showForm(ctx, c.TriggerID, f))
}
