package bot

import (
	"context"
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// searched is how many discussions are looked at for one that still goes on.
const searched = 500

// forget answers a wish to remove an item for good (SPEC §8). Because nothing
// brings it back, the person is told first what would go, and asks again in words
// that nobody types by accident.
func (b *Bot) forget(ctx context.Context, r request, who asker) string {
	open, analyses, refusal := b.list(ctx, who, searched)
	if refusal != "" {
		return refusal
	}
	if b.opts.Items == nil || b.opts.Forget == nil {
		return roundtable.SayForgetWhich(nil)
	}
	slugs, err := b.opts.Items.ListItems(ctx, b.self.team, who.channel)
	if err != nil {
		b.log.Warn("items not listed", "channel", who.channel, "error", scrub(err))
		return roundtable.SayNotKept()
	}
	if !slices.Contains(slugs, r.arg) {
		return roundtable.SayForgetWhich(slugs)
	}
	for _, d := range open {
		if d.Item == r.arg && d.State != roundtable.StateClosed {
			return roundtable.SayForgetOpen(r.arg, d.Topic)
		}
	}
	for _, a := range analyses {
		if a.Item == r.arg && a.State != analysis.StateClosed {
			return roundtable.SayForgetOpen(r.arg, a.ItemTitle)
		}
	}
	if !r.sure {
		return roundtable.SayForgetSure(r.arg)
	}
	n, err := b.opts.Forget.ForgetItem(ctx, engine.ItemRef{Team: b.self.team, Channel: who.channel, Slug: r.arg})
	if err != nil {
		b.log.Warn("item not forgotten", "channel", who.channel, "error", scrub(err))
		return roundtable.SayForgetLater(r.arg)
	}
	b.log.Info("item forgotten", "channel", who.channel, "by", who.user, "discussions", n)
	return roundtable.SayForgotten(r.arg)
}
