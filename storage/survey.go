package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// clusterSlots is how many slots a Redis Cluster has.
const clusterSlots = 16384

// surveyDial bounds connecting to a server or sentinel that may be gone, so that
// one of them does not take all the time there is.
const surveyDial = 2 * time.Second

// surveyTrips is how many round trips the time of one is the median of.
const surveyTrips = 5

// Survey is what the servers behind a URL say of themselves. It changes nothing
// there; what can only be told by writing is Probe's.
type Survey struct {
	// Servers are the masters, each followed by its replicas. A cluster's replicas
	// come last. One that could not be asked has its Err set.
	Servers []Server
	// Sentinels is how the master is watched over, nil if it is not through
	// sentinels that we come.
	Sentinels *Sentinels
	// Cluster is nil outside a cluster.
	Cluster *Cluster
}

// Sentinels are the watchers over a master.
type Sentinels struct {
	// Asked are those of the URL, of which Answering answered.
	Asked, Answering int
	// Watching is how many there are by their own account, Quorum how many of them
	// must call the master dead.
	Watching, Quorum int
	// QuorumErr is why a sentinel thinks that no failover could happen.
	QuorumErr error
	// Open are the addresses of those that answer a client without a password: whoever
	// reaches one can make a server of their own the master.
	Open []string
}

// Cluster is the state of a Redis Cluster.
type Cluster struct {
	// OK is whether the cluster says that it serves.
	OK bool
	// Slots is how many of the 16384 slots a living server serves.
	Slots int
}

// Covered reports whether every slot is served.
func (c Cluster) Covered() bool { return c.OK && c.Slots == clusterSlots }

// Masters are the servers that take writes, or claim to.
func (s Survey) Masters() []Server {
	return slices.DeleteFunc(slices.Clone(s.Servers), func(x Server) bool { return x.Err != nil || x.Replica.Value })
}

// Survey asks the servers, over connections of its own, until ctx ends. An error
// means that none could be asked; it contains no credentials.
func (t Target) Survey(ctx context.Context) (Survey, error) {
	client := t.connect(newRuns())
	defer func() { _ = client.Close() }() // it only read
	var s Survey
	var err error
	if cluster, ok := client.(*redis.ClusterClient); ok {
		s, err = t.surveyCluster(ctx, cluster)
	} else {
		s, err = t.surveyMaster(ctx, client)
	}
	if err != nil {
		return s, fmt.Errorf("survey redis: %w", err)
	}
	return s, nil
}

// surveyMaster asks a server, the replicas that it names and the sentinels.
func (t Target) surveyMaster(ctx context.Context, client redis.UniversalClient) (Survey, error) {
	var s Survey
	if t.failover != nil {
		s.Sentinels = t.askSentinels(ctx)
	}
	master := t.askServer(ctx, client, t.masterAddr(ctx))
	if master.Err != nil {
		return s, master.Err
	}
	s.Servers = make([]Server, 1+len(master.Replicas))
	s.Servers[0] = master
	var asked sync.WaitGroup
	for i, f := range master.Replicas {
		asked.Go(func() { s.Servers[1+i] = t.askAt(ctx, f.Addr) })
	}
	asked.Wait()
	return s, nil
}

// masterAddr is where the master is, for people to read.
func (t Target) masterAddr(ctx context.Context) string {
	if t.failover == nil {
		return t.server.Addr
	}
	for _, addr := range t.failover.SentinelAddrs {
		sentinel := redis.NewSentinelClient(t.sentinel(addr))
		found, err := sentinel.GetMasterAddrByName(ctx, t.failover.MasterName).Result()
		_ = sentinel.Close()
		if err == nil && len(found) == 2 {
			return net.JoinHostPort(found[0], found[1])
		}
	}
	return t.failover.MasterName
}

// surveyCluster asks every server of a cluster at once.
func (t Target) surveyCluster(ctx context.Context, client *redis.ClusterClient) (Survey, error) {
	s := Survey{Cluster: &Cluster{}}
	info, err := t.clusterInfo(ctx)
	if err != nil {
		return s, err
	}
	s.Cluster.OK = infoField(info, "cluster_state") == "ok"
	s.Cluster.Slots, _ = strconv.Atoi(infoField(info, "cluster_slots_ok"))
	var mu sync.Mutex
	err = client.ForEachShard(ctx, func(ctx context.Context, node *redis.Client) error {
		server := t.askServer(ctx, node, node.Options().Addr)
		mu.Lock()
		defer mu.Unlock()
		s.Servers = append(s.Servers, server)
		return nil
	})
	if err != nil && s.Cluster.Slots > 0 {
		return s, err
	}
	slices.SortFunc(s.Servers, func(a, b Server) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Addr, b.Addr))
	})
	return s, nil
}

