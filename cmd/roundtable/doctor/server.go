package doctor

import (
	"fmt"
	"slices"
	"time"

	"github.com/roundtable-chat/app/storage"
)

// server is a Redis server under judgement, with those that it stands among and how many
// replicas must confirm a write.
type server struct {
	storage.Server
	among storage.Survey
	want  int
}

// check is one thing that can be found of a server.
type check struct {
	// name is what is looked at, and of the servers that it concerns.
	name string
	of   servers
	// Of the answers the first that applies is found; where none does, nothing is.
	answers []answer
}

// answer is what is found where when holds; nil holds always. The words are Finding's.
// say, if set, completes what depends on the server: found's verbs come first.
type answer struct {
	when             func(s server) bool
	level            Level
	found, means, do string
	promises         []int
	say              func(s server, f *Finding)
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

// judgeServer judges one server by every check that concerns it.
func judgeServer(s server) []Finding {
	var out []Finding
	for _, c := range slices.Concat(standing(), access(), persistence(), following(), clocks()) {
		if c.of&s.kind() == 0 {
			continue
		}
		for _, a := range c.answers {
			if a.when != nil && !a.when(s) {
				continue
			}
			f := Finding{Check: c.name, Level: a.level, Where: []string{s.Addr}, Found: a.found, Means: a.means, Do: a.do, Promises: a.promises}
			if a.say != nil {
				a.say(s, &f)
			}
			out = append(out, f)
			break
		}
	}
	return out
}

// found completes a finding's words with what is known of the server.
func found(args func(s server) []any) func(server, *Finding) {
	return func(s server, f *Finding) { f.Found = fmt.Sprintf(f.Found, args(s)...) }
}

// The oldest version that the scripts are made for.
const oldestMajor, oldestMinor = 6, 2

// standing is whether a server can be asked, and what it is.
func standing() []check {
	version := found(func(s server) []any { return []any{s.Version.Value} })
	return []check{
		{"server", away, []answer{{level: Warning, found: "could not be asked: %s", say: found(func(s server) []any { return []any{s.Err.Error()} }),
			means: "its settings are unknown; after a failover it may be the master", do: "start it, or run doctor where it can be reached"}}},
		{"settings", silent, []answer{{level: Advice, found: "the server says nothing of itself, like the embedded one of the demo",
			means: "nothing is known of what it keeps when it restarts", do: "for production use Redis or Valkey"}}},
		{"version", serving, []answer{
			{when: func(s server) bool { return s.Older(oldestMajor, oldestMinor) }, level: Failure, found: "Redis %s", say: version,
				means: "it is older than the scripts are made for", do: fmt.Sprintf("upgrade to %d.%d or later", oldestMajor, oldestMinor)},
			{when: func(s server) bool { return s.Version.Known }, found: "Redis %s", say: version},
		}},
	}
}

// RedisRights is what the user of REDIS_URL must be allowed, and nothing else.
const RedisRights = "~{rt1:* &* +@read +@write +@scripting +@connection +wait +info +time +config|get +cluster"

// ownUser is how a server is closed to everybody but roundtable.
const ownUser = "redis-cli ACL SETUSER roundtable on '>PASSWORD' " + RedisRights +
	", put it into REDIS_URL (redis://roundtable:PASSWORD@host), give whatever else uses this Redis a user, too, then redis-cli ACL SETUSER default off, and ACL SAVE or the same in redis.conf"

// opened is what somebody who gets into Redis can do, and broughtDown which promises that
// ends.
const opened = "can read every discussion and every document, change and delete them, and speak as the bot"

func broughtDown() []int { return []int{1, 4, 6} }

// access is who else can get at a server, and who can listen on the way.
func access() []check {
	const overheard = "whoever is on the way between them reads the password, every discussion and every document, and can change them"
	return []check{
		{"password", reached, []answer{
			{when: func(s server) bool { return s.Open.Value && s.Sheltered() }, level: Advice,
				found: "none is asked for; other machines are kept out, as far as the server says", means: "every program on this machine " + opened, do: ownUser},
			{when: func(s server) bool { return s.Open.Value && s.ProtectedMode.Known && !s.ProtectedMode.Value }, level: Warning,
				found: "none is asked for, and protected-mode is off", means: "everybody who reaches this Redis " + opened, promises: broughtDown(), do: ownUser},
			{when: func(s server) bool { return s.Open.Value }, level: Warning,
				found: "none is asked for", means: "everybody who reaches this Redis " + opened, promises: broughtDown(), do: ownUser},
			{when: func(s server) bool { return s.NoPass.Value }, level: Warning, means: "everybody who knows the name " + opened, promises: broughtDown(),
				say: func(s server, f *Finding) {
					f.Found = fmt.Sprintf("any is good enough for the user %s, who is set to nopass", s.User)
					f.Do = fmt.Sprintf("redis-cli ACL SETUSER %s resetpass '>PASSWORD', and put it into REDIS_URL", s.User)
				}},
			{when: func(s server) bool { return s.Open.Known }, found: "is asked for"},
			{level: Advice, found: "it could not be seen whether one is asked for",
				means: "if none is, everybody who reaches this Redis " + opened, do: "redis-cli -h <host> PING, without a password: it must answer NOAUTH"},
		}},
		{"user", reached, []answer{{when: func(s server) bool { return s.Open.Known && !s.Open.Value && s.Default() }, level: Advice,
			found: "roundtable is the default user", means: "its password opens everything else in this Redis, CONFIG and FLUSHALL included", do: ownUser}}},
		{"encryption", reached, []answer{
			{when: func(s server) bool { return s.Unverified }, level: Warning, found: "TLS, but REDIS_URL says that any certificate will do (skip_verify)",
				means: overheard, promises: broughtDown(), do: "take skip_verify out of REDIS_URL, and install the authority that signed the server's certificate"},
			{when: func(s server) bool { return s.Encrypted }, found: "TLS"},
			{when: func(s server) bool { return s.Local() }, found: "none, and none is needed on one machine"},
			{level: Warning, found: "none: the server is on another machine, and REDIS_URL does not ask for TLS", means: overheard, promises: broughtDown(),
				do: "turn TLS on in Redis (tls-port) and write rediss:// instead of redis://, or keep the network between them to yourself"},
		}},
		{"CONFIG", masters, []answer{{when: func(s server) bool { return s.ConfigErr != nil }, level: Advice,
			found: "CONFIG GET is refused, as managed services do: %s", say: found(func(s server) []any { return []any{s.ConfigErr.Error()} }),
			means: "appendfsync, save, min-replicas-to-write and repl-diskless-load are unknown, so nothing is said of them",
			do:    "allow the user of REDIS_URL +config|get, or look in the service's console: appendonly yes, appendfsync everysec, and with replicas min-replicas-to-write 1"}}},
	}
}

// What a clock and a round trip may be.
const (
	skewLimit = time.Second
	tripLong  = 5 * time.Millisecond
	tripFar   = 100 * time.Millisecond
)

// clocks are what costs time: notifications, a clock that differs, a server far away.
func clocks() []check {
	takes := found(func(s server) []any { return []any{round(s.Trip)} })
	return []check{
		{"notify-keyspace-events", masters, []answer{{when: func(s server) bool { return s.Notifications.Value != "" }, level: Advice,
			found: "is %s", say: found(func(s server) []any { return []any{s.Notifications.Value} }),
			means: "it costs time with every write, and roundtable does not listen", do: `redis-cli CONFIG SET notify-keyspace-events "", unless something else needs it`}}},
		{"clock", reached, []answer{
			{when: func(s server) bool { return s.Skew.Abs() > skewLimit+s.Trip/2 }, level: Warning, found: "is %s %s this machine's",
				say: found(func(s server) []any {
					if s.Skew < 0 {
						return []any{round(s.Skew.Abs()), "behind"}
					}
					return []any{round(s.Skew), "ahead of"}
				}),
				means: "timers, reminders and leases go by Redis's clock: they come at the wrong time, and jump when a server with another clock takes over",
				do:    "keep all clocks right with NTP: timedatectl set-ntp true, or chrony"},
			{found: "is within a second of this machine's"},
		}},
		{"round trip", reached, []answer{
			{when: func(s server) bool { return s.Trip > tripFar }, level: Warning, found: "takes %s", say: takes,
				means: "a turn takes up to four of them, and Slack waits 3 s for an acknowledgement, which takes at least one", do: "run roundtable and Redis in the same zone"},
			{when: func(s server) bool { return s.Trip > tripLong }, level: Advice, found: "takes %s", say: takes,
				means: "a turn takes up to four of them", do: "run roundtable and Redis in the same zone"},
			{when: func(s server) bool { return s.Trip >= time.Millisecond }, found: "takes %s", say: takes},
			{found: "takes less than a millisecond"},
		}},
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

// judgeWatchers judges who can get at the sentinels of REDIS_URL.
func judgeWatchers(s storage.Survey) []Finding {
	if s.Sentinels == nil || len(s.Sentinels.Open) == 0 {
		return nil
	}
	f := Finding{Check: "sentinel password", Level: Advice, Found: "none is asked for", Where: s.Sentinels.Open,
		Means: "whoever reaches a sentinel can make a server of their own the master, and then " + opened,
		Do:    "set requirepass and sentinel sentinel-pass on every sentinel, and put it into REDIS_URL as sentinel_password"}
	if slices.ContainsFunc(s.Sentinels.Open, func(addr string) bool { return !(storage.Server{Addr: addr}).Local() }) {
		f.Level, f.Promises = Warning, broughtDown()
	}
	return []Finding{f}
}
