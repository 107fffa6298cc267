package engine_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// clerk asks one thing and writes nothing down; it notes which documents it was told.
type clerk struct {
	mu   sync.Mutex
	told [][]engine.Document
}

func (c *clerk) Inquire(_ context.Context, q engine.Inquiry) (analysis.Asked, error) {
	c.note(q)
	return analysis.Asked{Question: "How large is it?"}, nil
}

func (c *clerk) Compose(_ context.Context, q engine.Inquiry) (*analysis.Draft, error) {
	c.note(q)
	return nil, nil
}

func (c *clerk) note(q engine.Inquiry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, q.Documents)
}

// Whoever leads an analysis is told what stands in the item's documents, as it stands
// when it asks and when it writes: a step that says that it reviewed them has seen them
// (AC-011-03).
func TestInquirerReadsTheDocuments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, err := manifests.Load(nil)
		if err != nil {
			t.Fatal(err)
		}
		c := &clerk{}
		r := newRoom(t)
		r.options.Inquirer, r.options.Catalogue = c, func() analysis.Catalogue { return set.Steps.Catalogue }
		long := strings.Repeat("é", 32<<10)
		item := engine.ItemRef{Team: enginetest.Ref().Team, Channel: enginetest.Ref().Channel, Slug: "offline-mode"}
		err = r.store.WriteItem(t.Context(), item, engine.ItemWrite{Key: "k", Files: map[string][]byte{
			"notes.md": []byte("# Notes\n\nAbout 12 files.\n"), "empty.md": []byte(" \n"), "picture.md": []byte("\xff\xfe"), "long.md": []byte(long),
		}})
		if err != nil {
			t.Fatal(err)
		}
		r.start()
		defer r.stop()
		body, err := analysis.EncodeInput(analysis.Input{ID: "o:1", At: time.Now(), Event: analysis.Opened{
			Analysis: enginetest.Ref().ID, Place: thread.Place{Team: item.Team, Channel: item.Channel}, By: thread.Person{ID: "U1", Name: "Priya"},
			Item: item.Slug, ItemTitle: "Offline mode", Cast: enginetest.Roster().Seats(),
		}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.engine.Receive(t.Context(), engine.Delivery{Ref: enginetest.Ref(), Mail: engine.Mail{ID: "o:1", Body: body}, Opens: true}); err != nil {
			t.Fatal(err)
		}
		r.pass(time.Minute)
		r.say("Twelve files.")
		r.pass(time.Minute)
		r.say("done")
		r.pass(time.Minute)
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.told) < 3 {
			t.Fatalf("asked %d times, want twice for a question and once for a draft", len(c.told))
		}
		want := []engine.Document{{File: "long.md", Text: long[:32<<10] + " […]"}, {File: "notes.md", Text: "# Notes\n\nAbout 12 files."}}
		if diff := cmp.Diff(want, c.told[0]); diff != "" {
			t.Error(diff)
		}
	})
}