// rank sorts masters before replicas.
func (s Server) rank() int {
	if s.Replica.Value {
		return 1
	}
	return 0
}

// clusterInfo asks the first server of the URL that answers.
func (t Target) clusterInfo(ctx context.Context) (info string, err error) {
	for _, addr := range t.cluster.Addrs {
		node := redis.NewClient(t.plain(addr))
		info, err = node.ClusterInfo(ctx).Result()
		_ = node.Close()
		if err == nil {
			break
		}
	}
	return info, err
}

// askSentinels asks each sentinel of the URL.
func (t Target) askSentinels(ctx context.Context) *Sentinels {
	name := t.failover.MasterName
	s := &Sentinels{Asked: len(t.failover.SentinelAddrs)}
	for _, addr := range t.failover.SentinelAddrs {
		sentinel := redis.NewSentinelClient(t.sentinel(addr))
		master, err := sentinel.Master(ctx, name).Result()
		if err == nil {
			s.Answering++
			if open(ctx, t.sentinel(addr)).Value {
				s.Open = append(s.Open, addr)
			}
			others, _ := strconv.Atoi(master["num-other-sentinels"])
			s.Watching = max(s.Watching, others+1)
			s.Quorum, _ = strconv.Atoi(master["quorum"])
			if err := sentinel.CkQuorum(ctx, name).Err(); err != nil {
				s.QuorumErr = err
			}
		}
		_ = sentinel.Close()
	}
	return s
}

// askAt asks one server at an address that another named.
func (t Target) askAt(ctx context.Context, addr string) Server {
	client := redis.NewClient(t.plain(addr))
	defer func() { _ = client.Close() }()
	return t.askServer(ctx, client, addr)
}

// askServer asks a server at an address for all that Server holds.
func (t Target) askServer(ctx context.Context, client redis.UniversalClient, addr string) Server {
	s := Server{Addr: addr}
	// The first request also connects, so it measures nothing.
	if s.Err = client.Ping(ctx).Err(); s.Err != nil {
		return s
	}
	if info, err := client.Info(ctx).Result(); err == nil {
		s.readInfo(info)
	} else if !refused(err) {
		s.Err = err
		return s
	}
	settings := map[string]string{}
	for _, name := range settingNames {
		found, err := client.ConfigGet(ctx, name).Result()
		if refused(err) {
			s.ConfigErr = err
			break
		}
		if err != nil {
			s.Err = err
			return s
		}
		maps.Copy(settings, found)
	}
	s.readSettings(settings)
	t.readAccess(ctx, client, &s)
	s.readClock(ctx, client)
	return s
}

// readClock measures round trips and compares clocks.
func (s *Server) readClock(ctx context.Context, client redis.UniversalClient) {
	var trips, skews []time.Duration
	for range surveyTrips {
		sent := time.Now()
		theirs, err := client.Time(ctx).Result()
		if err != nil {
			s.Err = err
			return
		}
		trip := time.Since(sent)
		trips = append(trips, trip)
		skews = append(skews, theirs.Sub(sent.Add(trip/2)))
	}
	s.Trip, s.Skew = median(trips), median(skews)
}

// refused reports whether a server answered, and the answer is no.
func refused(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer) && !errors.Is(err, redis.Nil)
}

// plain are the options for one server of the target, with its credentials.
func (t Target) plain(addr string) *redis.Options {
	o := &redis.Options{}
	switch {
	case t.server != nil:
		*o = *t.server
	case t.failover != nil:
		o.Username, o.Password, o.DB, o.TLSConfig = t.failover.Username, t.failover.Password, t.failover.DB, t.failover.TLSConfig
	case t.cluster != nil:
		o.Username, o.Password, o.TLSConfig = t.cluster.Username, t.cluster.Password, t.cluster.TLSConfig
	}
	if o.Network = "tcp"; filepath.IsAbs(addr) {
		o.Network = "unix"
	}
	o.Addr, o.Dialer = addr, nil
	return single(o)
}

// sentinel are the options for one of the target's sentinels.
func (t Target) sentinel(addr string) *redis.Options {
	return single(&redis.Options{Addr: addr, Username: t.failover.SentinelUsername, Password: t.failover.SentinelPassword, TLSConfig: t.failover.TLSConfig})
}

// single are options for a few questions, none of which is repeated.
func single(o *redis.Options) *redis.Options {
	o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled, o.DisableIdentity, o.PoolSize = -1, 1, true, true, 1
	o.DialTimeout = surveyDial
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return o
}
