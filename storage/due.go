package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// Due lists up to limit discussions that need somebody by now, those that wait
// longest first. It takes two round trips and holds nothing: whoever claims first
// has it. One that is held is not listed until its lease ends. When some shards do
// not answer, those of the others are returned with the error: the loss of one node
// of a cluster is no reason to leave everybody waiting.
func (r *Redis) Due(ctx context.Context, limit int) ([]engine.Ref, error) {
	if limit <= 0 {
		return nil, nil
	}
	now, err := r.clock(ctx)
	if err != nil {
		return nil, fmt.Errorf("list due discussions: read the clock: %w", err)
	}
	entries, missing := r.earliest(ctx, strconv.FormatInt(now.UnixMilli(), 10), limit)
	if missing != nil {
		missing = fmt.Errorf("list due discussions: %w", missing)
	}
	var out []engine.Ref
	for _, e := range entries[:min(limit, len(entries))] {
		ref, err := parseMember(e.Member.(string))
		if err != nil {
			return nil, fmt.Errorf("list due discussions: %w", err)
		}
		out = append(out, ref)
	}
	return out, missing
}

// shardPatience is how long one node of a cluster may keep the others' discussions
// waiting.
const shardPatience = time.Second

// patient bounds a request that goes to several nodes, or to any of several. Where
// there is one server nobody else waits for it.
func (r *Redis) patient(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := r.client.(*redis.ClusterClient); !ok {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, limit, errors.New("a node of the cluster did not answer in time"))
}

// clock reads the server's clock. A cluster is asked through any of its nodes, of
// which one may be gone or hang.
func (r *Redis) clock(ctx context.Context) (now time.Time, err error) {
	for range 3 {
		try, cancel := r.patient(ctx, shardPatience/4)
		now, err = r.client.Time(try).Result()
		cancel()
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return now, err
}

// earliest returns up to limit entries per shard with a score of at most until,
// lowest first. With an error it returns those of the shards that answered.
func (r *Redis) earliest(ctx context.Context, until string, limit int) ([]redis.Z, error) {
	ctx, cancel := r.patient(ctx, shardPatience)
	defer cancel()
	var cmds []*redis.ZSliceCmd
	_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for shard := range r.keys.shards {
			cmds = append(cmds, p.ZRangeByScoreWithScores(ctx, r.keys.due(shard),
				&redis.ZRangeBy{Min: "-inf", Max: until, Count: int64(limit)}))
		}
		return nil
	})
	var all []redis.Z
	for _, c := range cmds {
		all = append(all, c.Val()...)
	}
	slices.SortStableFunc(all, func(a, b redis.Z) int { return cmp.Compare(a.Score, b.Score) })
	return all, err
}
