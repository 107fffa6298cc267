package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/storage"
)

// surveyLimit bounds what servers are asked of themselves; probeLimit the writing of
// a key, which waits for replicas, and then the reading of one. None takes the
// others' time.
const (
	surveyLimit = 10 * time.Second
	probeLimit  = 5 * time.Second
)

// examineRedis asks the servers behind REDIS_URL about themselves, then whether they
// take a write, and whose they are.
func examineRedis(ctx context.Context, c config) []finding {
	if c.RedisURL == "" {
		return []finding{{Check: "address", Level: warning, Found: "REDIS_URL is not set, or cannot be used; nothing was checked",
			Means: "serve does not start without it", Do: "set REDIS_URL, or REDIS_URL_FILE"}}
	}
	redis.SetLogger(redisLog{slog.New(slog.DiscardHandler)})
	found, err := examineDurability(ctx, c)
	if err != nil {
		return []finding{redisTrouble("address", err)}
	}
	found = append(found, examineWriting(ctx, c))
	return append(found, examineOccupant(ctx, c)...)
}

// examineDurability says which promises the servers' settings do not keep. serve
// logs it when it starts.
func examineDurability(ctx context.Context, c config) ([]finding, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, surveyLimit, fmt.Errorf("no answer within %s", surveyLimit))
	defer cancel()
	target, err := storage.ParseURL(c.RedisURL)
	if err != nil {
		return nil, err
	}
	survey, err := target.Survey(ctx)
	if err != nil {
		return nil, err
	}
	return judgeSurvey(survey, c.RedisReplicas), nil
}

// warnOfRedis logs what the servers' settings do not keep of the promises.
func warnOfRedis(ctx context.Context, c config, log *slog.Logger) {
	found, err := examineDurability(ctx, c)
	if err != nil {
		if ctx.Err() == nil {
			log.WarnContext(ctx, "redis settings not checked", "error", err)
		}
		return
	}
	for _, f := range found {
		if f.Level >= warning {
			log.WarnContext(ctx, "redis setting", "check", f.Check, "found", f.Found+f.at(), "means", f.Means+broken(f.Promises), "remedy", f.Do)
		}
	}
}

// judgeSurvey judges every server and how they stand together. replicas is how
// many must confirm a write.
func judgeSurvey(s storage.Survey, replicas int) []finding {
	var out []finding
	for _, x := range s.Servers {
		out = append(out, judgeServer(x, s, replicas)...)
	}
	out = append(out, judgeSentinels(s)...)
	out = append(out, judgeCluster(s)...)
	return merged(out, len(s.Servers))
}

// judgeServer judges one server.
func judgeServer(x storage.Server, s storage.Survey, replicas int) []finding {
	e := serverExam{server: x}
	switch {
	case x.Err != nil:
		e.say(finding{Check: "server", Level: warning, Found: "could not be asked: " + x.Err.Error(),
			Means: "its settings are unknown; after a failover it may be the master", Do: "start it, or run doctor where it can be reached"})
	case x.Silent():
		e.say(finding{Check: "settings", Level: advice, Found: "the server says nothing of itself, like the embedded one of the demo",
			Means: "nothing is known of what it keeps when it restarts", Do: "for production use Redis or Valkey"})
		e.clock()
	case x.Replica.Value:
		e.version()
		e.persistence(replicas)
		e.disk()
		e.memory()
		e.following()
		e.clock()
	default:
		e.version()
		e.config()
		e.persistence(replicas)
		e.disk()
		e.memory()
		e.replication(s, replicas)
		e.notifications()
		e.clock()
	}
	return e.found
}

// serverExam gathers what is found of one server.
type serverExam struct {
	server storage.Server
	found  []finding
}

func (e *serverExam) say(f finding) {
	f.Where = []string{e.server.Addr}
	e.found = append(e.found, f)
}

// The oldest version that the scripts are made for.
const oldestMajor, oldestMinor = 6, 2

func (e *serverExam) version() {
	switch v := e.server.Version; {
	case e.server.Older(oldestMajor, oldestMinor):
		e.say(finding{Check: "version", Level: failure, Found: "Redis " + v.Value, Means: "it is older than the scripts are made for",
			Do: fmt.Sprintf("upgrade to %d.%d or later", oldestMajor, oldestMinor)})
	case v.Known:
		e.say(finding{Check: "version", Found: "Redis " + v.Value})
	}
}

// config says that something could not be read.
func (e *serverExam) config() {
	if e.server.ConfigErr == nil {
		return
	}
	e.say(finding{Check: "CONFIG", Level: advice, Found: "CONFIG GET is refused, as managed services do: " + e.server.ConfigErr.Error(),
		Means: "appendfsync, save, min-replicas-to-write and repl-diskless-load are unknown, so nothing is said of them",
		Do:    "allow the user of REDIS_URL +config|get, or look in the service's console: appendonly yes, appendfsync everysec, and with replicas min-replicas-to-write 1"})
}

// notifications are nothing that we use.
func (e *serverExam) notifications() {
	if n := e.server.Notifications; n.Value != "" {
		e.say(finding{Check: "notify-keyspace-events", Level: advice, Found: "is " + n.Value,
			Means: "it costs time with every write, and roundtable does not listen", Do: `redis-cli CONFIG SET notify-keyspace-events "", unless something else needs it`})
	}
}

