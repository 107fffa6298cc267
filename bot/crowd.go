package bot

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

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
	text := roundtable.SayBacklog()
	if _, said := h.Input.Event.(roundtable.Said); said {
		text = roundtable.SayTakenUpLater()
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
	return roundtable.SayTooManyOpen(most)
}

// ended is how many discussions are looked at for each that may be open: those that
// have ended answer for some days and stand in the same list. A channel with more of
// them has its open ones counted too low, which refuses nobody.
const ended = 4
