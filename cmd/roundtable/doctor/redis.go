package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/storage"
)

// redisChecks ask the servers behind REDIS_URL about themselves, then whether they take a
// write, and whose they are.
func redisChecks(c config.Config) []row {
	if c.RedisURL == "" {
		return []row{Finding{Check: "address", Level: Warning, Found: "REDIS_URL is not set or cannot be used, so Redis was not checked",
			Means: "serve does not start without it", Do: "set REDIS_URL or REDIS_URL_FILE"}}
	}
	rows := []row{check[storage.Survey]{name: "address", trouble: redisTrouble(), learn: func(ctx context.Context, x *visit) ([]storage.Survey, error) {
		_, err := x.survey(ctx)
		return nil, err
	}}}
	rows = append(rows, serverChecks()...)
	return append(rows,
		check[written]{name: "writing", learn: write, trouble: redisTrouble(), answers: []answer[written]{
			{when: func(w written) bool { return w.replicas > 0 }, found: "Redis accepted a write, confirmed by %d of the replicas, in %s",
				args: func(w written) []any { return []any{w.replicas, round(w.took)} }},
			{found: "Redis accepted a write in %s", args: func(w written) []any { return []any{round(w.took)} }},
		}},
		check[possession]{name: "workspace", learn: learnPossession, trouble: redisTrouble(), answers: []answer[possession]{
			{when: func(p possession) bool { return p.whose.Team == "" }, found: "belongs to no Slack workspace yet; it becomes that of the first replica that starts"},
			{when: func(p possession) bool { return p.team == "" }, found: "belongs to the Slack workspace %s; doctor could not tell which workspace the tokens belong to",
				args: func(p possession) []any { return []any{called(p.whose.Team)} }},
			{when: func(p possession) bool { return p.whose.Team != p.team }, say: func(p possession, f *Finding) { *f = Strangers(p.whose, p.team) }},
			{found: "belongs to the Slack workspace %s, as the tokens do", args: func(p possession) []any { return []any{called(p.team)} }},
		}})
}

// WarnOfRedis logs what the servers' settings do not keep of the promises.
func WarnOfRedis(ctx context.Context, c config.Config, log *slog.Logger) {
	x := newVisit(Subject{Config: c})
	defer x.slack.Close()
	limited, cancel := context.WithTimeoutCause(ctx, checkLimit, fmt.Errorf("no answer within %s", checkLimit))
	defer cancel()
	if _, err := x.survey(limited); err != nil {
		if ctx.Err() == nil {
			log.WarnContext(ctx, "redis settings not checked", "error", err)
		}
		return
	}
	for _, f := range examine(ctx, x, []section{{areaRedis, checkLimit, serverChecks()}}) {
		if f.Level >= Warning {
			log.WarnContext(ctx, "redis setting", "check", f.Check, "found", f.Found+f.at(), "means", f.Means+broken(f.Promises), "remedy", f.Do)
		}
	}
}

// written is how long a key took to be written, as a delivery would be, and how many
// replicas confirmed it.
type written struct {
	took     time.Duration
	replicas int
}

func write(ctx context.Context, x *visit) ([]written, error) {
	if _, err := x.survey(ctx); err != nil {
		return nil, nil // the check of the address says so
	}
	store, err := x.Store(ctx, x.Config)
	if err != nil {
		return nil, err
	}
	took, err := store.Probe(ctx)
	return []written{{took, x.Config.RedisReplicas}}, errors.Join(err, store.Close())
}

// possession is whose a store is, and the workspace that the bot token is of, empty if
// Slack does not say.
type possession struct {
	whose storage.Occupant
	team  string
}

// learnPossession only reads; to occupy a store is for those who work on it. That Redis
// or Slack does not answer is for other checks to say.
func learnPossession(ctx context.Context, x *visit) ([]possession, error) {
	if _, err := x.survey(ctx); err != nil {
		return nil, nil
	}
	store, err := x.Store(ctx, x.Config)
	if err != nil {
		return nil, nil
	}
	whose, err := store.Occupant(ctx)
	if err = errors.Join(err, store.Close()); err != nil {
		return nil, err
	}
	who, _ := x.identity(ctx)
	return []possession{{whose, who.TeamID}}, nil
}

