package bot

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
	"unicode/utf8"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// analyze starts the analysis of an item, or takes it up again where it was left; the
// topic of the opening is the item. The sentence says what became of the wish; err
// means that it could not be stored. An item has one analysis at a time: whoever asks
// while it is under way is led to it, and whoever asked in the same moment as somebody
// else is led there later.
func (b *Bot) analyze(ctx context.Context, o opening) (sentence string, later task, err error) {
	switch n := utf8.RuneCountInString(thread.Unmasked(thread.OneLine(blocks.Readable(o.topic)))); {
	case n == 0:
		return analysis.SayItemMissing(), nil, nil
	case n > topicLimit:
		return analysis.SayItemTooLong(topicLimit), nil, nil
	}
	o, refusal := b.checked(ctx, o)
	if refusal != "" {
		return refusal, nil, nil
	}
	own := thread.NewID(b.self.team, o.channel, o.request)
	asked, item := "o:"+own, b.itemFor(ctx, o.channel, o.topic)
	place, err := b.opts.Reader.FindAnalysis(ctx, engine.ItemRef{Team: b.self.team, Channel: o.channel, Slug: item}, "")
	if err != nil {
		return "", nil, err
	}
	lead := func(context.Context) { b.leadLater(place.Ref, asked, o.user) }
	switch {
	case place.Open != nil && place.Open.Asked != asked:
		return b.sayUnderWay(*place.Open), nil, nil
	case place.Taken:
		return analysis.SayOpening(o.topic), lead, nil
	}
	if refusal := b.roomFor(ctx, place.Ref); refusal != "" {
		return refusal, nil, nil
	}
	in := analysis.Input{ID: asked, At: o.at, Event: analysis.Opened{
		Analysis: place.Ref.ID, By: b.people.Person(ctx, o.user), Item: item, ItemTitle: o.topic, Cast: b.opts.Roster.Seats(),
		Place:    thread.Place{Team: b.self.team, Channel: o.channel, Thread: o.thread},
		Settings: analysis.SettingsLike(b.opts.Policy.Settings),
	}}
	body, err := analysis.EncodeInput(in)
	if err != nil {
		return "", nil, err
	}
	r, err := b.inbox.Receive(ctx, engine.Delivery{Ref: place.Ref, Mail: engine.Mail{ID: in.ID, Body: body}, Opens: true, Thread: o.thread, Also: o.also})
	if err != nil {
		return "", nil, fmt.Errorf("put %s into the mailbox: %w", in.ID, err)
	}
	if r == engine.Taken {
		return b.sayTaken(o), nil, nil
	}
	if sentence := unsaved(r); sentence != "" {
		return sentence, nil, nil
	}
	return analysis.SayOpening(o.topic), lead, nil
}

func (b *Bot) sayUnderWay(a engine.View) string {
	return analysis.SayUnderWay(a.Title, blocks.Permalink(b.self.site, a.Place, a.Place.Thread))
}

// leadEvery is how often an analysis that was just asked for is looked at, leadWithin
// how long, and leadsMost is how many people the bot waits for like this at once.
const (
	leadEvery  = 250 * time.Millisecond
	leadWithin = 10 * time.Second
	leadsMost  = 16
)

// leadLater leads a person to an analysis once it stands. Waiting for that keeps no request's
// place: with a store that is slow, a few wishes for analyses would have everybody else's
// clicks and commands refused. A person for whom there is no room among those waited for
// finds the analysis in the channel, and by asking again.
func (b *Bot) leadLater(ref engine.Ref, asked, user string) {
	select {
	case b.leads <- struct{}{}:
	default:
		return
	}
	b.errands.send(func(ctx context.Context) {
		defer b.surviveLead()
		b.lead(ctx, ref, asked, user)
	}, func() { <-b.leads })
}

// surviveLead keeps one lead that goes wrong from taking the process down.
func (b *Bot) surviveLead() {
	if v := recover(); v != nil {
		b.log.Error("leading somebody panicked", "panic_type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
	}
}

// lead waits until an analysis stands, and leads a person there whose wish was not
// the one that opened it: somebody else was faster. It is a courtesy.
func (b *Bot) lead(ctx context.Context, ref engine.Ref, asked, user string) {
	ctx, cancel := context.WithTimeout(ctx, leadWithin)
	defer cancel()
	for {
		a, err := b.opts.Reader.View(ctx, ref)
		switch {
		case a.Kind != engine.KindAnalysis: // it is not opened yet, or the store is away
		case err != nil || a.Asked == asked:
			return
		case a.Place.Thread != "":
			b.answer(ctx, ref.Channel, "", user, b.sayUnderWay(a))
			return
		}
		if !sleep(ctx, leadEvery) {
			return
		}
	}
}
