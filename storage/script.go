package storage

import (
	"context"
	"crypto/sha1" //nolint:gosec // Redis addresses scripts by their SHA-1
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed lua/prelude.lua
	preludeLua string
	//go:embed lua/deliver.lua
	deliverLua string
	//go:embed lua/claim.lua
	claimLua string
	//go:embed lua/commit.lua
	commitLua string
	//go:embed lua/renew.lua
	renewLua string
	//go:embed lua/try.lua
	tryLua string
	//go:embed lua/read.lua
	readLua string
	//go:embed lua/forget.lua
	forgetLua string
	//go:embed lua/forget_item.lua
	forgetItemLua string
	//go:embed lua/replay.lua
	replayLua string
	//go:embed lua/write_item.lua
	writeItemLua string
	//go:embed lua/enlist.lua
	enlistLua string
	//go:embed lua/may_read.lua
	mayReadLua string
	//go:embed lua/note.lua
	noteLua string
	//go:embed lua/first.lua
	firstLua string
	//go:embed lua/accounts.lua
	accountsLua string
	//go:embed lua/reserve.lua
	reserveLua string
	//go:embed lua/settle.lua
	settleLua string
)

// script is a server-side script with the name under which errors mention it.
type script struct{ name, source, sha string }

func newScript(name, body string) script {
	source := preludeLua + body
	sum := sha1.Sum([]byte(source)) //nolint:gosec // see above
	return script{name: name, source: source, sha: hex.EncodeToString(sum[:])}
}

var (
	deliverScript    = newScript("deliver", deliverLua)
	claimScript      = newScript("claim", claimLua)
	commitScript     = newScript("commit", commitLua)
	renewScript      = newScript("renew", renewLua)
	tryScript        = newScript("try", tryLua)
	readScript       = newScript("read", readLua)
	forgetScript     = newScript("forget", forgetLua)
	forgetItemScript = newScript("forget_item", forgetItemLua)
	replayScript     = newScript("replay", replayLua)
	writeItemScript  = newScript("write_item", writeItemLua)
	enlistScript     = newScript("enlist", enlistLua)
	mayReadScript    = newScript("may_read", mayReadLua)
	firstScript      = newScript("first", firstLua)
	noteScript       = newScript("note", noteLua)
	reserveScript    = newScript("reserve", accountsLua+reserveLua)
	settleScript     = newScript("settle", accountsLua+settleLua)
)

// call is one run of a script. durable asks for the replicas' confirmation.
type call struct {
	script  script
	keys    []string
	args    []any
	durable bool
}

// do runs a script and repeats it, with the same arguments and therefore the same
// operation id, while the server does not answer. It returns no reply for a nil
// one, and the time at which the first request left: any of them may have been the
// one that was applied, and a lease counts from there.
func (r *Redis) do(ctx context.Context, c call) (reply any, sent time.Time, err error) {
	sent = time.Now()
	err = r.repeat(ctx, c.script.name, func() (err error) {
		reply, err = r.once(ctx, c)
		return err
	})
	switch {
	case errors.Is(err, redis.Nil):
		return nil, sent, nil
	case err != nil:
		return nil, sent, fmt.Errorf("script %s: %w", c.script.name, err)
	}
	return reply, sent, nil
}

// repeat does something again while the server does not answer, for as long as the store
// is patient.
func (r *Redis) repeat(ctx context.Context, name string, do func() error) error {
	give := time.Now().Add(r.patience)
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		err := do()
		if err == nil || errors.Is(err, redis.Nil) || !passing(err) || ctx.Err() != nil || time.Now().Add(pause).After(give) {
			return err
		}
		r.logger.LogAttrs(ctx, slog.LevelWarn, "redis operation repeated", slog.String("script", name), slog.String("error", err.Error()))
		select {
		case <-ctx.Done():
		case <-time.After(pause/2 + rand.N(pause/2+1)): //nolint:gosec // spreads load, decides nothing
		}
	}
}

