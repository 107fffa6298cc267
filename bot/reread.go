package bot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// Read reads back what people wrote in a thread (conversations.replies), oldest
// first: each message as the event that it was, or should have been, so that it has
// the same id whichever way it comes (I2). A message that was changed since is
// followed by its edit.
func (w *Workplace) Read(ctx context.Context, place thread.Place, since time.Time) ([]engine.Heard, error) {
	if place.Thread == "" {
		return nil, nil
	}
	var heard []engine.Heard
	oldest := stamp(since)
	for cursor := ""; ; {
		messages, next, err := w.page(ctx, place, oldest, cursor)
		if err != nil {
			return nil, webapi.SendError(fmt.Errorf("read what people wrote: %w", err), true)
		}
		for _, m := range messages {
			if !olderOrSame(oldest, m.Timestamp) {
				continue // the thread's first message is always among them
			}
			for _, h := range happenings(place, m.Msg, w.self) {
				if again, ok := w.again(ctx, h); ok {
					heard = append(heard, again)
				}
			}
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	slices.SortStableFunc(heard, func(a, b engine.Heard) int { return a.Input.At.Compare(b.Input.At) })
	return heard, nil
}

// happenings are the events that a message which stands in a thread was: that it
// was said, and that it was changed. They are read by the same decoder.
func happenings(place thread.Place, m slack.Msg, me self) []happening {
	stands := readBack(&m)
	said := decodeMessage(&messageEvent{message: *stands, Channel: place.Channel, EventTS: m.Timestamp, UserTeam: m.Team}, me)
	if said.Skip != "" {
		return nil
	}
	all := []happening{said}
	if m.Edited == nil {
		return all
	}
	// What it said before is not known any more, only that it was changed.
	changed := decodeMessage(&messageEvent{
		message: message{SubType: slack.MsgSubTypeMessageChanged}, Channel: place.Channel, UserTeam: m.Team, Now: stands, Before: &message{},
	}, me)
	if changed.Skip == "" {
		all = append(all, changed)
	}
	return all
}

// hearAgain turns a happening that was read back into an input, with the person's
// name, unless the policy keeps the person out.
func (b *Bot) hearAgain(ctx context.Context, h happening) (engine.Heard, bool) {
	if b.outsider(ctx, h) {
		return engine.Heard{}, false
	}
	b.heard.listen(h.Channel, h.Thread, h.Text)
	b.threads.keepMessage(h.Channel, h.Message, h.Thread)
	return engine.Heard{Input: b.named(ctx, h.Input), Also: h.Also}, true
}
