package storagetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Cluster starts a Redis Cluster of one node, which refuses scripts over several
// slots as a large one does.
func Cluster(t testing.TB) *Server {
	t.Helper()
	s := clusterNode(t)
	client := s.Client(t)
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeoutCause(context.Background(), startLimit, errors.New("the cluster did not come up in time"))
	defer cancel()
	if err := client.ClusterAddSlotsRange(ctx, 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	poll(ctx, t, func() bool {
		info, err := client.ClusterInfo(ctx).Result()
		return err == nil && strings.Contains(info, "cluster_state:ok")
	})
	s.direct = s.URL
	s.URL = strings.Replace(s.URL, "redis://", "redis+cluster://", 1)
	return s
}

// clusterNode starts a node that belongs to no cluster yet. Its bus has a port of
// its own choosing, because ten thousand more than ours may be no port at all.
func clusterNode(t testing.TB) *Server {
	t.Helper()
	bus := freePort(t)
	s := RedisTCP(t, "--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1", "--cluster-port", strconv.Itoa(bus),
		"--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0")
	s.bus = bus
	return s
}

// Sharded is a Redis Cluster of several masters that share the slots evenly, each
// with replicas.
type Sharded struct {
	// URL is what storage.Options.URL wants. It names every master, so that some are
	// found when others are gone.
	URL string
	// Masters are the nodes that had the slots at first; Replicas those of each.
	Masters  []*Server
	Replicas [][]*Server
}

// ClusterOf starts a cluster of masters with so many replicas each.
func ClusterOf(t testing.TB, masters, replicas int) *Sharded {
	t.Helper()
	s := &Sharded{Replicas: make([][]*Server, masters)}
	ctx, cancel := context.WithTimeoutCause(context.Background(), 3*startLimit, errors.New("the cluster did not come up in time"))
	defer cancel()
	var addrs []string
	for i := range masters {
		node := clusterNode(t)
		s.Masters = append(s.Masters, node)
		addrs = append(addrs, "127.0.0.1:"+strconv.Itoa(node.Port))
		node.command(ctx, t, "cluster", "addslotsrange", i*16384/masters, (i+1)*16384/masters-1)
		// Epochs of their own from the start: to settle collisions takes seconds.
		node.command(ctx, t, "cluster", "set-config-epoch", i+1)
		if i > 0 {
			node.meet(ctx, t, s.Masters[0])
		}
	}
	for i, master := range s.Masters {
		for range replicas {
			node := clusterNode(t)
			node.meet(ctx, t, s.Masters[0])
			s.Replicas[i] = append(s.Replicas[i], node)
			id := master.text(ctx, t, "cluster", "myid")
			poll(ctx, t, func() bool { return node.try(ctx, t, "cluster", "replicate", id) == nil })
		}
	}
	for _, node := range s.nodes() {
		poll(ctx, t, func() bool {
			known := strings.Count(node.text(ctx, t, "cluster", "nodes"), " connected")
			return strings.Contains(node.text(ctx, t, "cluster", "info"), "cluster_state:ok") && known == len(s.nodes())
		})
	}
	for _, node := range s.Masters {
		poll(ctx, t, func() bool {
			return strings.Contains(node.text(ctx, t, "info", "replication"), "connected_slaves:"+strconv.Itoa(replicas))
		})
	}
	s.URL = "redis+cluster://" + strings.Join(addrs, ",")
	return s
}

func (s *Sharded) nodes() []*Server {
	all := slices.Clone(s.Masters)
	for _, replicas := range s.Replicas {
		all = append(all, replicas...)
	}
	return all
}

// Server is the cluster as a Server, for what only wants a URL.
func (s *Sharded) Server() *Server { return &Server{URL: s.URL, Real: true} }

// Keys lists the keys of every master.
func (s *Sharded) Keys(t testing.TB, pattern string) [][]string {
	t.Helper()
	keys := make([][]string, len(s.Masters))
	for i, node := range s.Masters {
		client := node.Client(t)
		found, err := client.Keys(context.Background(), pattern).Result()
		if err := errors.Join(err, client.Close()); err != nil {
			t.Fatal(err)
		}
		keys[i] = found
	}
	return keys
}

// MoveSlot moves a slot with its keys from one master to another, as resharding
// does, one key at a time, while both serve. Between calls within, so that things
// can happen half way.
func (s *Sharded) MoveSlot(t testing.TB, slot, from, to int, between func(moved int)) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 3*startLimit, errors.New("the slot did not move in time"))
	defer cancel()
	source, target := s.Masters[from], s.Masters[to]
	sourceID, targetID := source.text(ctx, t, "cluster", "myid"), target.text(ctx, t, "cluster", "myid")
	target.command(ctx, t, "cluster", "setslot", slot, "importing", sourceID)
	source.command(ctx, t, "cluster", "setslot", slot, "migrating", targetID)
	client := source.Client(t)
	defer func() { _ = client.Close() }()
	for moved := 0; ; moved++ {
		keys, err := client.ClusterGetKeysInSlot(ctx, slot, 1).Result()
		if err != nil {
			t.Fatal(err)
		}
		if len(keys) == 0 {
			break
		}
		source.command(ctx, t, "migrate", "127.0.0.1", target.Port, keys[0], 0, 2000)
		between(moved)
	}
	for _, node := range []*Server{target, source} {
		node.command(ctx, t, "cluster", "setslot", slot, "node", targetID)
	}
}

// Slot returns the slot of the first of the keys (as Keys lists them) and the master
// that has it.
func (s *Sharded) Slot(t testing.TB, keys [][]string) (slot, master int) {
	t.Helper()
	for master, node := range s.Masters {
		if len(keys[master]) == 0 {
			continue
		}
		client := node.Client(t)
		slot, err := client.ClusterKeySlot(context.Background(), slices.Min(keys[master])).Result()
		if err := errors.Join(err, client.Close()); err != nil {
			t.Fatal(err)
		}
		return int(slot), master
	}
	t.Fatal("there are no keys")
	return 0, 0
}

// AwaitOK waits until a node sees all slots served again.
func (s *Sharded) AwaitOK(t testing.TB, by *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 3*startLimit, errors.New("the cluster did not recover in time"))
	defer cancel()
	poll(ctx, t, func() bool {
		info := by.text(ctx, t, "cluster", "info")
		return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_slots_ok:16384")
	})
}

// Set changes a setting of the running server.
func (s *Server) Set(t testing.TB, name, value string) {
	t.Helper()
	s.command(context.Background(), t, "config", "set", name, value)
}

// try runs a command on this very server.
func (s *Server) try(ctx context.Context, t testing.TB, args ...any) error {
	t.Helper()
	client := s.Client(t)
	return errors.Join(client.Do(ctx, args...).Err(), client.Close())
}

// command runs a command that must succeed.
func (s *Server) command(ctx context.Context, t testing.TB, args ...any) {
	t.Helper()
	if err := s.try(ctx, t, args...); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
}

// text runs a command that must answer with a text.
func (s *Server) text(ctx context.Context, t testing.TB, args ...any) string {
	t.Helper()
	client := s.Client(t)
	text, err := client.Do(ctx, args...).Text()
	if err := errors.Join(err, client.Close()); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return text
}

// meet makes a node known to another.
func (s *Server) meet(ctx context.Context, t testing.TB, other *Server) {
	t.Helper()
	s.command(ctx, t, "cluster", "meet", "127.0.0.1", other.Port, other.bus)
}
