package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/roundtable-chat/app/cmd/roundtable/config"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
)

// pendingLimit bounds how many discussions of a channel are looked at for what is to be
// forgotten.
const pendingLimit = 5000

// runForget has an item forgotten, as /roundtable forget does, whatever --may-forget says:
// a replica that serves puts it out of sight, tells the channel, and removes it after the
// time in which it can be taken back.
func runForget(ctx context.Context, s streams, args []string) error {
	return withForgetting(ctx, s, "forget", args, func(store *storage.Redis, ref engine.ItemRef) error {
		if f, pending, err := pendingOf(ctx, store, ref); err != nil {
			return err
		} else if pending {
			return fmt.Errorf("%s already waits to be forgotten, and will be removed at %s", ref.Slug, f.Until.UTC().Format(time.RFC3339))
		}
		switch v, open, err := engine.NewReader(store).StillOpen(ctx, engine.Farewell{Team: ref.Team, Channel: ref.Channel, Item: ref.Slug}); {
		case err != nil:
			return fmt.Errorf("look for what is open: %w", err)
		case open:
			return fmt.Errorf("%s is still being discussed: %s %q (%s) has to be ended in its thread first; nothing was changed", ref.Slug, v.Kind, v.Title, v.Ref.ID)
		}
		id := forgetting.NewID(ref.Team, ref.Channel, "operator:"+rand.Text())
		r, err := deliverTo(ctx, store, engine.Delivery{Ref: engine.Ref{Team: ref.Team, Channel: ref.Channel, ID: id}, Opens: true}, forgetting.Input{
			ID: "o:" + id, At: time.Now().UTC(), Event: forgetting.Opened{
				Forgetting: id, Place: thread.Place{Team: ref.Team, Channel: ref.Channel}, Target: forgetting.Target{Item: ref.Slug},
			},
		})
		if err != nil || r != engine.Stored {
			return notTaken(r, err)
		}
		_, err = fmt.Fprintf(s.out, "%s will be hidden as soon as a replica serves, unless it is being discussed again by then, and the channel will be told; roundtable keep can bring it back for %s\n", ref.Slug, thread.SaySpan(forgetting.Grace))
		return err
	})
}

// runKeep takes back what is to be forgotten.
func runKeep(ctx context.Context, s streams, args []string) error {
	return withForgetting(ctx, s, "keep", args, func(store *storage.Redis, ref engine.ItemRef) error {
		f, pending, err := pendingOf(ctx, store, ref)
		switch {
		case err != nil:
			return err
		case !pending:
			return fmt.Errorf("%s is not waiting to be forgotten", ref.Slug)
		}
		r, err := deliverTo(ctx, store, engine.Delivery{Ref: engine.Ref{Team: ref.Team, Channel: ref.Channel, ID: f.Ref.ID}}, forgetting.Input{
			ID: "k:operator:" + rand.Text(), At: time.Now().UTC(), Event: forgetting.Kept{},
		})
		if err != nil || r != engine.Stored {
			return notTaken(r, err)
		}
		_, err = fmt.Fprintf(s.out, "%s will be back as soon as a replica serves\n", ref.Slug)
		return err
	})
}

// withForgetting reads the configuration and the item of a command that needs Redis, where
// forgettings are kept, wherever the documents are.
func withForgetting(ctx context.Context, s streams, name string, args []string, do func(*storage.Redis, engine.ItemRef) error) error {
	c, rest, err := configure(s, name, args, config.Variant{Needs: []string{"redis-url"}})
	if err != nil {
		return err
	}
	if err := exactly(rest, 1); err != nil {
		return err
	}
	ref, err := parseItem(rest[0])
	if err != nil {
		return err
	}
	store, err := openStore(ctx, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(do(store, ref), store.Close())
}

// pendingOf finds the forgetting that an item waits in.
func pendingOf(ctx context.Context, store *storage.Redis, ref engine.ItemRef) (f engine.View, pending bool, err error) {
	views, err := engine.NewReader(store).Views(ctx, ref.Team, ref.Channel, pendingLimit)
	if err != nil {
		return f, false, fmt.Errorf("look for what waits to be forgotten: %w", err)
	}
	for _, v := range views {
		if v.Forgets(ref.Slug) {
			return v, true, nil
		}
	}
	return engine.View{}, false, nil
}

func deliverTo(ctx context.Context, store *storage.Redis, d engine.Delivery, in forgetting.Input) (engine.Reception, error) {
	body, err := forgetting.EncodeInput(in)
	if err != nil {
		return "", err
	}
	d.Mail = engine.Mail{ID: in.ID, Body: body}
	got, err := store.Deliver(ctx, d)
	return got.Reception, err
}

func notTaken(r engine.Reception, err error) error {
	if err == nil {
		err = fmt.Errorf("Redis did not accept it: %s", r)
	}
	return err
}
