package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/slack-go/slack"

	"github.com/roundtable-chat/app/bot/recent"
	"github.com/roundtable-chat/app/bot/webapi"
)

// roomFresh is how long what Slack said about a channel is believed: short,
// because rights hang on it.
const roomFresh = time.Minute

// A Room is what rights depend on in a channel. partner is the person of a direct message
// with us, the only one who is in it.
type Room struct {
	Found    bool
	Member   bool
	partner  string
	Archived bool
	Shared   bool
	until    time.Time
}

type seat struct{ channel, user string }

// presence is whether somebody is in a channel, and how long that is believed.
type presence struct {
	in    bool
	until time.Time
}

// Rooms knows channels and who is in them.
type Rooms struct {
	api     *slack.Client
	infos   *lru.Cache[string, Room]
	members *lru.Cache[seat, presence]
}

// NewRooms knows the channels that a client sees.
func NewRooms(api *slack.Client) *Rooms {
	return &Rooms{api: api, infos: recent.New[string, Room](5_000), members: recent.New[seat, presence](20_000)}
}

// Room looks a channel up (conversations.info). Only a room that we may speak in
// is remembered, so that an invitation helps at once.
func (r *Rooms) Room(ctx context.Context, channel string) (Room, error) {
	if known, ok := r.infos.Get(channel); ok && time.Now().Before(known.until) {
		return known, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, webapi.LookupWithin, fmt.Errorf("conversations.info took more than %s", webapi.LookupWithin))
	defer cancel()
	c, err := r.api.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{ChannelID: channel})
	if webapi.Answered(err, "channel_not_found", "not_in_channel", "missing_scope") {
		return Room{}, nil
	}
	if err != nil {
		return Room{}, fmt.Errorf("look up a channel: %w", webapi.Scrub(err))
	}
	info := Room{
		Found: true, Member: c.IsMember || c.IsIM || c.IsMpIM, Archived: c.IsArchived,
		Shared: c.IsExtShared || c.IsPendingExtShared, until: time.Now().Add(roomFresh),
	}
	if c.IsIM {
		info.partner = c.User
	}
	if info.Member && !info.Archived {
		r.infos.Add(channel, info)
	}
	return info, nil
}

// memberPages is how many pages of a channel's members are read, of a thousand each; in a
// channel with more, the person is asked about instead. joinedPages bounds that.
const (
	memberPages = 5
	joinedPages = 5
)

// absentFresh is how long somebody who is not in a channel is taken to be outside: long
// enough that no number of clicks uses up what Slack answers about members in a minute,
// short enough that joining helps at once.
const absentFresh = 5 * time.Second

// Has reports whether a person is in a channel now, or was a minute ago. Without an
// answer it is an error: rights are never assumed.
func (r *Rooms) Has(ctx context.Context, channel, user string) (bool, error) {
	missing, err := r.Missing(ctx, channel, []string{user})
	return err == nil && len(missing) == 0, err
}

// Missing are those of some people who are not in a channel (conversations.members). In a
// direct message with us there is one person, and none in those of others.
func (r *Rooms) Missing(ctx context.Context, channel string, people []string) (missing []string, err error) {
	if strings.HasPrefix(channel, "D") {
		here, err := r.Room(ctx, channel)
		return slices.DeleteFunc(slices.Clone(people), func(p string) bool { return p == here.partner }), err
	}
	var unsure []string
	for _, p := range people {
		known, ok := r.members.Get(seat{channel, p})
		switch fresh := ok && time.Now().Before(known.until); {
		case !fresh:
			unsure = append(unsure, p)
		case !known.in:
			missing = append(missing, p)
		}
	}
	outside, err := r.look(ctx, channel, unsure)
	return append(missing, outside...), err
}

// look asks Slack which of some people are not in a channel, and remembers it.
func (r *Rooms) look(ctx context.Context, channel string, people []string) (outside []string, err error) {
	outside = slices.Clone(people)
	cursor := ""
	for range memberPages {
		if len(outside) == 0 {
			return nil, nil
		}
		page, next, err := r.api.GetUsersInConversationContext(ctx, &slack.GetUsersInConversationParameters{ChannelID: channel, Cursor: cursor, Limit: 1000})
		if webapi.Answered(err, "channel_not_found") {
			return outside, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read a channel's members: %w", webapi.Scrub(err))
		}
		outside = slices.DeleteFunc(outside, func(p string) bool { return slices.Contains(page, p) && r.remember(channel, p, true) })
		if cursor = next; cursor == "" {
			break
		}
	}
	if cursor != "" {
		if outside, err = r.notJoined(ctx, channel, outside); err != nil {
			return nil, err
		}
	}
	for _, p := range outside {
		r.remember(channel, p, false)
	}
	return outside, nil
}

// remember keeps whether somebody is in a channel, and returns it.
func (r *Rooms) remember(channel, user string, in bool) bool {
	fresh := roomFresh
	if !in {
		fresh = absentFresh
	}
	r.members.Add(seat{channel, user}, presence{in, time.Now().Add(fresh)})
	return in
}

// notJoined are those of some people among whose channels one is not (users.conversations):
// a large channel has more members than anybody has channels.
func (r *Rooms) notJoined(ctx context.Context, channel string, people []string) (outside []string, err error) {
	for _, p := range people {
		in, err := r.joined(ctx, channel, p)
		if err != nil {
			return nil, err
		}
		if !in || !r.remember(channel, p, true) {
			outside = append(outside, p)
		}
	}
	return outside, nil
}

func (r *Rooms) joined(ctx context.Context, channel, user string) (bool, error) {
	ask := slack.GetConversationsForUserParameters{UserID: user, Types: []string{"public_channel", "private_channel"}, Limit: 999}
	for range joinedPages {
		page, next, err := r.api.GetConversationsForUserContext(ctx, &ask)
		if err != nil {
			return false, fmt.Errorf("read somebody's channels: %w", webapi.Scrub(err))
		}
		if slices.ContainsFunc(page, func(c slack.Channel) bool { return c.ID == channel }) {
			return true, nil
		}
		if ask.Cursor = next; next == "" {
			return false, nil
		}
	}
	return false, errors.New("read somebody's channels: there are too many to check")
}
