package bot

import (
	"context"
	"errors"
	"regexp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// forget answers a wish to remove an item, or one discussion, for good (SPEC §8).
// Because nothing brings it back, the person is told first what would go, and asks
// again in words that nobody types by accident.
func (b *Bot) forget(ctx context.Context, r request, who asker) string {
	if channel, ts, ok := linked(r.arg); ok {
		who.channel = channel
		return b.forgetThread(ctx, ts, r.sure, who)
	}
	open, refusal := b.underway(ctx, who)
	if refusal != "" {
		return refusal
	}
	if b.opts.Items == nil || b.opts.Forget == nil {
		return roundtable.SayForgetWhich("", nil)
	}
	slugs, err := b.opts.Items.ListItems(ctx, b.self.team, who.channel)
	if err != nil {
		b.log.Warn("items not listed", "channel", who.channel, "error", scrub(err))
		return roundtable.SayNotRead()
	}
	item, ok := b.itemNamed(slugs, r.arg)
	if !ok {
		return roundtable.SayForgetWhich(r.arg, slugs)
	}
	for _, d := range open.discussions {
		if d.Item == item {
			return roundtable.SayForgetOpen(item, d.Topic)
		}
	}
	for _, a := range open.analyses {
		if a.Item == item {
			return roundtable.SayForgetOpen(item, a.ItemTitle)
		}
	}
	if !r.sure {
		return roundtable.SayForgetSure(item)
	}
	n, err := b.opts.Forget.ForgetItem(ctx, engine.ItemRef{Team: b.self.team, Channel: who.channel, Slug: item})
	if err != nil {
		b.log.Warn("item not forgotten", "channel", who.channel, "error", scrub(err))
		return roundtable.SayForgetLater(item)
	}
	b.log.Info("item forgotten", "channel", who.channel, "by", who.user, "discussions", n)
	return roundtable.SayForgotten(item)
}

// messageLink is the address that Slack copies for a message. One in a thread names the
// thread as well.
var messageLink = regexp.MustCompile(`/archives/([CDG][A-Z0-9]+)/p([0-9]{10})([0-9]{6})(?:\?(?:.*&)?thread_ts=([0-9]{10}\.[0-9]{6}))?`)

// linked reads the address of a message: its channel, and the thread it stands in.
func linked(text string) (channel, thread string, ok bool) {
	part := messageLink.FindStringSubmatch(unescape(text))
	if part == nil {
		return "", "", false
	}
	return part[1], firstOf(part[4], part[2]+"."+part[3]), true
}

// forgetThread removes the discussion of a thread, or the analysis, if it has ended. What
// it wrote into documents stays.
func (b *Bot) forgetThread(ctx context.Context, thread string, sure bool, who asker) string {
	if refusal := b.mayRead(ctx, who); refusal != "" {
		return refusal
	}
	ref, found, err := b.find(ctx, who.channel, thread)
	if err == nil && (!found || b.opts.Forget == nil) {
		return roundtable.SayForgetNoThread()
	}
	var state []byte
	if err == nil {
		state, _, err = b.opts.Inbox.Read(ctx, ref)
	}
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return roundtable.SayForgetNoThread()
	case err != nil:
		b.log.Warn("discussion not read", "channel", who.channel, "error", scrub(err))
		return roundtable.SayNotRead()
	}
	title, item := titleOf(state)
	switch {
	case !over(state):
		return roundtable.SayForgetOpen("That thread", title)
	case !sure:
		return roundtable.SayForgetThreadSure(title, item)
	}
	if err := b.opts.Forget.ForgetDiscussion(ctx, ref); err != nil {
		b.log.Warn("discussion not forgotten", "discussion", ref.ID, "error", scrub(err))
		return roundtable.SayForgetLater("that thread")
	}
	b.threads.discussions.Remove(spot{who.channel, thread})
	b.log.Info("discussion forgotten", "discussion", ref.ID, "channel", who.channel, "by", who.user)
	return roundtable.SayForgotten("that thread")
}

// titleOf is what a discussion or an analysis is about, and its item.
func titleOf(state []byte) (title, item string) {
	if analysis.IsStored(state) {
		a, err := analysis.Decode(state)
		if err != nil {
			return "", ""
		}
		return a.ItemTitle, a.Item
	}
	d, err := roundtable.Decode(state)
	if err != nil {
		return "", ""
	}
	return d.Topic, d.Item
}
