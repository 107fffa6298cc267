package engine_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var ledgers = engine.ItemRef{Team: enginetest.Ref().Team, Channel: enginetest.Ref().Channel, Slug: "ledgers"}

// The synthesis lands in the step's output and the record in meta.json, in one
// change, besides what others write at the same moment (FR-008, FR-009, NFR-004).
func TestEnrich(t *testing.T) {
	inRoom(t, func(r *room) {
		old := []byte("# Notes\r\n\r\nKept as it is.")
		write(t, r, engine.ItemWrite{Files: map[string][]byte{"elaboration-notes.md": old}})
		r.say("done")
		r.pass(time.Minute)
		item, err := r.store.ReadItem(t.Context(), ledgers)
		if err != nil {
			t.Fatal(err)
		}
		text := string(item.Files["elaboration-notes.md"])
		if !strings.HasPrefix(text, string(old)) || strings.Count(text, "<!-- Elaboration: step 00-00, ") != 1 {
			t.Errorf("got artifact %q", text)
		}
		meta, err := document.ParseMeta(item.Meta)
		if err != nil {
			t.Fatal(err)
		}
		records := meta.Elaborations()
		if len(records) != 1 || records[0].TurnCount != 3 || records[0].StepID != "00-00" {
			t.Errorf("got records %v, want one of three turns", records)
		}
		d := r.discussion()
		if d.State != roundtable.StateClosed || len(d.Changes) != 1 || d.Changes[0].Added == "" {
			t.Errorf("got state %s with changes %v, want closed with one", d.State, d.Changes)
		}
	})
}

func write(t *testing.T, r *room, w engine.ItemWrite) {
	t.Helper()
	if err := r.store.WriteItem(t.Context(), ledgers, w); err != nil {
		t.Fatal(err)
	}
}

// Two discussions that end at the same moment both land (FR-008).
func TestEnrichBesideOthers(t *testing.T) {
	inRoom(t, func(r *room) {
		r.stop()
		rival := &rivalItems{Items: r.store, left: 3}
		r.items = rival
		r.start()
		r.say("done")
		r.pass(time.Minute)
		item, err := r.store.ReadItem(t.Context(), ledgers)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(item.Files); got != 2 {
			t.Errorf("got %d artifacts, want the rival's and ours", got)
		}
		if got := r.discussion().State; got != roundtable.StateClosed {
			t.Errorf("got state %s", got)
		}
	})
}

// rivalItems lets somebody else write between every read and write, a few times.
type rivalItems struct {
	engine.Items
	left int32
}

func (i *rivalItems) ReadItem(ctx context.Context, ref engine.ItemRef) (engine.Item, error) {
	item, err := i.Items.ReadItem(ctx, ref)
	if err == nil && atomic.AddInt32(&i.left, -1) >= 0 {
		err = i.WriteItem(ctx, ref, engine.ItemWrite{Version: item.Version, Files: map[string][]byte{"rival.md": []byte("# Rival\n")}})
	}
	return item, err
}

// A meta.json that cannot be read is reported and never overwritten, and nothing
// else of the item is changed either (FR-008); once it is mended the person goes
// on with the button (I10).
func TestCorruptMetaIsKept(t *testing.T) {
	inRoom(t, func(r *room) {
		corrupt := []byte(`{"slug": "ledgers",,}`)
		write(t, r, engine.ItemWrite{Meta: corrupt})
		r.say("done")
		r.pass(time.Minute)
		item, err := r.store.ReadItem(t.Context(), ledgers)
		if err != nil {
			t.Fatal(err)
		}
		if string(item.Meta) != string(corrupt) || len(item.Files) != 0 {
			t.Errorf("the item became %q with %d files", item.Meta, len(item.Files))
		}
		d := r.discussion()
		if d.Stalled == nil || d.Stalled.Reason != thread.ReasonArtifactRefused {
			t.Fatalf("got stall %v, want artifact_refused", d.Stalled)
		}
		write(t, r, engine.ItemWrite{Version: item.Version, Meta: []byte(`{"slug": "ledgers"}`)})
		r.press(roundtable.ButtonRetry)
		r.pass(time.Minute)
		if got := r.discussion().State; got != roundtable.StateClosed {
			t.Errorf("got state %s after the retry", got)
		}
	})
}

// A discussion that is over leaves the store after it has answered late messages for a
// while (FR-101).
func TestOverIsClosed(t *testing.T) {
	inRoom(t, func(r *room) {
		r.options.Poll = time.Minute
		r.stop()
		r.start()
		r.say("done")
		r.pass(time.Hour)
		told := len(r.slack.Told())
		r.say("one more thing")
		r.pass(time.Hour)
		if got := len(r.slack.Told()) - told; got != 1 {
			t.Errorf("the late message got %d answers, want 1", got)
		}
		r.pass(thread.ClosedGrace + time.Hour)
		in := roundtable.Input{ID: "m:late", At: time.Now(), Event: roundtable.Said{TS: "1.1", Text: "hello?"}}
		if got := r.deliver(in); got != engine.Closed {
			t.Errorf("got %s, want closed", got)
		}
	})
}

// After the store forgot the newest commits, posts that stand in Slack are taken
// as posted and not made again (I3, NFR-101).
func TestRewoundStore(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 0
		before := r.store.Snapshot()
		ts := r.slack.Timestamp()
		said := roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: thread.Person{ID: "U1", Name: "Priya"}, Text: "What about refunds?"}}
		r.deliver(said)
		r.pass(time.Minute)
		standing := len(r.contributions())
		posts, _ := r.slack.Posts()
		r.store.Rewind(before)
		r.deliver(said) // Slack, or a replica that remembers, delivers again
		r.pass(2 * time.Minute)
		if got := len(r.contributions()); got != standing {
			t.Errorf("got %d contributions, want %d", got, standing)
		}
		if got, _ := r.slack.Posts(); got != posts {
			t.Errorf("%d posts were made again", got-posts)
		}
		if got := r.discussion().Turns; got != 5 {
			t.Errorf("got %d turns, want 5", got)
		}
	})
}
