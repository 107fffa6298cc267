package storage

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

//go:embed lua/occupy.lua
var occupyLua string

var occupyScript = newScript("occupy", occupyLua)

// Occupant is the workspace that a store belongs to. What is due is listed for
// whoever works on the store, whichever workspace it is of, and only a workspace's
// own tokens can post there: so there is one occupant, and others are to keep out.
type Occupant struct {
	// Team is the workspace's id; empty while the store is nobody's.
	Team string
	// Key is where that stands in Redis, for people who want to change it.
	Key string
}

// Occupy makes the store a workspace's own if it is nobody's yet, and says whose it
// is. Whoever finds another team's id must not work on the store. Replicas are not
// waited for, so that a store which is occupied can be started on while some are
// missing; should a failover lose the key, the next start writes it again.
func (r *Redis) Occupy(ctx context.Context, team string) (Occupant, error) {
	o := Occupant{Key: r.keys.occupant()}
	if team == "" {
		return o, errors.New("occupy the store: a team is needed")
	}
	answer, _, err := r.do(ctx, call{script: occupyScript, keys: []string{o.Key}, args: []any{team}})
	if err != nil {
		return o, fmt.Errorf("occupy the store: %w", err)
	}
	got := newReply(answer)
	o.Team = got.text()
	return o, got.err
}

// Occupant says whose the store is, and changes nothing.
func (r *Redis) Occupant(ctx context.Context) (Occupant, error) {
	o := Occupant{Key: r.keys.occupant()}
	team, err := r.client.Get(ctx, o.Key).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return o, fmt.Errorf("ask whose the store is: %w", err)
	}
	o.Team = team
	return o, nil
}
