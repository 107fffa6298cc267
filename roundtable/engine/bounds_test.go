package engine_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	redis "github.com/redis/go-redis/v9"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
)

// inShippedRoom runs f in a room that keeps everything in the store that ships, on an
// embedded server, where nothing was said yet. stored counts the bytes of all values in
// that server.
func inShippedRoom(t *testing.T, settings roundtable.Settings, f func(r *room, store *storage.Redis, stored func() int)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := miniredis.NewMiniRedis()
		client := redis.NewClient(&redis.Options{
			Addr:       "127.0.0.1:1", // never dialled
			Dialer:     func(context.Context, string, string) (net.Conn, error) { return server.Dial() },
			MaxRetries: -1,
		})
		defer server.Close()
		defer func() { _ = client.Close() }()
		store, err := storage.Open(t.Context(), storage.Options{Client: client, Shards: 1})
		if err != nil {
			t.Fatal(err)
		}
		r := newRoom(t)
		r.options.Store, r.items, r.options.Poll = store, store, 2*time.Second
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(settings, time.Now()))
		f(r, store, func() (n int) {
			for _, key := range client.Keys(t.Context(), "*").Val() {
				if client.Type(t.Context(), key).Val() == "hash" {
					for field, value := range client.HGetAll(t.Context(), key).Val() {
						n += len(field) + len(value)
					}
				}
			}
			return n
		})
	})
}

// did delivers what a person did, again while the mailbox is full, as Slack does.
func (r *room) did(id string, e roundtable.Event) {
	r.t.Helper()
	for range 1000 {
		switch got := r.deliver(roundtable.Input{ID: id, At: time.Now(), Event: e}); got {
		case engine.Full:
			r.pass(time.Second)
		case engine.Stored:
			return
		default:
			r.t.Fatalf("%s is %s", id, got)
		}
	}
	r.t.Fatalf("%s finds no room", id)
}

// long is a message of Slack's full length.
func long(n int) string {
	return fmt.Sprintf("take %d ", n) + strings.Repeat("what a long message this is ", 39_000/28)
}

// talked are settings in which much may be said.
func talked() roundtable.Settings { return roundtable.Settings{MaxTurns: 40, Gather: time.Hour} }

// Of 1,500 edits of one long message the store keeps the newest, and so does the log: what
// somebody edits, or marks and unmarks, all day costs what it costs once (NFR-004).
func TestEditsOfOneMessageAreKeptOnce(t *testing.T) {
	inShippedRoom(t, roundtable.Settings{MaxTurns: 40, Gather: 3 * time.Second}, func(r *room, store *storage.Redis, stored func() int) {
		r.pass(time.Minute)
		sam := thread.Person{ID: "U2", Name: "Sam"}
		ts := r.say(long(0))
		r.pass(2 * time.Minute)
		r.did("e:1", roundtable.Edited{TS: ts, By: sam, Text: long(1), EditedTS: "2000000000.000001"})
		r.did("r:1", roundtable.Reacted{TS: ts, By: sam, Emoji: "pushpin"})
		r.pass(time.Minute)
		before, entries := stored(), r.logged(store)
		const edits = 1500
		for i := 2; i <= edits; i++ {
			r.did(fmt.Sprint("e:", i), roundtable.Edited{TS: ts, By: sam, Text: long(i), EditedTS: fmt.Sprintf("2000000000.%06d", i)})
			if i%3 > 0 {
				r.did(fmt.Sprint("r:", i), roundtable.Reacted{TS: ts, By: sam, Emoji: "pushpin", Removed: i%3 == 1})
			}
		}
		r.pass(time.Minute)
		const seen = 40 // what an input that was taken in is remembered by
		if grown := stored() - before - 2*edits*seen; grown > 20_000 || r.logged(store) != entries {
			t.Errorf("%d edits take %d bytes more than one, and %d entries", edits, grown, r.logged(store)-entries)
		}
		_, told, err := enginetest.Transcript(r.t.Context(), r.states(), enginetest.Ref())
		if err != nil {
			t.Fatal(err)
		}
		if !standsAnywhere(told, "take 1500 ") {
			t.Error("the newest edit does not stand")
		}
		if letters, err := store.DeadLetters(r.t.Context(), 10); len(letters) > 0 || err != nil {
			t.Errorf("%d inputs were put aside, %v", len(letters), err)
		}
	})
}