// Strangers is what there is to say when a store belongs to another workspace than
// the one that the tokens are of.
func Strangers(whose storage.Occupant, ours string) Finding {
	return Finding{
		Level: Failure,
		Found: fmt.Sprintf("belongs to the Slack workspace %s, but these tokens belong to %s", called(whose.Team), called(ours)),
		Means: "two workspaces that share a Redis take each other's discussions and cannot post to them, so Roundtable does not start here",
		Do: fmt.Sprintf("give %s a Redis of its own or a database number of its own, such as redis://host:6379/1 (REDIS_URL, or --redis of the demo), "+
			"or a Cluster of its own, since a Cluster has no databases; if %s is gone for good, delete the key %s", ours, whose.Team, whose.Key),
	}
}

// called is a workspace's id, and a word with that of the demo, which people do not know.
func called(team string) string {
	if team == config.DemoTeam {
		return team + " (the demo's)"
	}
	return team
}

// redisTrouble is what answers of Redis and of the network mean, by a sign in them.
func redisTrouble() []answer[error] {
	const (
		waited  = "Redis does not answer in time"
		cluster = "redis-cli --cluster check, then --cluster fix"
	)
	with := func(sign, means, do string) answer[error] {
		return answer[error]{when: func(err error) bool { return strings.Contains(err.Error(), sign) }, means: means, do: do}
	}
	return []answer[error]{
		with(storage.ErrNotDurable.Error(), "Redis does not confirm writes, so Roundtable acknowledges nothing and stands still", "start the missing replicas, or lower --redis-replicas"),
		with("NOREPLICAS", "fewer replicas are connected than min-replicas-to-write, so Redis refuses every write", "start the missing replicas, or lower min-replicas-to-write"),
		with("WRONGPASS", "Redis refuses the user or the password", "correct REDIS_URL; write a special character of the password as %XX"),
		with("NOAUTH", "Redis requires a password", "put the user and the password into REDIS_URL: redis://user:password@host"),
		with("NOPERM", "the user of REDIS_URL may not do what Roundtable does", "redis-cli ACL SETUSER <user> "+RedisRights),
		with("READONLY", "this server is a replica, which takes no writes", "put the master's address into REDIS_URL, or that of the sentinels: redis+sentinel://host:26379?master=name"),
		with("OOM", "memory is full, so Redis refuses every write, and Roundtable acknowledges nothing until there is room", "raise maxmemory, or delete other data in this Redis"),
		with("MISCONF", "Redis cannot write its snapshot to disk and refuses every write", room),
		with("LOADING", "Redis is loading its files and answers nothing until it is done", "wait; INFO persistence says how far it is"),
		with("CLUSTERDOWN", "the cluster does not serve all of its slots", cluster),
		with("cluster support disabled", "this server is not part of a cluster", "write redis:// instead of redis+cluster://"),
		with("MASTERDOWN", "the server has lost its master", "start the master, or fail over"),
		with("all sentinels specified", "no sentinel in REDIS_URL answers and knows a master of that name", "correct REDIS_URL; SENTINEL masters on a sentinel lists the names"),
		with("no such host", "this machine does not know the host's name", "correct the host in REDIS_URL"),
		with("connection refused", "no server listens at this address", "start Redis, or correct the host and port in REDIS_URL"),
		with("first record does not look like a TLS handshake", "the server does not speak TLS on this port", "write redis:// instead of rediss://, or use the TLS port"),
		with("certificate", "this machine does not accept the server's certificate", "use the host name in the certificate, or install the certificate of its authority"),
		with("deadline exceeded", waited, "see whether the host and port are right, whether a firewall drops the packets, and whether the port speaks TLS if REDIS_URL says rediss://"),
		with("i/o timeout", waited, "see whether the host and port are right, and whether a firewall drops the packets"),
		with("no answer within", waited, "see whether Redis is busy: redis-cli SLOWLOG GET, and its log"),
		with("EOF", "the server closes the connection; it may require TLS", "write rediss:// instead of redis://"),
		{means: "Roundtable cannot work with this Redis", do: "see whether Redis runs and can be reached from here: redis-cli -h <host> -p <port> ping"},
	}
}
