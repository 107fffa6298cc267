package bot

import (
	"context"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// listed is how many discussions, and how many analyses, a listing shows.
const listed = 20

// leastSearched is how many of a channel's discussions and analyses are looked at for
// those that still go on, at least; see ended.
const leastSearched = 500

// underway is what goes on in a channel, most recently active first.
type underway struct{ discussions, analyses, forgettings []engine.View }

// underway reads what goes on in a channel for somebody who is in it. What has ended
// stands in the same list for some days and is left out, and so is what was asked for and
// not opened yet: it has nothing to show.
func (b *Bot) underway(ctx context.Context, who asker) (open underway, refusal string) {
	if refusal := b.mayRead(ctx, who); refusal != "" {
		return open, refusal
	}
	return b.goingOn(ctx, who.channel)
}

// goingOn reads what goes on in a channel, or says why it cannot.
func (b *Bot) goingOn(ctx context.Context, channel string) (open underway, refusal string) {
	views, err := b.opts.Reader.Views(ctx, b.self.team, channel, max(leastSearched, ended*b.opts.Policy.MaxOpen))
	if err != nil {
		b.log.Warn("discussions not listed", "channel", channel, "error", webapi.Scrub(err))
		return open, roundtable.SayNotRead()
	}
	for _, v := range views {
		switch {
		case v.Err != nil:
			b.log.Warn("discussion not listed", "discussion", v.Ref.ID, "error", v.Err)
		case v.Kind == engine.KindForgetting:
			open.forgettings = append(open.forgettings, v)
		case v.Kind == engine.KindAnalysis && v.Open():
			open.analyses = append(open.analyses, v)
		case v.Kind == engine.KindDiscussion && v.Open():
			open.discussions = append(open.discussions, v)
		}
	}
	return open, ""
}

// count is how many discussions and analyses there are; what is to be forgotten is none.
func (u underway) count() int { return len(u.discussions) + len(u.analyses) }

// say lists them, as many as people read.
func (u underway) say() string {
	discussions, analyses := lines(u.discussions[:min(listed, len(u.discussions))]), lines(u.analyses[:min(listed, len(u.analyses))])
	said := roundtable.SayList(discussions)
	if len(analyses) > 0 {
		if len(discussions) == 0 {
			said = analysis.SayList(analyses)
		} else {
			said += "\n" + analysis.SayList(analyses)
		}
	}
	if more := u.count() - len(discussions) - len(analyses); more > 0 {
		said += "\n" + roundtable.SayMore(more)
	}
	return said
}

// lines are things as they stand in a list.
func lines(views []engine.View) []string {
	said := make([]string, len(views))
	for i, v := range views {
		said[i] = v.Line
	}
	return said
}

// status says how the service is, and how the budgets stand (FR-109). Budgets that
// cannot be read are left out: the rest is still worth knowing.
func (b *Bot) status(ctx context.Context, open int) string {
	said := b.withKept(roundtable.SayStatus(b.Connected(), open))
	if b.opts.Budgets == nil {
		return said
	}
	budgets, err := b.opts.Budgets(ctx)
	if err != nil {
		b.log.Warn("budgets not read", "error", webapi.Scrub(err))
		return said
	}
	return said + "\n" + roundtable.SayBudgets(budgets)
}

// withKept adds to an answer how long things are kept, where that is known.
func (b *Bot) withKept(said string) string {
	if kept := b.opts.Policy.Settings.Kept; kept > 0 {
		return said + "\n" + roundtable.SayKept(kept)
	}
	return said
}
