package bot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/slack-go/slack"
)

// roomFresh is how long what Slack said about a channel is believed: short,
// because rights hang on it.
const roomFresh = time.Minute

// A room is what rights depend on in a channel.
type room struct {
	found    bool
	member   bool
	archived bool
	shared   bool
	until    time.Time
}

type seat struct{ channel, user string }

// rooms knows channels and who is in them.
type rooms struct {
	api     *slack.Client
	infos   *lru.Cache[string, room]
	members *lru.Cache[seat, time.Time]
}

func newRooms(api *slack.Client) *rooms {
	return &rooms{api: api, infos: newRecent[string, room](5_000), members: newRecent[seat, time.Time](20_000)}
}

// room looks a channel up (conversations.info). Only a room that we may speak in
// is remembered, so that an invitation helps at once.
func (r *rooms) room(ctx context.Context, channel string) (room, error) {
	if known, ok := r.infos.Get(channel); ok && time.Now().Before(known.until) {
		return known, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, lookupWithin, fmt.Errorf("conversations.info took more than %s", lookupWithin))
	defer cancel()
	c, err := r.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: channel})
	if answered(err, "channel_not_found", "not_in_channel", "missing_scope") {
		return room{}, nil
	}
	if err != nil {
		return room{}, fmt.Errorf("look up a channel: %w", scrub(err))
	}
	info := room{
		found: true, member: c.IsMember || c.IsIM || c.IsMpIM, archived: c.IsArchived,
		shared: c.IsExtShared || c.IsPendingExtShared, until: time.Now().Add(roomFresh),
	}
	if info.member && !info.archived {
		r.infos.Add(channel, info)
	}
	return info, nil
}

// maxMembers bounds how far a channel's list of members is read.
const maxMembers = 20_000

// has reports whether a person is in a channel now, or was a minute ago
// (conversations.members). Without an answer it is an error: rights are never
// assumed.
func (r *rooms) has(ctx context.Context, channel, user string) (bool, error) {
	if until, ok := r.members.Get(seat{channel, user}); ok && time.Now().Before(until) {
		return true, nil
	}
	cursor, seen := "", 0
	for {
		page, next, err := r.api.GetUsersInConversationContext(ctx, &slack.GetUsersInConversationParameters{ChannelID: channel, Cursor: cursor, Limit: 1000})
		if answered(err, "channel_not_found") {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("read a channel's members: %w", scrub(err))
		}
		if slices.Contains(page, user) {
			r.members.Add(seat{channel, user}, time.Now().Add(roomFresh))
			return true, nil
		}
		if seen += len(page); next == "" || seen >= maxMembers {
			break
		}
		cursor = next
	}
	if seen >= maxMembers {
		return false, errors.New("read a channel's members: the channel is too large to check")
	}
	return false, nil
}
