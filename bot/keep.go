package bot

import (
	"context"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// takeBack answers a wish, in words, to take back what is to be forgotten. Any full member of
// the channel may.
func (b *Bot) takeBack(ctx context.Context, r request, who asker) string {
	channel, threadTS, isLink := linked(r.arg)
	if isLink {
		who.channel = channel
	}
	by, refusal := b.mayKeep(ctx, who)
	if refusal != "" {
		return refusal
	}
	open, refusal := b.goingOn(ctx, who.channel)
	if refusal != "" {
		return refusal
	}
	f, ok := open.forgettingOf(b.opts.Slug(r.arg))
	if isLink {
		f, ok = open.forgettingIn(threadTS)
	}
	switch {
	case !ok && by.Is() == thread.StandingUnknown:
		return thread.SayPersonUnknown()
	case !ok:
		return forgetting.SayKeepWhich(r.arg, lines(open.pending()))
	}
	got, err := b.deliverForgetting(ctx, engine.Delivery{Ref: engine.Ref{Team: b.self.team, Channel: who.channel, ID: f.Ref.ID}}, forgetting.Input{
		ID: "k:" + who.request, At: who.at, Event: forgetting.Kept{By: by},
	})
	if err != nil {
		b.log.Warn("wish to keep not kept", "forgetting", f.Ref.ID, "error", webapi.Scrub(err))
		return say.NotKept()
	}
	if sentence := unsaved(got); sentence != "" {
		return sentence
	}
	if by.Is() == thread.StandingUnknown {
		return thread.SayActKept()
	}
	return forgetting.SayKeeping(f.Target)
}

// mayKeep refuses whoever may not take back what is to be forgotten: everybody but a full
// member who is in the channel now, and somebody of whom Slack does not say whether they are
// one, whose wish the rules keep until it does. A refusal of somebody who may read stands in
// the audit record.
func (b *Bot) mayKeep(ctx context.Context, who asker) (by thread.Person, refusal string) {
	if refusal := b.mayWish(ctx, who); refusal != "" {
		return by, refusal
	}
	by = b.strictly(ctx, who.user, who.foreign)
	if refusal = sayNoMember(by); refusal != "" {
		b.noteRefusal(ctx, who, "", thread.DetailKeep)
	}
	return by, refusal
}

// pending is what is to be forgotten in a channel and can be taken back.
func (u underway) pending() []engine.View {
	return slices.DeleteFunc(slices.Clone(u.forgettings), func(f engine.View) bool { return !f.Pending })
}

// forgettingOf is the one that an item waits in.
func (u underway) forgettingOf(slug string) (engine.View, bool) {
	return one(u.forgettings, func(f engine.View) bool { return f.Forgets(slug) })
}

// forgettingIn is the one that the discussion of a thread waits in, or whose notice it is.
func (u underway) forgettingIn(thread string) (engine.View, bool) {
	return one(u.pending(), func(f engine.View) bool { return f.Target.Thread == thread || f.Place.Root == thread })
}

func one(all []engine.View, is func(engine.View) bool) (engine.View, bool) {
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return engine.View{}, false
	}
	return all[i], true
}

// keepInThread reads a mention of us that asks to keep something, in a thread of ours:
// below the notice it needs no name.
func (b *Bot) keepInThread(h happening) (r request, ok bool) {
	said, isSaid := h.Input.Event.(roundtable.Said)
	if !isSaid || !strings.HasPrefix(strings.TrimSpace(said.Text), "<@"+b.self.user) {
		return r, false
	}
	words := strings.Fields(plainTopic(stripMention(said.Text, b.self.user), b.people.Known))
	if len(words) == 2 && strings.EqualFold(strings.Trim(words[1], ".!"), "it") {
		words = words[:1]
	}
	if len(words) == 0 || !strings.EqualFold(strings.Trim(words[0], ".!"), string(verbKeep)) {
		return r, false
	}
	if len(words) == 1 {
		words = append(words, blocks.Permalink(b.self.site, thread.Place{Channel: h.Channel}, h.Thread))
	}
	return parseCommand("keep " + strings.Join(words[1:], " ")), true
}
