package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable/engine"
)

// FindThread returns the discussion whose root has this timestamp, closed ones
// included for as long as they are kept.
func (r *Redis) FindThread(ctx context.Context, team, channel, thread string) (engine.Ref, bool, error) {
	if err := checkChannel(team, channel); err != nil {
		return engine.Ref{}, false, fmt.Errorf("find thread: %w", err)
	}
	name, err := r.client.Get(ctx, r.keys.alias(team, channel, thread)).Result()
	if errors.Is(err, redis.Nil) {
		return engine.Ref{}, false, nil
	}
	if err != nil {
		return engine.Ref{}, false, fmt.Errorf("find thread %s: %w", thread, err)
	}
	ref, err := parseMember(name)
	if err != nil {
		return engine.Ref{}, false, fmt.Errorf("find thread %s: %w", thread, err)
	}
	return ref, true, nil
}

// Read returns a discussion's state, nil if it has none yet, and its whole log,
// without claiming it. Closed ones are found for as long as they are kept; one that was
// forgotten and can still be taken back is engine.ErrForgotten. A log that does not fit
// into one reply is read in portions.
func (r *Redis) Read(ctx context.Context, ref engine.Ref) ([]byte, [][]byte, error) {
	got, err := r.read(ctx, ref, 0, false)
	log := got.log
	for err == nil && len(log) < got.length && len(got.log) > 0 {
		if got, err = r.read(ctx, ref, len(log), false); err == nil {
			log = append(log, got.log...)
		}
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read discussion %s: %w", ref.ID, err)
	}
	return got.state, log, nil
}

// States returns the states of discussions of one channel, in the order of their references,
// in one round trip; closed ones are found for as long as they are kept.
func (r *Redis) States(ctx context.Context, refs []engine.Ref) ([]engine.StoredState, error) {
	for _, ref := range refs {
		if err := checkRef(ref); err != nil {
			return nil, fmt.Errorf("read states: %w", err)
		}
	}
	cmds := make([]*redis.SliceCmd, len(refs))
	if err := r.repeat(ctx, "states", func() error {
		_, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, ref := range refs {
				cmds[i] = p.HMGet(ctx, r.keys.thread(ref), "lop", "state", "gone")
			}
			return nil
		})
		return err
	}); err != nil {
		return nil, fmt.Errorf("read %d states: %w", len(refs), err)
	}
	out := make([]engine.StoredState, len(refs))
	for i, c := range cmds {
		state, opened := c.Val()[1].(string)
		switch {
		case c.Val()[0] == nil:
			out[i].Err = engine.ErrNotFound
		case c.Val()[2] != nil:
			out[i].Err = engine.ErrForgotten
		case opened:
			out[i].State = []byte(state)
		}
	}
	return out, nil
}

// Log returns the log's entries from index from on, as many as one reply takes, also of
// one that was forgotten: whoever holds it goes on with it.
func (r *Redis) Log(ctx context.Context, ref engine.Ref, from int) ([][]byte, error) {
	got, err := r.read(ctx, ref, from, true)
	if err != nil {
		return nil, fmt.Errorf("read log of discussion %s: %w", ref.ID, err)
	}
	return got.log, nil
}

// reading is a discussion's state, its log's length, and a portion of the log.
type reading struct {
	state  []byte
	length int
	log    [][]byte
}

func (r *Redis) read(ctx context.Context, ref engine.Ref, from int, forgotten bool) (reading, error) {
	if err := checkRef(ref); err != nil {
		return reading{}, err
	}
	answer, _, err := r.do(ctx, call{script: readScript,
		keys: []string{r.keys.thread(ref), r.keys.log(ref)}, args: []any{max(from, 0), forgotten}})
	if err != nil {
		return reading{}, err
	}
	switch answer {
	case nil:
		return reading{}, engine.ErrNotFound
	case "forgotten":
		return reading{}, engine.ErrForgotten
	}
	got := newReply(answer)
	out := reading{state: got.blob(), length: int(got.number()), log: got.entries()}
	return out, got.err
}

// listPage is how many entries of a shard's index are looked at per round trip.
const listPage = 500

// List returns up to limit discussions of a channel that are not closed, most
// recently active first. Those without a state yet are left out. Other channels of
// the shard are skipped.
func (r *Redis) List(ctx context.Context, team, channel string, limit int) ([]engine.Listed, error) {
	if err := checkChannel(team, channel); err != nil {
		return nil, fmt.Errorf("list discussions: %w", err)
	}
	var out []engine.Listed
	act, own := r.keys.act(r.keys.shard(team, channel)), team+"/"+channel+"/"
	for from := int64(0); len(out) < limit; from += listPage {
		names, err := r.client.ZRevRange(ctx, act, from, from+listPage-1).Result()
		if err != nil {
			return nil, fmt.Errorf("list discussions of %s: %w", channel, err)
		}
		if len(names) == 0 {
			break
		}
		var refs []engine.Ref
		for _, name := range names {
			if id, ok := strings.CutPrefix(name, own); ok {
				refs = append(refs, engine.Ref{Team: team, Channel: channel, ID: id})
			}
		}
		found, err := r.states(ctx, refs)
		if err != nil {
			return nil, fmt.Errorf("list discussions of %s: %w", channel, err)
		}
		out = append(out, found...)
	}
	return out[:min(len(out), max(limit, 0))], nil
}

// ListOpen returns up to limit discussions of all channels that are not closed,
// most recently active first. Those without a state yet are left out.
func (r *Redis) ListOpen(ctx context.Context, limit int) ([]engine.Listed, error) {
	if limit <= 0 {
		return nil, nil
	}
	cmds := make([]*redis.ZSliceCmd, r.keys.shards)
	if _, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for shard := range cmds {
			cmds[shard] = p.ZRevRangeWithScores(ctx, r.keys.act(shard), 0, int64(limit)-1)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("list open discussions: %w", err)
	}
	var active []redis.Z
	for _, c := range cmds {
		active = append(active, c.Val()...)
	}
	slices.SortStableFunc(active, func(a, b redis.Z) int { return cmp.Compare(b.Score, a.Score) })
	var out []engine.Listed
	for page := range slices.Chunk(active[:min(limit, len(active))], listPage) {
		refs := make([]engine.Ref, len(page))
		for i, z := range page {
			var err error
			if refs[i], err = parseMember(z.Member.(string)); err != nil {
				return nil, fmt.Errorf("list open discussions: %w", err)
			}
		}
		found, err := r.states(ctx, refs)
		if err != nil {
			return nil, fmt.Errorf("list open discussions: %w", err)
		}
		out = append(out, found...)
	}
	return out, nil
}

// states reads the states of those that have one, are not closed and not forgotten.
func (r *Redis) states(ctx context.Context, refs []engine.Ref) ([]engine.Listed, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	cmds := make([]*redis.SliceCmd, len(refs))
	if _, err := r.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, ref := range refs {
			cmds[i] = p.HMGet(ctx, r.keys.thread(ref), "state", "closed", "gone")
		}
		return nil
	}); err != nil {
		return nil, err
	}
	var out []engine.Listed
	for i, c := range cmds {
		state, open := c.Val()[0].(string)
		if open && c.Val()[1] == nil && c.Val()[2] == nil {
			out = append(out, engine.Listed{Ref: refs[i], State: []byte(state)})
		}
	}
	return out, nil
}
