package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/storage"
)

// server is a Redis server, with those that it stands among and how many replicas must
// confirm a write.
type server struct {
	storage.Server
	among storage.Survey
	want  int
}

// servers are kinds of servers, by how much they say of themselves and what they do.
type servers int

const (
	away servers = 1 << iota // could not be asked
	silent
	replicas
	masters
	serving = replicas | masters
	reached = silent | serving
)

func (s server) kind() servers {
	switch {
	case s.Err != nil:
		return away
	case s.Silent():
		return silent
	case s.Replica.Value:
		return replicas
	}
	return masters
}

// of is a check of the servers of some kinds.
func of(kinds servers, name string, answers []answer[server]) row {
	return check[server]{
		name: name, answers: answers,
		learn: surveyed(func(survey storage.Survey, c config.Config) (all []server) {
			for _, x := range survey.Servers {
				if s := (server{x, survey, c.RedisReplicas}); kinds&s.kind() != 0 {
					all = append(all, s)
				}
			}
			return all
		}),
		where: func(s server) []string {
			if len(s.among.Servers) < 2 {
				return nil
			}
			return []string{s.Addr}
		},
	}
}

// surveyed learns from a survey.
func surveyed[T any](pick func(storage.Survey, config.Config) []T) func(context.Context, *visit) ([]T, error) {
	return func(ctx context.Context, x *visit) ([]T, error) {
		survey, err := x.survey(ctx)
		return pick(survey, x.Config), err
	}
}

// serverChecks are all that servers' own words can be held to.
func serverChecks() []row {
	return slices.Concat(standing(), access(), persistence(), following(), clocks(), together())
}

// The oldest version that the scripts are made for.
const oldestMajor, oldestMinor = 6, 2

// standing is whether a server can be asked, and what it is.
func standing() []row {
	version := func(s server) []any { return []any{s.Version.Value} }
	return []row{
		of(away, "server", []answer[server]{{level: Warning, found: "could not be examined: %s", args: func(s server) []any { return []any{s.Err} },
			means: "its settings are unknown, and it may become the master after a failover", do: "start it, or run doctor where it can be reached"}}),
		of(silent, "settings", []answer[server]{{level: Advice, found: "the server reports nothing about itself, like the demo's embedded one",
			means: "it is unknown what the server keeps when it restarts", do: "use Redis or Valkey in production"}}),
		of(serving, "version", []answer[server]{
			{when: func(s server) bool { return s.Older(oldestMajor, oldestMinor) }, level: Failure, found: "Redis %s", args: version,
				means: "Roundtable's scripts need a newer version", do: fmt.Sprintf("upgrade to %d.%d or later", oldestMajor, oldestMinor)},
			{when: func(s server) bool { return s.Version.Known }, found: "Redis %s", args: version}}),
	}
}

// RedisRights is what the user of REDIS_URL must be allowed, and nothing else.
const RedisRights = "~{rt1:* &* +@read +@write +@scripting +@connection +wait +info +time +config|get +cluster"

// ownUser is how a server is closed to everybody but Roundtable.
const ownUser = "run redis-cli ACL SETUSER roundtable on '>PASSWORD' " + RedisRights +
	"; put that user into REDIS_URL (redis://roundtable:PASSWORD@host); give every other program that uses this Redis a user of its own; " +
	"then run redis-cli ACL SETUSER default off, and make all of it permanent with ACL SAVE or in redis.conf"

// opened is what somebody who gets into Redis can do, and broughtDown which promises that
// ends.
const opened = "can read every discussion and document, change or delete them, and speak as the bot"

func broughtDown() []int { return []int{1, 4, 6} }

