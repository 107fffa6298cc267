package bot

import (
	"context"

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
type underway struct {
	discussions []roundtable.Discussion
	analyses    []analysis.Analysis
}

// underway reads what goes on in a channel for somebody who is in it. What has ended
// stands in the same list for some days and is left out.
func (b *Bot) underway(ctx context.Context, who asker) (open underway, refusal string) {
	if refusal := b.mayRead(ctx, who); refusal != "" {
		return open, refusal
	}
	found, err := b.opts.Inbox.List(ctx, b.self.team, who.channel, max(leastSearched, ended*b.opts.Policy.MaxOpen))
	if err != nil {
		b.log.Warn("discussions not listed", "channel", who.channel, "error", scrub(err))
		return open, roundtable.SayNotRead()
	}
	for _, l := range found {
		if err := open.add(l); err != nil {
			b.log.Warn("discussion not listed", "discussion", l.Ref.ID, "error", err)
		}
	}
	return open, ""
}

// add takes in one that still goes on. One that was asked for and that nobody has
// opened yet has nothing to show.
func (u *underway) add(l engine.Listed) error {
	if l.State == nil {
		return nil
	}
	if analysis.IsStored(l.State) {
		a, err := analysis.Decode(l.State)
		if err == nil && a.State != analysis.StateClosed {
			u.analyses = append(u.analyses, a)
		}
		return err
	}
	d, err := roundtable.Decode(l.State)
	if err == nil && d.State != roundtable.StateClosed {
		u.discussions = append(u.discussions, d)
	}
	return err
}

func (u underway) count() int { return len(u.discussions) + len(u.analyses) }

// say lists them, as many as people read.
func (u underway) say() string {
	discussions, analyses := u.discussions[:min(listed, len(u.discussions))], u.analyses[:min(listed, len(u.analyses))]
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

// status says how the service is, and how the budgets stand (SPEC §8). Budgets that
// cannot be read are left out: the rest is still worth knowing.
func (b *Bot) status(ctx context.Context, open int) string {
	said := b.withKept(roundtable.SayStatus(b.Connected(), open))
	if b.opts.Budgets == nil {
		return said
	}
	budgets, err := b.opts.Budgets(ctx)
	if err != nil {
		b.log.Warn("budgets not read", "error", scrub(err))
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
