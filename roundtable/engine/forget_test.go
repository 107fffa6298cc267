package engine_test

import (
	"context"
	"crypto/rand"
	"maps"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	redis "github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
)

// TestForgottenAsTheEngineWroteIt talks an item over, has it forgotten and taken back, which
// leaves every key of it as it was, and forgotten again: after seven days no key and no value
// of the store holds a word, a name or an id of it but the lines of the audit record, and
// those hold no words (FR-110).
func TestForgottenAsTheEngineWroteIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := miniredis.NewMiniRedis()
		defer server.Close()
		client := redis.NewClient(&redis.Options{
			Addr:       "127.0.0.1:1", // never dialled, but a name would be looked up
			Dialer:     func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
			MaxRetries: -1,
		})
		defer func() { _ = client.Close() }()
		store, err := storage.Open(t.Context(), storage.Options{Client: client, Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		r := newRoom(t)
		r.options.Store, r.items, r.options.Poll = store, store, time.Minute
		r.options.Farewells = storage.Farewells{Documents: store, Threads: store}
		r.start()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40, Gather: 3 * time.Second}, time.Now()))
		r.pass(3 * time.Minute)
		r.say("What about refunds?")
		r.pass(3 * time.Minute)
		r.say("done")
		r.pass(8 * 24 * time.Hour) // it answers for a week
		was := r.kept(store, client)
		if !strings.Contains(was, "refunds") || !strings.Contains(was, enginetest.Ref().ID) {
			t.Fatalf("nothing was stored that could be forgotten:\n%s", was)
		}

		r.tellForgetting("F1", forgetting.Opened{
			Forgetting: "F1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: thread.Person{ID: "U1", Name: "Priya"}, Target: forgetting.Target{Item: ledgers.Slug},
		})
		if item, err := store.ReadItem(t.Context(), ledgers); err != nil || !item.Hidden {
			t.Errorf("the item is not out of sight: %+v, %v", item, err)
		}
		r.tellForgetting("F1", forgetting.Kept{By: thread.Person{ID: "U2", Name: "Sam"}})
		if diff := cmp.Diff(was, r.kept(store, client)); diff != "" {
			t.Errorf("taken back it is not as it was (-was +is):\n%s", diff)
		}

		r.tellForgetting("F2", forgetting.Opened{
			Forgetting: "F2", Place: thread.Place{Team: "T1", Channel: "C1"}, By: thread.Person{ID: "U1", Name: "Priya"}, Target: forgetting.Target{Item: ledgers.Slug},
		})
		r.pass(8 * 24 * time.Hour)
		r.stop()
		left := server.Dump()
		for _, word := range []string{"refunds", "What about", "elaboration-notes"} {
			if strings.Contains(left, word) {
				t.Errorf("%q is still stored:\n%s", word, left)
			}
		}
		audited := strings.Join(acts(t, store), "\n")
		if want := "opened U1\nclosed U1\nforgot U1\nkept U2\nforgot U1\nremoved "; audited != want {
			t.Errorf("the audit record says\n%s\nwant\n%s", audited, want)
		}
		server.Del("{rt1:0}:aud")
		if left := server.Dump(); strings.Contains(left, "/"+enginetest.Ref().ID) || strings.Contains(left, ledgers.Slug) {
			t.Errorf("something of it is still stored:\n%s", left)
		}
	})
}

// TestOpenIsNotForgotten asks to forget an item, and a discussion, while people talk in it,
// as happens where the wish waited for Slack to say whose it is: nothing goes out of sight for
// a moment, the person is told, and the discussion goes on (FR-110).
func TestOpenIsNotForgotten(t *testing.T) {
	var hides atomic.Int32
	inRoomWith(t, func(r *room) { r.options.Farewells = countingFarewells{r.store, &hides} }, func(r *room) {
		if err := r.store.WriteItem(t.Context(), ledgers, engine.ItemWrite{Key: enginetest.Ref().ID, Files: map[string][]byte{"notes.md": []byte("n")}}); err != nil {
			t.Fatal(err)
		}
		for id, target := range map[string]forgetting.Target{
			"F1": {Item: ledgers.Slug}, "F2": {Item: ledgers.Slug, Discussion: enginetest.Ref().ID, Title: "Ledgers"},
		} {
			before := len(r.slack.Told())
			r.tellForgetting(id, forgetting.Opened{
				Forgetting: id, Place: thread.Place{Team: "T1", Channel: "C1"}, By: thread.Person{ID: "U2", Name: "Sam"}, Target: target,
			})
			if told := r.slack.Told()[before:]; len(told) != 1 || !strings.Contains(told[0], "is still being discussed (“Ledgers”)") {
				t.Errorf("%s: told %q", id, told)
			}
			if item, err := r.store.ReadItem(t.Context(), ledgers); err != nil || item.Hidden || hides.Load() > 0 {
				t.Errorf("%s: after %d hidings the item is %+v, %v", id, hides.Load(), item, err)
			}
		}
		turns := r.discussion().Turns
		r.say("What about refunds?")
		r.pass(time.Minute)
		if r.discussion().Turns == turns {
			t.Error("the discussion does not go on")
		}
	})
}

// countingFarewells count how often something is put out of sight.
type countingFarewells struct {
	engine.Farewells
	hides *atomic.Int32
}

func (f countingFarewells) Hide(ctx context.Context, what engine.Farewell) (engine.Hidden, error) {
	f.hides.Add(1)
	return f.Farewells.Hide(ctx, what)
}

// kept is every key of the item and of the discussion, and what it holds.
func (r *room) kept(store *storage.Redis, client *redis.Client) string {
	r.t.Helper()
	var b strings.Builder
	for _, key := range slices.Sorted(slices.Values(client.Keys(r.t.Context(), "*").Val())) {
		if !strings.Contains(key, "/"+enginetest.Ref().ID) && !strings.Contains(key, ledgers.Slug) {
			continue
		}
		if all, err := client.HGetAll(r.t.Context(), key).Result(); err == nil {
			for _, f := range slices.Sorted(maps.Keys(all)) {
				b.WriteString(key + " " + f + "=" + all[f] + "\n")
			}
		}
	}
	slugs, err := store.ListItems(r.t.Context(), ledgers.Team, ledgers.Channel)
	if err != nil {
		r.t.Fatal(err)
	}
	return b.String() + strings.Join(slugs, " ")
}

// tellForgetting delivers what happened to a forgetting, and lets things settle.
func (r *room) tellForgetting(id string, e forgetting.Event) {
	r.t.Helper()
	in := forgetting.Input{ID: id + " " + rand.Text(), At: time.Now(), Event: e}
	body, err := forgetting.EncodeInput(in)
	if err != nil {
		r.t.Fatal(err)
	}
	_, opens := e.(forgetting.Opened)
	got, err := r.engine.Receive(r.t.Context(), engine.Delivery{Ref: engine.Ref{Team: "T1", Channel: "C1", ID: id}, Mail: engine.Mail{ID: in.ID, Body: body}, Opens: opens})
	if err != nil || got != engine.Stored {
		r.t.Fatalf("Receive = %q, %v", got, err)
	}
	r.pass(5 * time.Minute)
}

// acts are the lines of the audit record.
func acts(t *testing.T, store *storage.Redis) (all []string) {
	t.Helper()
	if err := store.ReadActs(t.Context(), engine.ActQuery{}, func(a engine.Act) error {
		all = append(all, string(a.Kind)+" "+a.By)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
