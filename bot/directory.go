package bot

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/slack-go/slack"
	"golang.org/x/sync/singleflight"

	"github.com/roundtable-chat/app/roundtable"
)

// A profile is what the edge needs to know of a person (users.info). outside is
// somebody of another workspace.
type profile struct {
	name    string
	guest   bool
	outside bool
	zone    *int // seconds east of UTC
	until   time.Time
}

// How long profiles stay fresh, and how long a failed lookup is not repeated: a few
// messages may pass without a name, and the rules take it from a later one.
const (
	profileFresh = time.Hour
	profileRetry = 5 * time.Second
	maxName      = 80
)

// directory knows people by their id, never by their name.
type directory struct {
	api   *slack.Client
	team  string // ours
	cache *lru.Cache[string, profile]
	once  singleflight.Group
}

func newDirectory(api *slack.Client, team string) *directory {
	return &directory{api: api, team: team, cache: newRecent[string, profile](20_000)}
}

// profile looks a person up. ok is false when Slack did not answer in time.
func (d *directory) profile(ctx context.Context, user string) (p profile, ok bool) {
	if p, ok := d.cache.Get(user); ok && time.Now().Before(p.until) {
		return p, p.name != ""
	}
	got, _, _ := d.once.Do(user, func() (any, error) { return d.look(ctx, user), nil })
	p, _ = got.(profile)
	return p, p.name != ""
}

// look asks Slack about a person and remembers what it says. It has a time of its own:
// others share the answer, and whoever asked first may have no time left.
func (d *directory) look(ctx context.Context, user string) profile {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), lookupWithin, fmt.Errorf("users.info took more than %s", lookupWithin))
	defer cancel()
	u, err := d.api.GetUserInfoContext(ctx, user)
	if err != nil {
		p, _ := d.cache.Get(user)
		wait := profileRetry
		if limited := (*slack.RateLimitedError)(nil); errors.As(err, &limited) {
			wait = limited.RetryAfter
		}
		p.until = time.Now().Add(wait)
		d.cache.Add(user, p)
		return p
	}
	p := profile{
		name: displayName(u), guest: u.IsRestricted || u.IsUltraRestricted, outside: d.elsewhere(u), zone: zoneOf(u),
		until: time.Now().Add(profileFresh),
	}
	d.cache.Add(user, p)
	return p
}

// elsewhere reports whether somebody is of another workspace. is_stranger alone does
// not say it: Slack sets it only where no channel that the app sees is shared with them.
func (d *directory) elsewhere(u *slack.User) bool {
	return u.IsStranger || u.TeamID != "" && u.TeamID != d.team
}

// person names somebody, by the id if nothing better is known in time.
func (d *directory) person(ctx context.Context, user string) roundtable.Person {
	p, ok := d.profile(ctx, user)
	if !ok {
		return roundtable.Person{ID: user, Name: user}
	}
	return roundtable.Person{ID: user, Name: p.name}
}

// known is a person's display name if it is at hand, else "".
func (d *directory) known(user string) string {
	p, _ := d.cache.Get(user)
	return p.name
}

// zone is a person's clock in seconds east of UTC if it is at hand, else nil.
func (d *directory) zone(user string) *int {
	p, _ := d.cache.Get(user)
	return p.zone
}

// zoneOf reads somebody's clock from their profile, which may not have one.
func zoneOf(u *slack.User) *int {
	if u.TZ == "" {
		return nil
	}
	return &u.TZOffset
}

// displayName is how people see each other: on one line, without what could
// disguise it.
func displayName(u *slack.User) string {
	for _, name := range []string{u.Profile.DisplayName, u.Profile.RealName, u.RealName, u.Name} {
		if name = strings.Join(strings.Fields(readable(name)), " "); name != "" {
			return clip(name, maxName)
		}
	}
	return u.ID
}
