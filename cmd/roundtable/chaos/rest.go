package chaos

import (
	"context"
	"fmt"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
)

// rest ends what nobody sat at (a command that seemed to fail may have opened a
// discussion all the same) and waits until every discussion is closed, audited and
// nothing waits anywhere.
func (c *campaign) rest(ctx context.Context) {
	c.town.weather.flying.Wait()
	asked := make(map[string]time.Time)
	var left []held
	err := until(ctx, "every discussion has come to rest", 500*time.Millisecond, func() bool {
		all, err := c.store.discussions(ctx)
		if err != nil {
			return false
		}
		left = left[:0]
		now := time.Now()
		for _, h := range all {
			if h.quiet(now) {
				continue
			}
			left = append(left, h)
			open := h.state.State != "" && h.state.State != roundtable.StateClosed && h.state.Place.Root != ""
			if open && now.After(asked[h.ref.ID].Add(10*time.Second)) {
				asked[h.ref.ID] = now
				c.dismiss(ctx, h)
			}
		}
		return len(left) == 0
	})
	if err == nil {
		return
	}
	for _, h := range left {
		d := h.state
		c.log.judge(h.where(), invariant.Evidence{Restless: fmt.Sprintf("stuck: state %q, held %t, mail %d, outbox %d, due %s, asked %v, stalled %v", d.State,
			h.owner, h.mail, h.outbox, h.due.Format(time.TimeOnly), d.Ask, d.Stalled)})
	}
	if len(left) == 0 {
		c.log.judge("the campaign", invariant.Evidence{Restless: fmt.Sprintf("Redis could not be read to the end: %v", err)})
	}
}

// dismiss lets somebody end a discussion that nobody sat at.
func (c *campaign) dismiss(ctx context.Context, h held) {
	p := c.town.people[0]
	_, err := c.town.act(ctx, "say", map[string]any{"as": p.ID, "channel": h.ref.Channel, "thread_ts": h.state.Place.Thread, "text": "done"})
	if err != nil {
		c.log.violation("I3", "the thread of %s in %s is gone: %v", h.ref.ID, h.ref.Channel, err)
		return
	}
	c.log.add(dismissals, 1)
}

// dismissals counts the messages that end what nobody sat at.
const dismissals = "discussions that nobody sat at, ended"
