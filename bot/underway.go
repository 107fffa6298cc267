package bot

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/say"
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
		return open, say.NotRead()
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
	said := say.List(discussions)
	if len(analyses) > 0 {
		if len(discussions) == 0 {
			said = analysis.SayList(analyses)
		} else {
			said += "\n" + analysis.SayList(analyses)
		}
	}
	if more := u.count() - len(discussions) - len(analyses); more > 0 {
		said += "\n" + say.More(more)
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
	said := b.withKept(say.Status(b.Connected(), open))
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
		return said + "\n" + say.Kept(kept)
	}
	return said
}

// defaultMaxOpen is how many discussions may be open in a channel at once unless the
// policy says otherwise: many times what people can follow, and few enough that one
// channel's pace gets to each of them.
const defaultMaxOpen = 100

// crowdTold is how long somebody who was told of a full mailbox is not told again.
const crowdTold = 10 * time.Minute

// A writer is a person in a thread.
type writer struct {
	spot
	user string
}

// crowded tells a person, once, that a discussion has no room for what they did. A
// message is not acknowledged and will be delivered again, or read from the thread
// in the end; anything else they have to do again.
func (b *Bot) crowded(h happening) task {
	who := writer{spot{h.Channel, h.Thread}, h.User}
	if until, told := b.told.Get(who); told && time.Now().Before(until) {
		return nil
	}
	b.told.Add(who, time.Now().Add(crowdTold))
	text := say.Backlog()
	if _, said := h.Input.Event.(roundtable.Said); said {
		text = say.TakenUpLater()
	}
	return b.answering(h.Channel, h.Thread, h.User, text)
}

// roomFor is the sentence of refusal for a discussion too many in a channel, or
// empty. A request that was granted before is not refused for its own result. What
// cannot be counted is let pass: this is a limit, no right.
func (b *Bot) roomFor(ctx context.Context, ref engine.Ref) string {
	most := b.opts.Policy.MaxOpen
	if most < 0 {
		return ""
	}
	if most == 0 {
		most = defaultMaxOpen
	}
	views, err := b.opts.Reader.Views(ctx, ref.Team, ref.Channel, ended*most)
	if err != nil {
		b.log.Warn("open discussions not counted", "channel", ref.Channel, "error", webapi.Scrub(err))
		return ""
	}
	open := 0
	for _, v := range views {
		if v.Ref == ref {
			return ""
		}
		if v.Open() {
			open++
		}
	}
	if open < most {
		return ""
	}
	b.log.Warn("too many discussions in a channel", "channel", ref.Channel, "open", open)
	return say.TooManyOpen(most)
}

// ended is how many discussions are looked at for each that may be open: those that
// have ended answer for some days and stand in the same list. A channel with more of
// them has its open ones counted too low, which refuses nobody.
const ended = 4
