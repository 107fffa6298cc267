package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// mostSighted is how many open discussions of a channel are asked whether a message is
// theirs, those that began last first. A hundred may be open in a channel by default,
// and those that have ended answer for a week.
const mostSighted = 500

// FindMessage returns the discussion that a message of a channel belongs to: it is the
// root of its thread, was said in it by a person, or was posted by it; see
// engine.Store. It takes two round trips, and one where the channel has no open
// discussion.
func (r *Redis) FindMessage(ctx context.Context, team, channel, ts string) (engine.Sighting, error) {
	fail := func(err error) (engine.Sighting, error) {
		return engine.Sighting{}, fmt.Errorf("find the discussion of message %s: %w", ts, err)
	}
	if err := checkChannel(team, channel); err != nil {
		return fail(err)
	}
	s, err := r.sight(ctx, team, channel, ts)
	if err != nil {
		return fail(err)
	}
	if s.Known {
		return s, nil
	}
	listed, err := r.older.enlist(ctx, r, r.keys.shard(team, channel))
	if err == nil && listed {
		s, err = r.sight(ctx, team, channel, ts)
	}
	if err != nil {
		return fail(err)
	}
	return s, nil
}

// sight looks for a message among the discussions that are listed for its channel.
func (r *Redis) sight(ctx context.Context, team, channel, ts string) (engine.Sighting, error) {
	var root *redis.StringCmd
	var began *redis.StringSliceCmd
	_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		root = p.Get(ctx, r.keys.alias(team, channel, ts))
		began = p.ZRevRangeByScore(ctx, r.keys.channel(team, channel), &redis.ZRangeBy{
			Min: "-inf", Max: cmp.Or(digits(ts), "0"), Count: mostSighted,
		})
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return engine.Sighting{}, err
	}
	if name, err := root.Result(); err == nil {
		ref, err := parseMember(name)
		return engine.Sighting{Ref: ref, Known: err == nil}, err
	}
	refs := make([]engine.Ref, len(began.Val()))
	for i, id := range began.Val() {
		refs[i] = engine.Ref{Team: team, Channel: channel, ID: id}
	}
	return r.sightIn(ctx, refs, ts)
}

// sightIn looks for a message in discussions of one channel.
func (r *Redis) sightIn(ctx context.Context, refs []engine.Ref, ts string) (engine.Sighting, error) {
	if len(refs) == 0 {
		return engine.Sighting{}, nil
	}
	said, names := mark("m:"+ts), make([]string, len(refs))
	seen, waits := make([]*redis.SliceCmd, len(refs)), make([]*redis.BoolCmd, len(refs))
	var active *redis.FloatSliceCmd
	if _, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, ref := range refs {
			names[i] = member(ref)
			seen[i] = p.HMGet(ctx, r.keys.seen(ref), said, digits(ts))
			waits[i] = p.HExists(ctx, r.keys.mailbox(ref), said)
		}
		active = p.ZMScore(ctx, r.keys.act(r.keys.shard(refs[0].Team, refs[0].Channel)), names...)
		return nil
	}); err != nil {
		return engine.Sighting{}, err
	}
	type found struct {
		ref    engine.Ref
		active float64
	}
	perhaps := make([]found, len(refs))
	for i, ref := range refs {
		if marks := seen[i].Val(); waits[i].Val() || marks[0] != nil || marks[1] != nil {
			return engine.Sighting{Ref: ref, Known: true}, nil
		}
		perhaps[i] = found{ref, active.Val()[i]}
	}
	slices.SortFunc(perhaps, func(a, b found) int { return cmp.Or(cmp.Compare(b.active, a.active), cmp.Compare(a.ref.ID, b.ref.ID)) })
	for i, f := range perhaps {
		refs[i] = f.ref
	}
	return engine.Sighting{Perhaps: refs}, nil
}

// digits are those of a timestamp: its µs, as the scripts write them.
func digits(ts string) string {
	return strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, ts)
}

// older puts discussions among those of their channels that were opened by a version
// which keeps no such list: such a version may still be running beside this one.
type older struct {
	mu     sync.Mutex
	looked map[int]time.Time // by shard
}

// olderEvery is how often a shard is looked through for them, at most; olderPage is how
// many are looked at at once. A commit of this version lists a discussion anyway.
const (
	olderEvery = 10 * time.Minute
	olderPage  = 250
)

// enlist looks through a shard if that was not done lately, and reports whether it did.
func (o *older) enlist(ctx context.Context, r *Redis, shard int) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if at, ok := o.looked[shard]; ok && time.Since(at) < olderEvery {
		return false, nil
	}
	for from := int64(0); ; from += olderPage {
		names, err := r.client.ZRevRange(ctx, r.keys.act(shard), from, from+olderPage-1).Result()
		if err != nil {
			return false, fmt.Errorf("look for discussions of older versions: %w", err)
		}
		if len(names) > 0 {
			if err := r.enlist(ctx, names); err != nil {
				return false, err
			}
		}
		if len(names) < olderPage {
			break
		}
	}
	if o.looked == nil {
		o.looked = make(map[int]time.Time)
	}
	o.looked[shard] = time.Now()
	return true, nil
}

// enlist puts discussions of one shard among those of their channels, if they are open.
func (r *Redis) enlist(ctx context.Context, names []string) error {
	var k []string
	var args []any
	for _, name := range names {
		ref, err := parseMember(name)
		if err != nil {
			return fmt.Errorf("look for discussions of older versions: %w", err)
		}
		k, args = append(k, r.keys.thread(ref), r.keys.channel(ref.Team, ref.Channel)), append(args, name)
	}
	if _, _, err := r.do(ctx, call{script: enlistScript, keys: k, args: append(args, r.operation())}); err != nil {
		return fmt.Errorf("look for discussions of older versions: %w", err)
	}
	return nil
}
