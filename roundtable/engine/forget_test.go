package engine_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/storage"
)

// What the engine leaves of a discussion is found by whoever forgets its item: the
// store and the engine agree on the key under which a conclusion is remembered
// (SPEC §8).
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
		r.options.Store, r.items = store, store
		r.start()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40, Gather: 3 * time.Second}, time.Now()))
		r.pass(time.Minute)
		r.say("What about refunds?")
		r.pass(time.Minute)
		r.say("done")
		r.pass(time.Minute)
		r.stop()
		if !strings.Contains(server.Dump(), enginetest.Ref().ID) {
			t.Fatal("nothing was stored that could be forgotten")
		}
		gone, err := store.ForgetItem(t.Context(), ledgers)
		if err != nil || gone != 1 {
			t.Errorf("ForgetItem = %d, %v, want 1 discussion", gone, err)
		}
		if left := server.Dump(); strings.Contains(left, enginetest.Ref().ID) {
			t.Errorf("something of the discussion is still stored:\n%s", left)
		}
	})
}