// once runs a script by its digest, or by its source where the server does not
// know it yet, as after a restart.
func (r *Redis) once(ctx context.Context, c call) (any, error) {
	reply, err := r.send(ctx, c, func(on redis.Cmdable) *redis.Cmd {
		return on.EvalSha(ctx, c.script.sha, c.keys, c.args...)
	})
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		reply, err = r.send(ctx, c, func(on redis.Cmdable) *redis.Cmd {
			return on.Eval(ctx, c.script.source, c.keys, c.args...)
		})
	}
	return reply, err
}

// send runs a script, followed on the same connection by WAIT if its change must
// have reached replicas. WAIT names no key, so on a cluster it goes to the node
// that has the keys.
func (r *Redis) send(ctx context.Context, c call, eval func(redis.Cmdable) *redis.Cmd) (any, error) {
	if !c.durable || r.replicas == 0 {
		return eval(r.client).Result()
	}
	cluster, ok := r.client.(*redis.ClusterClient)
	if !ok {
		return r.confirmed(ctx, r.client, eval, false)
	}
	node, err := cluster.MasterForKey(ctx, c.keys[0])
	if err != nil {
		return nil, err
	}
	reply, err := r.confirmed(ctx, node, eval, false)
	if to, ask := redis.IsAskError(err); ask {
		if node, err = masterAt(ctx, cluster, to); err == nil {
			reply, err = r.confirmed(ctx, node, eval, true)
		}
	}
	if err != nil && passing(err) && !errors.Is(err, ErrNotDurable) {
		// The node may not have the slot any more; to ask it again would not show that.
		cluster.ReloadState(ctx)
	}
	return reply, err
}

// masterAt returns the master at an address, to which a slot is on its way.
func masterAt(ctx context.Context, cluster *redis.ClusterClient, addr string) (*redis.Client, error) {
	var mu sync.Mutex
	var found *redis.Client
	err := cluster.ForEachMaster(ctx, func(_ context.Context, node *redis.Client) error {
		mu.Lock()
		defer mu.Unlock()
		if node.Options().Addr == addr {
			found = node
		}
		return nil
	})
	if err == nil && found == nil {
		err = fmt.Errorf("the node %s, which a slot moves to, is not known yet: %w", addr, io.ErrUnexpectedEOF)
	}
	return found, err
}

// confirmed runs a script on a node and waits for the node's replicas. With asking
// the node is told that the slot is on its way to it.
func (r *Redis) confirmed(ctx context.Context, node redis.Cmdable, eval func(redis.Cmdable) *redis.Cmd, asking bool) (any, error) {
	var cmd, wait *redis.Cmd
	_, err := node.Pipelined(ctx, func(p redis.Pipeliner) error {
		if asking {
			p.Do(ctx, "asking")
		}
		cmd = eval(p)
		wait = p.Do(ctx, "wait", r.replicas, r.waitFor.Milliseconds())
		return nil
	})
	if cmd.Err() != nil {
		return nil, cmd.Err()
	}
	if err != nil {
		return nil, err
	}
	if changesNothing(cmd.Val()) {
		return cmd.Val(), nil
	}
	reached, err := wait.Int()
	if err != nil {
		return nil, err
	}
	if reached < r.replicas {
		return nil, fmt.Errorf("%d of %d: %w", reached, r.replicas, ErrNotDurable)
	}
	return cmd.Val(), nil
}

// changesNothing reports whether a script's answer says that it found nothing to
// change, so that replicas have nothing to confirm.
func changesNothing(answer any) bool {
	if list, ok := answer.([]any); ok && len(list) > 0 {
		answer = list[0]
	}
	switch answer {
	case "refused", "fenced", "unknown", "closed", "full", "conflict", "missing", "taken":
		return true
	}
	return false
}

// passing reports whether an error may go away by itself: the connection failed or
// the server is starting, failing over or moving slots.
func passing(err error) bool {
	if errors.Is(err, ErrNotDurable) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, redis.ErrPoolTimeout) {
		return true
	}
	var network net.Error
	if errors.As(err, &network) {
		return true
	}
	for _, prefix := range []string{"LOADING", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "BUSY", "NOREPLICAS", "MOVED", "ASK", "UNBLOCKED"} {
		if redis.HasErrorPrefix(err, prefix) {
			return true
		}
	}
	return false
}
