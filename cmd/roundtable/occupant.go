package main

import (
	"context"
	"fmt"

	"github.com/roundtable-chat/app/cmd/roundtable/doctor"
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
	f := doctor.Strangers(whose, team)
	return fmt.Errorf("this Redis %s: %s; %s", f.Found, f.Means, f.Do)
}
