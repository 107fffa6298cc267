package bot

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
)

// Bounds of a thread that becomes context: threadLimit in characters, threadPages in
// pages that are read of it, oldest first as Slack gives them.
const (
	threadLimit = 2 * contextLimit
	threadPages = 5
)

// threadText is what people wrote in a thread, as context for a discussion about one
// of its messages; empty if it cannot be read. The message is kept whole; then, as far
// as there is room, what was written right before it, and what came last after it.
func (b *Bot) threadText(ctx context.Context, channel, thread, message string) string {
	messages, err := b.threadWith(ctx, channel, thread, message)
	if err != nil {
		b.log.Warn("thread not read", "channel", channel, "error", webapi.Scrub(err))
	}
	var lines []string
	about := -1
	for _, m := range messages {
		if author(m.BotID, m.User, b.self) != "" || m.Text == "" {
			continue
		}
		if m.Timestamp == message {
			about = len(lines)
		}
		lines = append(lines, cmp.Or(b.people.Called(ctx, m.User), m.User)+": "+plainTopic(m.Text, b.people.Known))
	}
	return strings.Join(around(lines, about, threadLimit), "\n")
}

// around keeps the line that matters, cut only if it alone is longer than the limit in
// characters, then those before it from the newest on, then those after it from the
// newest on. An ellipsis stands where some are left out; none matters below zero.
func around(lines []string, about, limit int) []string {
	kept := make([]bool, len(lines))
	keep := func(i int) bool {
		n := utf8.RuneCountInString(lines[i]) + 1
		if n > limit {
			return false
		}
		kept[i] = true
		limit -= n
		return true
	}
	if about >= 0 {
		lines[about] = blocks.Clip(lines[about], limit-1)
		keep(about)
	}
	for i := about - 1; i >= 0 && keep(i); i-- {
	}
	for i := len(lines) - 1; i > about && keep(i); i-- {
	}
	var out []string
	for i, line := range lines {
		switch {
		case kept[i]:
			out = append(out, line)
		case len(out) == 0 || out[len(out)-1] != "…":
			out = append(out, "…")
		}
	}
	return out
}

// threadWith reads a thread (conversations.replies) and, if it goes on beyond what is
// read of it, the message that matters by itself.
func (b *Bot) threadWith(ctx context.Context, channel, thread, message string) ([]slack.Message, error) {
	var all []slack.Message
	p := slack.GetConversationRepliesParameters{ChannelID: channel, Timestamp: thread, Inclusive: true, Limit: pageSize}
	for range threadPages {
		page, more, next, err := b.api.GetConversationRepliesContext(ctx, &p)
		all = append(all, page...)
		if p.Cursor = next; err != nil || !more || next == "" {
			return all, err
		}
	}
	if slices.ContainsFunc(all, func(m slack.Message) bool { return m.Timestamp == message }) {
		return all, nil
	}
	p.Cursor, p.Oldest, p.Latest = "", message, message
	found, _, _, err := b.api.GetConversationRepliesContext(ctx, &p)
	for _, m := range found {
		if m.Timestamp == message {
			all = append(all, m)
		}
	}
	return all, err
}