// logged is how many entries the log of the room's discussion has.
func (r *room) logged(store engine.Store) int {
	r.t.Helper()
	_, log, err := store.Read(r.t.Context(), enginetest.Ref())
	if err != nil {
		r.t.Fatal(err)
	}
	return len(log)
}

func standsAnywhere(told thread.Transcript, text string) bool {
	for _, turns := range [][]thread.Turn{told.Turns, told.Late} {
		for _, turn := range turns {
			if strings.Contains(turn.Text, text) {
				return true
			}
		}
	}
	return false
}

// One person's flood while the panel frames puts nobody's message aside: a colleague's
// decision after it is in the result (NFR-003, I1).
func TestFloodPutsNothingAside(t *testing.T) {
	inShippedRoom(t, talked(), func(r *room, store *storage.Redis, _ func() int) {
		sam := thread.Person{ID: "U2", Name: "Sam"}
		for i := range 40 {
			ts := r.slack.Timestamp()
			r.did("m:"+ts, roundtable.Said{TS: ts, By: sam, Text: fmt.Sprintf("%d ", i) + strings.Repeat("漢", 13_000)})
		}
		r.say("Decision: one ledger.")
		r.pass(2 * time.Minute)
		if d := r.discussion(); d.State != roundtable.StateDiscussionLoop {
			t.Fatalf("the discussion stands at %s", d.State)
		}
		r.say("done")
		r.pass(5 * time.Minute)
		d, told, err := enginetest.Transcript(r.t.Context(), r.states(), enginetest.Ref())
		if err != nil {
			t.Fatal(err)
		}
		if d.State != roundtable.StateClosed || d.Outcome == nil || !strings.Contains(d.Markdown(d.Outcome), "one ledger") {
			t.Errorf("the discussion stands at %s without Priya's decision", d.State)
		}
		if letters, err := store.DeadLetters(r.t.Context(), 100); len(letters) > 0 || err != nil {
			t.Errorf("%d inputs were put aside, %v", len(letters), err)
		}
		kept := 0
		for i := range 40 {
			if standsAnywhere(told, fmt.Sprintf("%d 漢", i)) {
				kept++
			}
		}
		refused := r.posted("this is as much as I keep of one person")
		if kept == 0 || kept < 40 && refused != 1 {
			t.Errorf("%d of Sam's messages are kept, and %d times it was said that no more is", kept, refused)
		}
	})
}

// posted counts the posts in Slack that say something.
func (r *room) posted(text string) (n int) {
	for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
		if strings.Contains(m.Message.Text, text) {
			n++
		}
	}
	return n
}

// However much one person writes, the log stays within its bounds and says so once, a
// colleague is heard and answered, and the discussion can be ended (I1, I10).
func TestFloodLeavesRoomForOthers(t *testing.T) {
	inShippedRoom(t, talked(), func(r *room, store *storage.Redis, _ func() int) {
		r.pass(time.Minute)
		sam := thread.Person{ID: "U2", Name: "Sam"}
		for i := range 150 {
			ts := r.slack.Timestamp()
			r.did("m:"+ts, roundtable.Said{TS: ts, By: sam, Text: long(i)})
		}
		r.pass(time.Minute)
		answered := len(r.contributions())
		r.say("Decision: one ledger.")
		r.pass(2 * time.Hour)
		_, log, err := store.Read(r.t.Context(), enginetest.Ref())
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, line := range log {
			size += len(line)
		}
		if size > thread.PersonBytes*5/4 {
			t.Errorf("the log has %d bytes", size)
		}
		if n := r.posted("this is as much as I keep of one person"); n != 1 {
			t.Errorf("it is said %d times that there is no more room", n)
		}
		if len(r.contributions()) == answered {
			t.Error("nobody answers the colleague")
		}
		if letters, err := store.DeadLetters(r.t.Context(), 100); len(letters) > 0 || err != nil {
			t.Errorf("%d inputs were put aside, %v", len(letters), err)
		}
		ts := r.slack.Timestamp()
		r.did("m:"+ts, roundtable.Said{TS: ts, By: sam, Text: "done"})
		r.pass(5 * time.Minute)
		if d := r.discussion(); d.State != roundtable.StateClosed || !strings.Contains(d.Markdown(d.Outcome), "one ledger") {
			t.Errorf("the discussion stands at %s", d.State)
		}
	})
}