// access is who else can get at a server, and who can listen on the way.
func access() []row {
	const (
		anybody   = "anyone who can reach this Redis " + opened
		overheard = "anyone on the network between Roundtable and Redis can read the password, and read and change every discussion and document"
	)
	return []row{
		of(reached, "password", []answer[server]{
			{when: func(s server) bool { return s.Open.Value && s.Sheltered() }, level: Advice,
				found: "none is required; as far as the server reports, other machines cannot connect", means: "every program on this machine " + opened, do: ownUser},
			{when: func(s server) bool { return s.Open.Value && s.ProtectedMode.Known && !s.ProtectedMode.Value }, level: Warning,
				found: "none is required, and protected-mode is off", means: anybody, promises: broughtDown(), do: ownUser},
			{when: func(s server) bool { return s.Open.Value }, level: Warning,
				found: "none is required", means: anybody, promises: broughtDown(), do: ownUser},
			{when: func(s server) bool { return s.NoPass.Value }, level: Warning, found: "the user %s is set to nopass, so Redis accepts any password",
				args: func(s server) []any { return []any{s.User} }, means: "anyone who knows the user's name " + opened, promises: broughtDown(),
				say: func(s server, f *Finding) {
					f.Do = fmt.Sprintf("redis-cli ACL SETUSER %s resetpass '>PASSWORD', and put the password into REDIS_URL", s.User)
				}},
			{when: func(s server) bool { return s.Open.Known }, found: "is required"},
			{level: Advice, found: "doctor could not tell whether one is required",
				means: "if none is, " + anybody, do: "run redis-cli -h <host> PING without a password; Redis must answer NOAUTH"}}),
		of(reached, "user", []answer[server]{{when: func(s server) bool { return s.Open.Known && !s.Open.Value && s.Default() }, level: Advice,
			found: "Roundtable connects as the default user", means: "its password gives access to everything else in this Redis, including CONFIG and FLUSHALL", do: ownUser}}),
		of(reached, "encryption", []answer[server]{
			{when: func(s server) bool { return s.Unverified }, level: Warning, found: "TLS, but skip_verify in REDIS_URL accepts any certificate",
				means: overheard, promises: broughtDown(), do: "remove skip_verify from REDIS_URL, and install the certificate of the authority that signed the server's"},
			{when: func(s server) bool { return s.Encrypted }, found: "TLS"},
			{when: func(s server) bool { return s.Local() }, found: "none, and none is needed on one machine"},
			{level: Warning, found: "none: the server is on another machine, and REDIS_URL does not ask for TLS", means: overheard, promises: broughtDown(),
				do: "enable TLS in Redis (tls-port) and write rediss:// instead of redis://, or keep the network between them private"}}),
		of(masters, "CONFIG", []answer[server]{{when: func(s server) bool { return s.ConfigErr != nil }, level: Advice,
			found: "Redis refuses CONFIG GET, as managed services do: %s", args: func(s server) []any { return []any{s.ConfigErr} },
			means: "appendfsync, save, min-replicas-to-write and repl-diskless-load are unknown, so doctor cannot check them",
			do:    "grant +config|get to the user of REDIS_URL, or look in the service's console for appendonly yes, appendfsync everysec, and with replicas min-replicas-to-write 1"}}),
	}
}

// What a clock and a round trip may be.
const (
	skewLimit = time.Second
	tripLong  = 5 * time.Millisecond
	tripFar   = 100 * time.Millisecond
)

// clocks are what costs time: notifications, a clock that differs, a server far away.
func clocks() []row {
	const nearer = "run Roundtable and Redis in the same zone"
	takes := func(s server) []any { return []any{round(s.Trip)} }
	return []row{
		of(masters, "notify-keyspace-events", []answer[server]{{when: func(s server) bool { return s.Notifications.Value != "" }, level: Advice,
			found: "is %s", args: func(s server) []any { return []any{s.Notifications.Value} },
			means: "every write takes longer because of notifications that Roundtable does not listen to",
			do:    `redis-cli CONFIG SET notify-keyspace-events "", unless another program needs them`}}),
		of(reached, "clock", []answer[server]{
			{when: func(s server) bool { return s.Skew.Abs() > skewLimit+s.Trip/2 }, level: Warning, found: "is %s %s this machine's",
				args: func(s server) []any {
					if s.Skew < 0 {
						return []any{round(s.Skew.Abs()), "behind"}
					}
					return []any{round(s.Skew), "ahead of"}
				},
				means: "timers, reminders and leases follow Redis's clock: they come at the wrong time, and jump when a server with another clock takes over",
				do:    "synchronise all clocks with NTP: timedatectl set-ntp true, or chrony"},
			{found: "is within a second of this machine's"}}),
		of(reached, "round trip", []answer[server]{
			{when: func(s server) bool { return s.Trip > tripFar }, level: Warning, found: "takes %s", args: takes,
				means: "a turn needs up to four round trips, and Slack waits 3 s for an acknowledgement, which needs at least one", do: nearer},
			{when: func(s server) bool { return s.Trip > tripLong }, level: Advice, found: "takes %s", args: takes,
				means: "a turn needs up to four round trips", do: nearer},
			{when: func(s server) bool { return s.Trip >= time.Millisecond }, found: "takes %s", args: takes},
			{found: "takes less than a millisecond"}}),
	}
}

// round shortens a duration for people.
func round(d time.Duration) time.Duration {
	for _, unit := range []time.Duration{time.Second, time.Millisecond} {
		if d >= 10*unit {
			return d.Round(unit / 10)
		}
	}
	return d.Round(10 * time.Microsecond)
}
