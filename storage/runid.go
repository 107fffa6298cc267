package storage

import (
	"context"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// runs remembers the run id of each server we are connected to, read on every new
// connection before its first use. A server that restarted or was replaced has
// another one, and may have forgotten what it acknowledged.
type runs struct {
	mu sync.Mutex
	by map[string]string
}

func newRuns() *runs { return &runs{by: make(map[string]string)} }

// onConnect returns a hook that notes the run id of the server at an address; the
// address is empty where there is only one master. A server that cannot tell (the
// embedded one) leaves it empty. A failing connection shows at its first use, so
// errors are of no interest here.
func (r *runs) onConnect(addr string) func(context.Context, *redis.Conn) error {
	return func(ctx context.Context, c *redis.Conn) error {
		info, err := c.Info(ctx, "server").Result()
		if err != nil || infoField(info, "redis_mode") == "sentinel" {
			return nil
		}
		r.note(addr, infoField(info, "run_id"))
		return nil
	}
}

// readOnce notes the run id of a client that was handed to us connected.
func (r *runs) readOnce(ctx context.Context, c redis.UniversalClient) {
	if info, err := c.Info(ctx, "server").Result(); err == nil {
		r.note("", infoField(info, "run_id"))
	}
}

// note keeps 16 of 40 hexadecimal digits, which every discussion stores twice.
func (r *runs) note(addr, run string) {
	run = run[:min(len(run), 16)]
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by[addr] = run
}

func (r *runs) at(addr string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.by[addr]
}

// run returns the run id of the server that has a key, or nothing if unknown. It
// may change during a request that has to connect anew, so whoever compares asks
// after the reply.
func (r *Redis) run(ctx context.Context, key string) string {
	cluster, ok := r.client.(*redis.ClusterClient)
	if !ok {
		return r.runs.at("")
	}
	node, err := cluster.MasterForKey(ctx, key)
	if err != nil {
		return ""
	}
	return r.runs.at(node.Options().Addr)
}

// infoField returns a field of what INFO returned, or nothing.
func infoField(info, name string) string {
	for line := range strings.Lines(info) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
			return value
		}
	}
	return ""
}
