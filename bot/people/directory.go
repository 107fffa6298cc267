package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/slack-go/slack"
	"golang.org/x/sync/singleflight"

	"github.com/roundtable-chat/app/bot/blocks"
	"github.com/roundtable-chat/app/bot/recent"
	"github.com/roundtable-chat/app/bot/webapi"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// A Profile is what the edge knows of a person (users.info). Outside is somebody of
// another workspace.
type Profile struct {
	name    string
	Guest   bool
	Outside bool
	zone    *int // seconds east of UTC
	// seen is when Slack said so; zero if it never did. until is when it is asked again.
	seen, until time.Time
}

// How long profiles stay fresh; how much longer somebody who was a full member is taken for
// one while Slack does not answer; and how long a failed lookup is not repeated. Somebody
// who was no full member is refused for as long as this process remembers them: a lookup
// that fails gives nobody a right.
const (
	profileFresh = time.Hour
	profileGrace = time.Hour
	profileRetry = 5 * time.Second
	maxName      = 80
)

// namesAMinute is how many people are looked up in a minute for no other reason than that a
// text names them. Slack allows about a hundred lookups a minute to all replicas together
// (tier 4); what rights need must be left, whatever people write.
const namesAMinute = 10

// Directory knows people by their id, never by their name.
type Directory struct {
	api   *slack.Client
	team  string // ours
	blind bool   // users:read was not granted: Slack says nothing of anybody
	cache *lru.Cache[string, Profile]
	once  singleflight.Group

	mu sync.Mutex
	// quiet is until when Slack wants no lookup at all (429).
	quiet time.Time
	// names is how many lookups for names are left of the minute that began at minute.
	names  int
	minute time.Time
}

// NewDirectory knows the people of a team. blind says that users:read was not granted.
func NewDirectory(api *slack.Client, team string, blind bool) *Directory {
	return &Directory{api: api, team: team, blind: blind, cache: recent.New[string, Profile](20_000)}
}

// Profile looks a person up. ok is false when Slack does not say who they are: nothing may
// hang on a profile then but the name.
func (d *Directory) Profile(ctx context.Context, user string) (p Profile, ok bool) {
	p, _ = d.cache.Get(user)
	if now := time.Now(); !d.blind && !now.Before(p.until) && !d.pausing(now) {
		got, _, _ := d.once.Do(user, func() (any, error) { return d.look(ctx, user), nil })
		p, _ = got.(Profile)
	}
	return p, p.stands(time.Now())
}

// stands reports whether what Slack said of a person may still be believed.
func (p Profile) stands(now time.Time) bool {
	return !p.seen.IsZero() && (p.Guest || p.Outside || now.Before(p.seen.Add(profileFresh+profileGrace)))
}

// look asks Slack about a person and remembers what it says. It has a time of its own:
// others share the answer, and whoever asked first may have no time left.
func (d *Directory) look(ctx context.Context, user string) Profile {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), webapi.LookupWithin, fmt.Errorf("users.info took more than %s", webapi.LookupWithin))
	defer cancel()
	u, err := d.api.GetUserInfoContext(ctx, user)
	now := time.Now()
	if err != nil {
		p, _ := d.cache.Get(user)
		if limited := (*slack.RateLimitedError)(nil); errors.As(err, &limited) {
			d.pause(now.Add(max(limited.RetryAfter, time.Second)))
			return p
		}
		p.until = now.Add(profileRetry)
		d.cache.Add(user, p)
		return p
	}
	p := Profile{
		name: displayName(u), Guest: u.IsRestricted || u.IsUltraRestricted, Outside: d.elsewhere(u), zone: zoneOf(u),
		seen: now, until: now.Add(profileFresh),
	}
	d.cache.Add(user, p)
	return p
}

// pause leaves Slack alone until a time, whoever is to be looked up.
func (d *Directory) pause(until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if until.After(d.quiet) {
		d.quiet = until
	}
}

func (d *Directory) pausing(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return now.Before(d.quiet)
}

// After is how long Slack is not asked about a person.
func (d *Directory) After(user string) time.Duration {
	p, _ := d.cache.Get(user)
	d.mu.Lock()
	defer d.mu.Unlock()
	until := d.quiet
	if p.until.After(until) {
		until = p.until
	}
	return max(0, time.Until(until))
}

// Called is what a person is called, for texts: from what is known, or by one of the few
// lookups that names may cost. It is empty where neither helps.
func (d *Directory) Called(ctx context.Context, user string) string {
	if name := d.Known(user); name != "" || !d.mayName(time.Now()) {
		return name
	}
	p, _ := d.Profile(ctx, user)
	return p.name
}

// mayName takes one of the lookups that names may cost. There is none while Slack is left
// alone: who has rights is asked first then.
func (d *Directory) mayName(now time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now.Before(d.quiet) {
		return false
	}
	if now.Sub(d.minute) >= time.Minute {
		d.minute, d.names = now, namesAMinute
	}
	if d.names == 0 {
		return false
	}
	d.names--
	return true
}

// elsewhere reports whether somebody is of another workspace. is_stranger alone does
// not say it: Slack sets it only where no channel that the app sees is shared with them.
func (d *Directory) elsewhere(u *slack.User) bool {
	return u.IsStranger || u.TeamID != "" && u.TeamID != d.team
}

// Person names somebody, by the id if nothing better is known in time.
func (d *Directory) Person(ctx context.Context, user string) thread.Person {
	p, _ := d.Profile(ctx, user)
	return p.Person(user)
}

// Person is somebody with the name that is known.
func (p Profile) Person(user string) thread.Person {
	return thread.Person{ID: user, Name: cmp.Or(p.name, user)}
}

// Known is a person's display name if it is at hand, else "".
func (d *Directory) Known(user string) string {
	p, _ := d.cache.Get(user)
	return p.name
}

// Zone is a person's clock in seconds east of UTC if it is at hand, else nil.
func (d *Directory) Zone(user string) *int {
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
		if name = strings.Join(strings.Fields(blocks.Readable(name)), " "); name != "" {
			return blocks.Clip(name, maxName)
		}
	}
	return u.ID
}
