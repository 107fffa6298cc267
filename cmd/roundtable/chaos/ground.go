package chaos

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/storage/storagetest"
)

// Mode is a Redis and what befalls it.
type Mode string

// The modes.
const (
	// Restarts is one server with an append-only file that is killed and started
	// again.
	Restarts Mode = "restarts"
	// Failovers is a master with two replicas under a sentinel, whose confirmation
	// is waited for (--redis-replicas 1). Replication stalls, then the master is
	// killed.
	Failovers Mode = "failovers"
	// Unconfirmed is the same without waiting for confirmation. It loses what Redis
	// acknowledged and had not copied, and so must be expected to break promises:
	// what it breaks is told, not held against anybody.
	Unconfirmed Mode = "unconfirmed"
	// Hostile is the server of Restarts, left in peace unless the plan has kills, and a
	// directory of documents, while rogues do what they can to the team. Slack enforces
	// the rates that it documents.
	Hostile Mode = "hostile"
)

// Modes lists all modes.
func Modes() []Mode { return []Mode{Restarts, Failovers, Unconfirmed, Hostile} }

// ground is the Redis of a campaign.
type ground struct {
	mode Mode
	// url is what the replicas get; confirm how many replicas of Redis must confirm.
	url     string
	confirm int
	client  redis.UniversalClient
	// artifacts is the directory that keeps the documents; empty: Redis keeps them.
	artifacts string

	nodes    []*storagetest.Server
	sentinel *storagetest.Server
}

// stall is how long replication stands still before the master is killed: longer
// than the confirmations are waited for.
const stall = 1200 * time.Millisecond

func newGround(t testing.TB, mode Mode) *ground {
	t.Helper()
	g := &ground{mode: mode}
	if mode == Hostile {
		g.artifacts = t.TempDir()
	}
	if g.single() {
		s := storagetest.Redis(t, "--appendonly", "yes", "--appendfsync", "everysec")
		g.nodes, g.url, g.client = []*storagetest.Server{s}, s.URL, s.Client(t)
	} else {
		if mode == Failovers {
			g.confirm = 1
		}
		master := storagetest.RedisTCP(t, "--repl-diskless-sync-delay", "0", "--appendonly", "yes")
		follow := []string{"--repl-diskless-sync-delay", "0", "--appendonly", "yes", "--replicaof", "127.0.0.1", strconv.Itoa(master.Port)}
		first := storagetest.RedisTCP(t, follow...)
		g.sentinel = storagetest.Sentinel(t, master)
		g.nodes = []*storagetest.Server{master, first, storagetest.RedisTCP(t, follow...)}
		g.url = g.sentinel.URL
		g.client = redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: "main", SentinelAddrs: []string{net.JoinHostPort("127.0.0.1", strconv.Itoa(g.sentinel.Port))},
		})
		g.introduce(t)
	}
	t.Cleanup(func() { _ = g.client.Close() })
	return g
}

// single reports whether there is one server only.
func (g *ground) single() bool { return g.mode == Restarts || g.mode == Hostile }

// introduce makes the sentinel look for replicas at once, instead of within ten
// seconds, and waits until it knows both.
func (g *ground) introduce(t testing.TB) {
	t.Helper()
	g.await(t, "two replicas follow the master", func(ctx context.Context) bool { return g.follow(ctx, t) == 2 })
	c := g.sentinel.Client(t)
	defer func() { _ = c.Close() }()
	if err := c.Do(context.Background(), "sentinel", "reset", "main").Err(); err != nil {
		t.Fatal(err)
	}
	g.await(t, "the sentinel knows both replicas", func(ctx context.Context) bool {
		replicas, err := c.Do(ctx, "sentinel", "replicas", "main").Slice()
		return err == nil && len(replicas) == 2
	})
}

// await waits for a real server, with a bound.
func (g *ground) await(t testing.TB, what string, holds func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 180*time.Second, errors.New("Redis took too long"))
	defer cancel()
	if err := until(ctx, what, 20*time.Millisecond, func() bool { return holds(ctx) }); err != nil {
		t.Fatal(err)
	}
}

// follow is how many replicas follow the master that the sentinel names.
func (g *ground) follow(ctx context.Context, t testing.TB) int {
	m := g.master(ctx, t)
	if m == nil {
		return 0
	}
	c := m.Client(t)
	defer func() { _ = c.Close() }()
	info := c.InfoMap(ctx, "replication").Val()["Replication"]
	n := 0
	for _, each := range []string{"slave0", "slave1"} {
		if strings.Contains(info[each], "state=online") {
			n++
		}
	}
	if info["role"] != "master" {
		return 0
	}
	return n
}

// master is the node that the sentinel names, or nil.
func (g *ground) master(ctx context.Context, t testing.TB) *storagetest.Server {
	c := g.sentinel.Client(t)
	defer func() { _ = c.Close() }()
	addr, err := c.Do(ctx, "sentinel", "get-master-addr-by-name", "main").StringSlice()
	if err != nil || len(addr) != 2 {
		return nil
	}
	for _, n := range g.nodes {
		if strconv.Itoa(n.Port) == addr[1] {
			return n
		}
	}
	return nil
}

// upset restarts the server or makes the sentinel replace the master, and returns
// what it did. It does nothing while an earlier upset has not been got over.
func (g *ground) upset(t testing.TB) string {
	t.Helper()
	if g.single() {
		g.nodes[0].Kill()
		g.nodes[0].Start(t)
		return "Redis kill -9 and restart from its append-only file"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if g.follow(ctx, t) != 2 {
		return ""
	}
	old := g.master(ctx, t)
	if old == nil {
		return ""
	}
	for _, n := range g.nodes {
		if n != old {
			n.Stop(t)
		}
	}
	<-time.After(stall)
	old.Kill()
	for _, n := range g.nodes {
		if n != old {
			n.Continue(t)
		}
	}
	g.await(t, "the sentinel has chosen another master", func(ctx context.Context) bool {
		m := g.master(ctx, t)
		return m != nil && m != old
	})
	old.Start(t)
	return "Redis failover after stalled replication (kill -9 of the master)"
}

// heal waits until Redis is whole again.
func (g *ground) heal(t testing.TB) {
	t.Helper()
	if !g.single() {
		g.await(t, "two replicas follow the master", func(ctx context.Context) bool { return g.follow(ctx, t) == 2 })
	}
}
