package main

import (
	"context"
	"fmt"

	"github.com/roundtable-chat/app/storage"
)

// occupy makes a store the workspace's own, or refuses to work on another's: its
// replicas would take each other's discussions.
func occupy(ctx context.Context, store *storage.Redis, team string) error {
	whose, err := store.Occupy(ctx, team)
	if err != nil {
		return err
	}
	if whose.Team == team {
		return nil
	}
	f := strangers(whose, team)
	return fmt.Errorf("this Redis %s: %s; %s", f.Found, f.Means, f.Do)
}

// strangers is what there is to say when a store belongs to another workspace than
// the one that the tokens are of.
func strangers(whose storage.Occupant, ours string) finding {
	return finding{
		Level: failure,
		Found: fmt.Sprintf("belongs to the Slack workspace %s, and these tokens are of %s", called(whose.Team), called(ours)),
		Means: "two workspaces that share a Redis take each other's discussions and cannot post to them, so nothing starts here",
		Do: fmt.Sprintf("give %s a Redis of its own or a database number of its own, such as redis://host:6379/1 (REDIS_URL; --redis of the demo), "+
			"or a Cluster of its own, since a Cluster has no databases; if %s is gone for good, delete the key %s", ours, whose.Team, whose.Key),
	}
}

// called is a workspace's id; the demo's is nobody's to recognise.
func called(team string) string {
	if team == demoTeam {
		return team + " (the demo's)"
	}
	return team
}
