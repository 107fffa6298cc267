package bot

import (
	"context"
	"fmt"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// analyze starts the analysis of an item, or takes it up again where it was left; the
// topic of the opening is the item. The sentence says what became of the wish; err
// means that it could not be stored.
func (b *Bot) analyze(ctx context.Context, o opening) (sentence string, err error) {
	if oneLine(o.topic) == "" {
		return analysis.SayItemMissing(), nil
	}
	o, refusal := b.checked(ctx, o)
	if refusal != "" {
		return refusal, nil
	}
	id := roundtable.NewID(b.self.team, o.channel, o.request)
	ref := engine.Ref{Team: b.self.team, Channel: o.channel, ID: id}
	item := b.opts.Slug(o.topic, id)
	if a, ok, err := b.underWay(ctx, o.channel, item); err != nil {
		return "", err
	} else if ok && a.ID != id {
		return analysis.SayUnderWay(a, renderer{site: b.self.site}.permalink(a.Place, a.Place.Thread)), nil
	}
	if refusal := b.roomFor(ctx, ref); refusal != "" {
		return refusal, nil
	}
	s := b.opts.Policy.Settings
	in := analysis.Input{ID: "o:" + id, At: o.at, Event: analysis.Opened{
		Analysis: id, By: b.people.person(ctx, o.user), Item: item, ItemTitle: o.topic, Cast: b.opts.Roster.Seats(),
		Place:    roundtable.Place{Team: b.self.team, Channel: o.channel, Thread: o.thread},
		Settings: analysis.Settings{Gather: s.Gather, Silence: s.Silence, Elaboration: s, Notice: s.Notice},
	}}
	body, err := analysis.EncodeInput(in)
	if err != nil {
		return "", err
	}
	r, err := b.opts.Inbox.Receive(ctx, engine.Delivery{Ref: ref, Mail: engine.Mail{ID: in.ID, Body: body}, Opens: true, Thread: o.thread, Also: o.also})
	if err != nil {
		return "", fmt.Errorf("put %s into the mailbox: %w", in.ID, err)
	}
	if sentence := unsaved(r); sentence != "" {
		return sentence, nil
	}
	return analysis.SayOpening(o.topic), nil
}

// underWay finds the open analysis of an item.
func (b *Bot) underWay(ctx context.Context, channel, item string) (analysis.Analysis, bool, error) {
	listed, err := b.opts.Inbox.List(ctx, b.self.team, channel, ended*defaultMaxOpen)
	if err != nil {
		return analysis.Analysis{}, false, fmt.Errorf("find the analysis of %s: %w", item, err)
	}
	for _, l := range listed {
		if !analysis.IsStored(l.State) {
			continue
		}
		if a, err := analysis.Decode(l.State); err == nil && a.Item == item && a.State != analysis.StateClosed {
			return a, true, nil
		}
	}
	return analysis.Analysis{}, false, nil
}
