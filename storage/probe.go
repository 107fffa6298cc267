package storage

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/probe.lua
var probeLua string

var probeScript = newScript("probe", probeLua)

// probeLife is how long a probe's key stays.
const probeLife = 10 * time.Second

// Probe runs a script on every master that writes a key nobody reads, and waits
// for the replicas' confirmation as a delivery does. It repeats nothing. It returns
// how long the slowest took; an error says that the store cannot be worked with:
// ErrNotDurable, or what the server answered.
func (r *Redis) Probe(ctx context.Context) (time.Duration, error) {
	var slowest time.Duration
	tried := map[string]bool{}
	for shard := range r.keys.shards {
		key := r.keys.probe(shard)
		master, err := r.masterOf(ctx, key)
		if err != nil {
			return slowest, fmt.Errorf("probe shard %d: %w", shard, err)
		}
		if tried[master] {
			continue
		}
		tried[master] = true
		c := call{script: probeScript, keys: []string{key}, args: []any{probeLife.Milliseconds()}, durable: true}
		// The first run may have to teach the server the script.
		if _, err := r.once(ctx, c); err != nil {
			return slowest, fmt.Errorf("probe shard %d: %w", shard, err)
		}
		sent := time.Now()
		if _, err := r.once(ctx, c); err != nil {
			return slowest, fmt.Errorf("probe shard %d: %w", shard, err)
		}
		slowest = max(slowest, time.Since(sent))
	}
	return slowest, nil
}

// masterOf is the address of the server that has a key; empty outside a cluster.
func (r *Redis) masterOf(ctx context.Context, key string) (string, error) {
	cluster, ok := r.client.(*redis.ClusterClient)
	if !ok {
		return "", nil
	}
	node, err := cluster.MasterForKey(ctx, key)
	if err != nil {
		return "", err
	}
	return node.Options().Addr, nil
}