// What a clock and a round trip may be.
const (
	skewLimit = time.Second
	tripLong  = 5 * time.Millisecond
	tripFar   = 100 * time.Millisecond
)

func (e *serverExam) clock() {
	skew, trip := e.server.Skew, e.server.Trip
	direction := "ahead of"
	if skew < 0 {
		direction = "behind"
	}
	if skew.Abs() > skewLimit+trip/2 {
		e.say(finding{Check: "clock", Level: warning, Found: fmt.Sprintf("is %s %s this machine's", round(skew.Abs()), direction),
			Means: "timers, reminders and leases go by Redis's clock: they come at the wrong time, and jump when a server with another clock takes over",
			Do:    "keep all clocks right with NTP: timedatectl set-ntp true, or chrony"})
	} else {
		e.say(finding{Check: "clock", Found: "is within a second of this machine's"})
	}
	f := finding{Check: "round trip", Found: "takes less than a millisecond"}
	if trip >= time.Millisecond {
		f.Found = "takes " + round(trip).String()
	}
	if trip > tripLong {
		f.Level, f.Means = advice, "a turn takes up to four of them"
		f.Do = "run roundtable and Redis in the same zone"
	}
	if trip > tripFar {
		f.Level, f.Means = warning, "a turn takes up to four of them, and Slack waits 3 s for an acknowledgement, which takes at least one"
	}
	e.say(f)
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

// examineWriting writes a key, as a delivery would be written.
func examineWriting(ctx context.Context, c config) finding {
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	store, err := openStore(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return redisTrouble("writing", err)
	}
	defer func() { _ = store.Close() }() // nothing of it is needed any more
	took, err := store.Probe(ctx)
	if err != nil {
		return redisTrouble("writing", err)
	}
	found := fmt.Sprintf("a write was accepted in %s", round(took))
	if c.RedisReplicas > 0 {
		found = fmt.Sprintf("a write was accepted and confirmed by %d of the replicas in %s", c.RedisReplicas, round(took))
	}
	return finding{Check: "writing", Found: found}
}

// remedy says what an error with a sign in it means.
type remedy struct{ sign, means, do string }

// remedies are for answers of Redis and of the network. The first that fits is taken.
var remedies = []remedy{
	{storage.ErrNotDurable.Error(), "whatever waits for replicas is refused: nothing is acknowledged, and roundtable stands still", "start the replicas that are missing, or lower --redis-replicas"},
	{"NOREPLICAS", "fewer replicas are in touch than min-replicas-to-write, so Redis refuses every write", "start the replicas that are missing, or lower min-replicas-to-write"},
	{"WRONGPASS", "Redis refuses the user or the password", "correct REDIS_URL; a special character of the password is written as %XX"},
	{"NOAUTH", "Redis wants a password", "put user and password into REDIS_URL: redis://user:password@host"},
	{"NOPERM", "the user of REDIS_URL may not do what roundtable does", "ACL SETUSER <user> ~{rt1:* &* +@read +@write +@scripting +@connection +wait +info +time +config|get +cluster"},
	{"READONLY", "this server is a replica, which takes no writes", "put the master's address into REDIS_URL, or that of the sentinels: redis+sentinel://host:26379?master=name"},
	{"OOM", "memory is full and Redis refuses every write; nothing is acknowledged until there is room", "raise maxmemory, or delete what else is stored there"},
	{"MISCONF", "Redis cannot write its snapshot to disk and refuses every write", "make room on the disk or repair it; Redis's log says what is wrong"},
	{"LOADING", "Redis is reading its files and answers nothing until then", "wait until it has; INFO persistence says how far it is"},
	{"CLUSTERDOWN", "the cluster does not serve all of its slots", "redis-cli --cluster check, then --cluster fix"},
	{"cluster support disabled", "this server is no cluster", "write redis:// instead of redis+cluster://"},
	{"MASTERDOWN", "the server has lost its master", "start the master, or fail over"},
	{"all sentinels specified", "no sentinel of REDIS_URL knows a master of that name, or none answers", "correct REDIS_URL; SENTINEL masters on a sentinel lists the names"},
	{"no such host", "the name of the host is not known here", "correct the host in REDIS_URL"},
	{"connection refused", "nobody listens there", "start Redis, or correct host and port in REDIS_URL"},
	{"first record does not look like a TLS handshake", "the server does not speak TLS on this port", "write redis:// instead of rediss://, or use the TLS port"},
	{"certificate", "the server's certificate is not accepted", "use the host's name that stands in the certificate, or install its authority"},
	{"deadline exceeded", "nobody answers in time", "see whether host and port are right, whether a firewall drops the packets, and whether the port speaks TLS if REDIS_URL says rediss://"},
	{"i/o timeout", "nobody answers in time", "see whether host and port are right, and whether a firewall drops the packets"},
	{"no answer within", "nobody answers in time", "see whether Redis is busy: redis-cli SLOWLOG GET, and its log"},
	{"EOF", "the server closes the connection; it may want TLS", "write rediss:// instead of redis://"},
}

// redisTrouble is a failure of Redis in words.
func redisTrouble(check string, err error) finding {
	f := finding{Check: check, Level: failure, Found: err.Error(), Means: "roundtable cannot work with this Redis", Do: "see whether Redis runs and can be reached from here: redis-cli -h <host> -p <port> ping"}
	for _, r := range remedies {
		if strings.Contains(f.Found, r.sign) {
			f.Means, f.Do = r.means, r.do
			break
		}
	}
	return f
}
