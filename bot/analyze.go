package bot

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// analyze starts the analysis of an item, or takes it up again where it was left; the
// topic of the opening is the item. The sentence says what became of the wish; err
// means that it could not be stored. An item has one analysis at a time: whoever asks
// while it is under way is led to it, and whoever asked in the same moment as somebody
// else is led there later.
func (b *Bot) analyze(ctx context.Context, o opening) (sentence string, later task, err error) {
	switch n := utf8.RuneCountInString(oneLine(readable(o.topic))); {
	case n == 0:
		return analysis.SayItemMissing(), nil, nil
	case n > topicLimit:
		return analysis.SayItemTooLong(topicLimit), nil, nil
	}
	o, refusal := b.checked(ctx, o)
	if refusal != "" {
		return refusal, nil, nil
	}
	own := roundtable.NewID(b.self.team, o.channel, o.request)
	asked, item := "o:"+own, b.opts.Slug(o.topic)
	place, err := engine.FindAnalysis(ctx, b.opts.Inbox, engine.ItemRef{Team: b.self.team, Channel: o.channel, Slug: item}, "")
	if err != nil {
		return "", nil, err
	}
	lead := func(ctx context.Context) { b.lead(ctx, place.Ref, asked, o.user) }
	switch {
	case place.Open != nil && place.Open.Asked != asked:
		return b.sayUnderWay(*place.Open), nil, nil
	case place.Taken:
		return analysis.SayOpening(o.topic), lead, nil
	}
	if refusal := b.roomFor(ctx, place.Ref); refusal != "" {
		return refusal, nil, nil
	}
	s := b.opts.Policy.Settings
	in := analysis.Input{ID: asked, At: o.at, Event: analysis.Opened{
		Analysis: place.Ref.ID, By: b.people.person(ctx, o.user), Item: item, ItemTitle: o.topic, Cast: b.opts.Roster.Seats(),
		Place:    roundtable.Place{Team: b.self.team, Channel: o.channel, Thread: o.thread},
		Settings: analysis.Settings{Gather: s.Gather, Silence: s.Silence, Elaboration: s, Notice: s.Notice},
	}}
	body, err := analysis.EncodeInput(in)
	if err != nil {
		return "", nil, err
	}
	r, err := b.opts.Inbox.Receive(ctx, engine.Delivery{Ref: place.Ref, Mail: engine.Mail{ID: in.ID, Body: body}, Opens: true, Thread: o.thread, Also: o.also})
	if err != nil {
		return "", nil, fmt.Errorf("put %s into the mailbox: %w", in.ID, err)
	}
	if sentence := unsaved(r); sentence != "" {
		return sentence, nil, nil
	}
	return analysis.SayOpening(o.topic), lead, nil
}

func (b *Bot) sayUnderWay(a analysis.Analysis) string {
	return analysis.SayUnderWay(a, renderer{site: b.self.site}.permalink(a.Place, a.Place.Thread))
}

// leadEvery is how often an analysis that was just asked for is looked at, leadWithin
// how long: a handler waits with it.
const (
	leadEvery  = 250 * time.Millisecond
	leadWithin = 10 * time.Second
)

// lead waits until an analysis stands, and leads a person there whose wish was not
// the one that opened it: somebody else was faster. It is a courtesy.
func (b *Bot) lead(ctx context.Context, ref engine.Ref, asked, user string) {
	ctx, cancel := context.WithTimeout(ctx, leadWithin)
	defer cancel()
	for {
		state, _, err := b.opts.Inbox.Read(ctx, ref)
		if err == nil && analysis.IsStored(state) {
			a, err := analysis.Decode(state)
			if err != nil || a.Asked == asked {
				return
			}
			if a.Place.Thread != "" {
				b.answer(ctx, ref.Channel, "", user, b.sayUnderWay(a))
				return
			}
		}
		if !sleep(ctx, leadEvery) {
			return
		}
	}
}
