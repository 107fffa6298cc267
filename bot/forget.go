package bot

import (
	"context"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// forget answers a wish to remove an item for good (SPEC §8). Because nothing
// brings it back, the person is told first what would go, and asks again in words
// that nobody types by accident.
func (b *Bot) forget(ctx context.Context, r request, who asker) string {
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
