package bot

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/recent"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/engine"
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

// A spot is a message's or a thread's place in the workspace.
type spot struct{ channel, ts string }

// threads remembers which discussion a thread belongs to and which thread a
// message stands in. Neither changes while the store keeps the discussion, so
// what is remembered stays true until the store says otherwise; what is not
// known is asked again every time, because a discussion may be opened in any
// thread at any moment.
//
// roots is also what is known of messages that are no discussion's: about each Slack is
// asked once while it is remembered.
type threads struct {
	discussions *lru.Cache[spot, engine.Ref]
	roots       *lru.Cache[spot, string]
}

func newThreads() *threads {
	return &threads{discussions: recent.New[spot, engine.Ref](20_000), roots: recent.New[spot, string](8_000)}
}

func (t *threads) keepMessage(channel, ts, root string) { t.roots.Add(spot{channel, ts}, root) }

// bareMention is somebody's id as Slack delivers it. maxMentions bounds how many
// people of one message are named.
var bareMention = regexp.MustCompile(`<@([UW][A-Z0-9]{2,})>`)

const maxMentions = 10

// withNames gives the people whom a text mentions the labels that Slack's markup has
// a place for, <@U012|Priya Nair>: whoever reads the text later, a model or a
// document, knows no ids. Who is not known, and cannot be looked up at once, stays an id; so
// does the app, whose id the rules know it by.
func (b *Bot) withNames(ctx context.Context, text string) string {
	if !strings.Contains(text, "<@") {
		return text
	}
	ctx, cancel := context.WithTimeoutCause(ctx, webapi.LookupWithin, fmt.Errorf("looking up who is mentioned took more than %s", webapi.LookupWithin))
	defer cancel()
	left := maxMentions
	return bareMention.ReplaceAllStringFunc(text, func(mention string) string {
		user := bareMention.FindStringSubmatch(mention)[1]
		if left--; left < 0 || user == b.self.user {
			return mention
		}
		label := strings.NewReplacer("|", "", "<", "", ">", "", "&", "").Replace(b.people.Called(ctx, user))
		if label == "" {
			return mention
		}
		return "<@" + user + "|" + label + ">"
	})
}
