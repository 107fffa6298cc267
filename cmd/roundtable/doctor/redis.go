package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/cmd/roundtable/config"
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
func examineRedis(ctx context.Context, x Subject) []Finding {
	if x.Config.RedisURL == "" {
		return []Finding{{Check: "address", Level: Warning, Found: "REDIS_URL is not set, or cannot be used; nothing was checked",
			Means: "serve does not start without it", Do: "set REDIS_URL, or REDIS_URL_FILE"}}
	}
	found, err := examineServers(ctx, x.Config)
	if err != nil {
		return []Finding{redisTrouble("address", err)}
	}
	found = append(found, examineWriting(ctx, x))
	return append(found, examineOccupant(ctx, x)...)
}

// examineServers says which promises the servers' settings do not keep. serve
// logs it when it starts.
func examineServers(ctx context.Context, c config.Config) ([]Finding, error) {
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

// WarnOfRedis logs what the servers' settings do not keep of the promises.
func WarnOfRedis(ctx context.Context, c config.Config, log *slog.Logger) {
	found, err := examineServers(ctx, c)
	if err != nil {
		if ctx.Err() == nil {
			log.WarnContext(ctx, "redis settings not checked", "error", err)
		}
		return
	}
	for _, f := range found {
		if f.Level >= Warning {
			log.WarnContext(ctx, "redis setting", "check", f.Check, "found", f.Found+f.at(), "means", f.Means+broken(f.Promises), "remedy", f.Do)
		}
	}
}

// judgeSurvey judges every server and how they stand together. replicas is how
// many must confirm a write.
func judgeSurvey(s storage.Survey, replicas int) []Finding {
	var out []Finding
	for _, x := range s.Servers {
		out = append(out, judgeServer(server{Server: x, among: s, want: replicas})...)
	}
	out = append(out, judgeSentinels(s)...)
	out = append(out, judgeWatchers(s)...)
	out = append(out, judgeCluster(s)...)
	return merged(out, len(s.Servers))
}

// examineWriting writes a key, as a delivery would be written.
func examineWriting(ctx context.Context, x Subject) Finding {
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	store, err := x.Store(ctx, x.Config)
	if err != nil {
		return redisTrouble("writing", err)
	}
	defer func() { _ = store.Close() }() // nothing of it is needed any more
	took, err := store.Probe(ctx)
	if err != nil {
		return redisTrouble("writing", err)
	}
	found := fmt.Sprintf("a write was accepted in %s", round(took))
	if x.Config.RedisReplicas > 0 {
		found = fmt.Sprintf("a write was accepted and confirmed by %d of the replicas in %s", x.Config.RedisReplicas, round(took))
	}
	return Finding{Check: "writing", Found: found}
}

// remedy says what an error with a sign in it means.
type remedy struct{ sign, means, do string }

// remedies are for answers of Redis and of the network. The first that fits is taken.
var remedies = []remedy{
	{storage.ErrNotDurable.Error(), "whatever waits for replicas is refused: nothing is acknowledged, and roundtable stands still", "start the replicas that are missing, or lower --redis-replicas"},
	{"NOREPLICAS", "fewer replicas are in touch than min-replicas-to-write, so Redis refuses every write", "start the replicas that are missing, or lower min-replicas-to-write"},
	{"WRONGPASS", "Redis refuses the user or the password", "correct REDIS_URL; a special character of the password is written as %XX"},
	{"NOAUTH", "Redis wants a password", "put user and password into REDIS_URL: redis://user:password@host"},
	{"NOPERM", "the user of REDIS_URL may not do what roundtable does", "ACL SETUSER <user> " + RedisRights},
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
func redisTrouble(check string, err error) Finding {
	f := Finding{Check: check, Level: Failure, Found: err.Error(), Means: "roundtable cannot work with this Redis", Do: "see whether Redis runs and can be reached from here: redis-cli -h <host> -p <port> ping"}
	for _, r := range remedies {
		if strings.Contains(f.Found, r.sign) {
			f.Means, f.Do = r.means, r.do
			break
		}
	}
	return f
}

// examineOccupant says whether Redis belongs to the workspace that the bot token is
// of. It only reads; to occupy a store is for those who work on it. What it means
// that nobody answers is said by examineWriting and examineSlack.
func examineOccupant(ctx context.Context, x Subject) []Finding {
	const check = "workspace"
	team := teamOf(ctx, x.Config)
	ctx, cancel := context.WithTimeoutCause(ctx, probeLimit, fmt.Errorf("no answer within %s", probeLimit))
	defer cancel()
	store, err := x.Store(ctx, x.Config)
	if err != nil {
		return nil
	}
	defer func() { _ = store.Close() }() // it has only been read
	whose, err := store.Occupant(ctx)
	switch {
	case err != nil:
		return []Finding{redisTrouble(check, err)}
	case whose.Team == "":
		return []Finding{{Check: check, Found: "belongs to no Slack workspace yet; it becomes that of the first replica that starts"}}
	case team == "":
		return []Finding{{Check: check, Found: fmt.Sprintf("belongs to the Slack workspace %s; which one the tokens are of is not known", called(whose.Team))}}
	case whose.Team != team:
		f := Strangers(whose, team)
		f.Check = check
		return []Finding{f}
	}
	return []Finding{{Check: check, Found: fmt.Sprintf("belongs to the Slack workspace %s, which the tokens are of", called(team))}}
}

// teamOf is the workspace that the bot token is of, empty if Slack does not say.
func teamOf(ctx context.Context, c config.Config) string {
	if c.BotToken == "" {
		return ""
	}
	checkup := bot.NewCheckup(bot.CheckupOptions{APIURL: c.SlackAPIURL, BotToken: c.BotToken, AppToken: c.AppToken})
	defer checkup.Close()
	ctx, cancel := bounded(ctx)
	defer cancel()
	who, err := checkup.Identity(ctx)
	if err != nil {
		return ""
	}
	return who.TeamID
}

// Strangers is what there is to say when a store belongs to another workspace than
// the one that the tokens are of.
func Strangers(whose storage.Occupant, ours string) Finding {
	return Finding{
		Level: Failure,
		Found: fmt.Sprintf("belongs to the Slack workspace %s, and these tokens are of %s", called(whose.Team), called(ours)),
		Means: "two workspaces that share a Redis take each other's discussions and cannot post to them, so nothing starts here",
		Do: fmt.Sprintf("give %s a Redis of its own or a database number of its own, such as redis://host:6379/1 (REDIS_URL; --redis of the demo), "+
			"or a Cluster of its own, since a Cluster has no databases; if %s is gone for good, delete the key %s", ours, whose.Team, whose.Key),
	}
}

// called is a workspace's id; the demo's is nobody's to recognise.
func called(team string) string {
	if team == config.DemoTeam {
		return team + " (the demo's)"
	}
	return team
}
