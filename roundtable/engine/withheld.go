package engine

import (
	"context"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// How long posts wait for a channel that takes none: tried again after pauses that
// grow, sooner if somebody does something there, and for so long in all.
const (
	withheldFirst = 15 * time.Second
	withheldMost  = time.Hour
	withheldFor   = 7 * 24 * time.Hour
)

// refused decides what becomes of a post that Slack refuses, or whose thread it
// refuses to show. What is wrong with the message, or with a thread that is gone, stays
// wrong: the post is given up, and the rules say so. What is wrong with the channel may
// be mended: then the post waits, and everything after it, so that nothing is missing
// and in order once messages are taken again (I3, I4). An introduction does not wait:
// whoever asked for it is told at once. c says what becomes of the mark.
func (t *turn) refused(ctx context.Context, p roundtable.Post, reason roundtable.Reason, c Commit) error {
	if p.Message.Kind == roundtable.KindRoot || !mendable(reason) {
		return t.giveUp(ctx, reason)
	}
	u, now := t.m.upkeep(), t.now()
	since := now
	if w := *u.withheld; w != nil {
		since = w.Since
	}
	if now.Sub(since) >= withheldFor {
		return t.giveUp(ctx, reason)
	}
	*u.withheld = &roundtable.Withheld{Reason: reason, Since: since}
	return t.yield(ctx, c, growing(now.Sub(since), withheldFirst, withheldMost))
}

// mendable reports whether what Slack refuses for this reason it may take later.
func mendable(r roundtable.Reason) bool {
	switch r {
	case roundtable.ReasonArchived, roundtable.ReasonNotInChannel, roundtable.ReasonNoPermission:
		return true
	default:
		return false
	}
}

// growing is a pause that doubles the time that was waited already, within bounds.
func growing(waited, least, most time.Duration) time.Duration {
	return min(max(waited, least), most)
}
