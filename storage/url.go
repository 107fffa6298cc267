package storage

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// Target is where a Redis URL points: one of a server, a master found through
// sentinels, or a cluster.
type Target struct {
	server   *redis.Options
	failover *redis.FailoverOptions
	cluster  *redis.ClusterOptions
}

// ParseURL reads a Redis URL. The forms are
//
//	redis://[user:password@]host[:port][/db]
//	rediss://…                                           the same over TLS
//	unix://[user:password@]/path/to/socket[?db=n]
//	redis+sentinel://[user:password@]host:port[,host:port…][/db]?master=name
//	redis+cluster://[user:password@]host:port[,host:port…]
//	redis://…?addr=host:port[&addr=…]                    a cluster, as go-redis has it
//
// and rediss+sentinel, rediss+cluster. The options that go-redis knows for a form
// may follow as query parameters. User and password are those of the data servers;
// sentinel_username and sentinel_password those of the sentinels. Errors say what
// is wrong but repeat nothing of the URL, since a password with an unescaped
// character may turn up in any part of it.
func ParseURL(raw string) (Target, error) {
	raw, hosts := takeHosts(raw)
	u, err := url.Parse(raw)
	if err != nil {
		// The cause quotes the URL.
		return Target{}, errors.New("the Redis URL cannot be read; is a special character of the password not written as %XX?")
	}
	kind := ""
	if scheme, rest, ok := strings.Cut(u.Scheme, "+"); ok {
		u.Scheme, kind = scheme, rest
	}
	switch {
	case u.Scheme != "redis" && u.Scheme != "rediss" && u.Scheme != "unix",
		u.Scheme == "unix" && kind != "",
		kind != "" && kind != "sentinel" && kind != "cluster":
		return Target{}, errors.New("the Redis URL must begin with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://")
	case hosts != "" && kind == "":
		return Target{}, errors.New("several hosts need redis+sentinel:// or redis+cluster://")
	case u.Scheme != "unix" && u.Host == "":
		return Target{}, errors.New("the Redis URL names no host")
	case u.Fragment != "":
		return Target{}, errors.New("the Redis URL contains a #; in a password it is written as %23")
	case u.Scheme == "unix" && strings.Contains(u.Path, "@"):
		// With a slash too many a password would be taken for a part of the path, and
		// be shown with it.
		return Target{}, errors.New("the path of the Redis URL contains an @; user and password stand before it, as in unix://user:password@/path")
	}
	switch {
	case kind == "sentinel":
		return parseSentinel(u, hosts)
	case kind == "cluster" || u.Query().Has("addr"):
		return parseCluster(u, hosts)
	}
	o, err := redis.ParseURL(raw)
	if err != nil {
		return Target{}, errors.New("the Redis URL has a path that is no database number, or an option that is unknown or has a bad value")
	}
	return Target{server: o}, nil
}

func parseSentinel(u *url.URL, hosts string) (Target, error) {
	query := u.Query()
	master := query.Get("master")
	if master == "" {
		return Target{}, errors.New("a redis+sentinel:// URL needs ?master=<name>")
	}
	if len(query) > 3 || len(query) != 1+present(query, "sentinel_username")+present(query, "sentinel_password") {
		return Target{}, errors.New("a redis+sentinel:// URL takes the options master, sentinel_username and sentinel_password")
	}
	db := 0
	if path := strings.Trim(u.Path, "/"); path != "" {
		var err error
		if db, err = strconv.Atoi(path); err != nil || db < 0 {
			return Target{}, errors.New("the path of the Redis URL is no database number")
		}
	}
	addrs, err := addresses(cmp.Or(hosts, u.Host), "26379")
	if err != nil {
		return Target{}, err
	}
	o := &redis.FailoverOptions{
		MasterName: master, SentinelAddrs: addrs, DB: db,
		SentinelUsername: query.Get("sentinel_username"), SentinelPassword: query.Get("sentinel_password"),
	}
	if u.User != nil {
		o.Username = u.User.Username()
		o.Password, _ = u.User.Password()
	}
	if u.Scheme == "rediss" {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return Target{failover: o}, nil
}

func present(q url.Values, name string) int {
	if q.Has(name) {
		return 1
	}
	return 0
}

func parseCluster(u *url.URL, hosts string) (Target, error) {
	if strings.Trim(u.Path, "/") != "" {
		return Target{}, errors.New("a Redis Cluster has no database numbers")
	}
	addrs, err := addresses(cmp.Or(hosts, u.Host), "6379")
	if err != nil {
		return Target{}, err
	}
	one := *u
	one.Host, one.Path = addrs[0], ""
	o, err := redis.ParseClusterURL(one.String())
	if err != nil {
		return Target{}, errors.New("the Redis URL has an option that is unknown or has a bad value")
	}
	if len(o.Addrs) > 1 { // from ?addr=
		more, err := addresses(strings.Join(o.Addrs[1:], ","), "6379")
		if err != nil {
			return Target{}, err
		}
		addrs = append(addrs, more...)
	}
	o.Addrs = addrs
	return Target{cluster: o}, nil
}

// takeHosts puts a name in the place of a list of hosts, which no URL may contain,
// and returns the list, or nothing if there is none.
func takeHosts(raw string) (rest, hosts string) {
	scheme, after, found := strings.Cut(raw, "://")
	if !found {
		return raw, ""
	}
	end := strings.IndexAny(after, "/?#")
	if end < 0 {
		end = len(after)
	}
	begin := strings.LastIndexByte(after[:end], '@') + 1
	if !strings.Contains(after[begin:end], ",") {
		return raw, ""
	}
	return scheme + "://" + after[:begin] + "hosts" + after[end:], after[begin:end]
}

// addresses splits a list of hosts.
func addresses(hosts, port string) ([]string, error) {
	var out []string
	for host := range strings.SplitSeq(hosts, ",") {
		if !strings.Contains(host, ":") || strings.HasSuffix(host, "]") {
			host = net.JoinHostPort(strings.Trim(host, "[]"), port)
		}
		name, number, err := net.SplitHostPort(host)
		if _, bad := strconv.ParseUint(number, 10, 16); err != nil || bad != nil || name == "" {
			return nil, errors.New("an address in the Redis URL is not host:port")
		}
		out = append(out, host)
	}
	return out, nil
}

// connect makes a client. It repeats nothing by itself: a repetition must carry the
// same operation id, which only the store knows. Run ids are noted in runs.
func (t Target) connect(known *runs) redis.UniversalClient {
	silent := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch {
	case t.failover != nil:
		o := *t.failover
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = -1, 1, true, true
		o.OnConnect = known.onConnect("")
		return redis.NewFailoverClient(&o)
	case t.cluster != nil:
		o := *t.cluster
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = -1, 1, true, true
		o.MaintNotificationsConfig = silent
		o.NewClient = func(node *redis.Options) *redis.Client {
			node.OnConnect = known.onConnect(node.Addr)
			return redis.NewClient(node)
		}
		return redis.NewClusterClient(&o)
	default:
		o := *t.server
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity = -1, 1, true, true
		o.OnConnect, o.MaintNotificationsConfig = known.onConnect(""), silent
		return redis.NewClient(&o)
	}
}

// String describes the target without its credentials.
func (t Target) String() string {
	switch {
	case t.failover != nil:
		return fmt.Sprintf("sentinels %s for %s", strings.Join(t.failover.SentinelAddrs, ","), t.failover.MasterName)
	case t.cluster != nil:
		return "cluster " + strings.Join(t.cluster.Addrs, ",")
	case t.server != nil:
		return t.server.Addr
	}
	return "nowhere"
}
