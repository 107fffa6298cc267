package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

var ends = flag.Int("ends", 40, "how often two elaborations and a step of one item end at once")

// TestManyEndAtOnce ends two elaborations and a step of an analysis on one item at
// once, on two replicas and a real Redis. All three have read the item when the
// first of them writes it. Every record and every block is there afterwards
// (FR-008, FR-009, NFR-003, NFR-004, I8; FR-008: both land).
func TestManyEndAtOnce(t *testing.T) {
	t.Parallel()
	server := storagetest.Redis(t)
	store, err := storage.Open(t.Context(), storage.Options{URL: server.URL, PaceRate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	meeting := &meeting{Items: store, at: map[engine.ItemRef]*sync.WaitGroup{}, seen: map[engine.ItemRef]int{}}
	replicas := [2]*engine.Engine{meeting.replica(t, store), meeting.replica(t, store)}
	var rounds sync.WaitGroup
	hands := make(chan struct{}, 16)
	for n := range *ends {
		hands <- struct{}{}
		rounds.Go(func() {
			defer func() { <-hands }()
			e := ending{t: t, channel: fmt.Sprintf("C%d", n), replicas: replicas, store: store}
			e.play()
		})
	}
	rounds.Wait()
	t.Logf("%d rounds, %d writes in conflict", *ends, meeting.conflicts.Load())
	if got := int(meeting.conflicts.Load()); got < 2**ends {
		t.Errorf("%d writes were in conflict, want at least %d: they did not end at once", got, 2**ends)
	}
}

// meeting lets the first three who write an item write it at the same moment.
type meeting struct {
	engine.Items
	conflicts atomic.Int64
	mu        sync.Mutex
	at        map[engine.ItemRef]*sync.WaitGroup
	seen      map[engine.ItemRef]int
}

func (m *meeting) replica(t *testing.T, store engine.Store) *engine.Engine {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{
		Store: store, Items: m, Workplace: &enginetest.Slack{}, Panel: &enginetest.Panel{},
		Roster: func() persona.Roster { return set.Roster }, Catalogue: func() analysis.Catalogue { return set.Steps.Catalogue },
		Owner: fmt.Sprintf("replica-%p", &set), Poll: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return e
}

// WriteItem implements engine.Items.
func (m *meeting) WriteItem(ctx context.Context, ref engine.ItemRef, w engine.ItemWrite) error {
	m.mu.Lock()
	all := m.at[ref]
	if all == nil {
		all = &sync.WaitGroup{}
		all.Add(3)
		m.at[ref] = all
	}
	m.seen[ref]++
	first := m.seen[ref] <= 3
	m.mu.Unlock()
	if first {
		all.Done()
		all.Wait()
	}
	err := m.Items.WriteItem(ctx, ref, w)
	if errors.Is(err, engine.ErrConflict) {
		m.conflicts.Add(1)
	}
	return err
}

// ending is one round, in a channel of its own.
type ending struct {
	t        *testing.T
	channel  string
	replicas [2]*engine.Engine
	store    *storage.Redis
	messages atomic.Int64
}

func (e *ending) ref(id string) engine.Ref {
	return engine.Ref{Team: "T1", Channel: e.channel, ID: id + e.channel}
}

func (e *ending) play() {
	const item, step = "offline-mode", "00-01"
	place := thread.Place{Team: "T1", Channel: e.channel}
	priya := thread.Person{ID: "U1", Name: "Priya"}
	discussions := []engine.Ref{e.ref("D1"), e.ref("D2")}
	for _, ref := range discussions {
		in := roundtable.Input{ID: "open", At: time.Now(), Event: roundtable.Opened{
			Discussion: ref.ID, Place: place, By: priya, Topic: "Scope Estimation", Item: item, ItemTitle: "Offline mode",
			Step: roundtable.StepRef{ID: step, Title: "Scope Estimation", Outputs: []string{analysis.QuickScanFile}},
			Cast: enginetest.Seats(), Lead: "business-analyst", Settings: roundtable.Settings{MaxTurns: 10},
		}}
		body, err := roundtable.EncodeInput(in)
		e.deliver(ref, in.ID, body, err, true)
	}
	walk := e.ref("A1")
	opened := analysis.Input{ID: "open", At: time.Now(), Event: analysis.Opened{
		Analysis: walk.ID, Place: place, By: priya, Item: item, ItemTitle: "Offline mode", Cast: enginetest.Seats(),
	}}
	body, err := analysis.EncodeInput(opened)
	e.deliver(walk, opened.ID, body, err, true)

	e.until(walk, func(a analysis.Analysis) bool { return a.State == analysis.StateAsking && a.Ask == nil })
	e.say(walk, "About 3 files in 1 module, low complexity.")
	e.until(walk, func(a analysis.Analysis) bool {
		return a.State == analysis.StateAsking && a.Ask == nil && a.Step.Answers == 1
	})
	for _, ref := range discussions {
		e.untilDiscussion(ref, func(d roundtable.Discussion) bool {
			return d.State == roundtable.StateDiscussionLoop && d.Ask == nil
		})
	}
	var all sync.WaitGroup
	for _, ref := range append(discussions, walk) {
		all.Go(func() { e.say(ref, "done") })
	}
	all.Wait()
	for _, ref := range discussions {
		e.untilDiscussion(ref, func(d roundtable.Discussion) bool { return d.State == roundtable.StateClosed })
	}
	e.until(walk, func(a analysis.Analysis) bool { return a.State == analysis.StateMenu })
	e.check(engine.ItemRef{Team: "T1", Channel: e.channel, Slug: item}, step)
}

// check looks for every record and every block.
func (e *ending) check(ref engine.ItemRef, step string) {
	item, err := e.store.ReadItem(context.Background(), ref)
	if err != nil {
		e.t.Error(err)
		return
	}
	meta, err := document.ParseMeta(item.Meta)
	if err != nil {
		e.t.Error(err)
		return
	}
	if got := meta.Elaborations(); len(got) != 2 || got[0].StepID != step || got[1].StepID != step {
		e.t.Errorf("%s: the records are %+v, want two of step %s", ref.Channel, got, step)
	}
	if got := meta.StepsCompleted(); !slices.Contains(got, step) {
		e.t.Errorf("%s: the completed steps are %v, want %s among them", ref.Channel, got, step)
	}
	scan := item.Files[analysis.QuickScanFile]
	for part, want := range map[string]int{"Elaboration Insights (Step " + step: 2, "About 3 files in 1 module": 1} {
		if got := bytes.Count(scan, []byte(part)); got != want {
			e.t.Errorf("%s: %q stands %d times in the document, want %d:\n%s", ref.Channel, part, got, want, scan)
		}
	}
}

func (e *ending) say(ref engine.Ref, text string) {
	ts := fmt.Sprintf("%d.%06d", time.Now().Unix(), e.messages.Add(1))
	in := roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: thread.Person{ID: "U1", Name: "Priya"}, Text: text}}
	body, err := roundtable.EncodeInput(in)
	e.deliver(ref, in.ID, body, err, false)
}

// deliver gives an input to one of the replicas.
func (e *ending) deliver(ref engine.Ref, id string, body []byte, err error, opens bool) {
	if err == nil {
		replica := e.replicas[(len(ref.ID)+strings.Count(ref.ID, "1"))%2]
		_, err = replica.Receive(context.Background(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: id, Body: body}, Opens: opens})
	}
	if err != nil {
		e.t.Error(err)
	}
}

// until polls an analysis, in real time, until it stands as it should.
func (e *ending) until(ref engine.Ref, ok func(analysis.Analysis) bool) {
	e.poll(ref, func() bool {
		a, err := enginetest.Analysis(context.Background(), e.store, ref)
		return err == nil && ok(a)
	})
}

func (e *ending) untilDiscussion(ref engine.Ref, ok func(roundtable.Discussion) bool) {
	e.poll(ref, func() bool {
		d, err := enginetest.Discussion(context.Background(), e.store, ref)
		return err == nil && ok(d)
	})
}

func (e *ending) poll(ref engine.Ref, ok func() bool) {
	for end := time.Now().Add(time.Minute); !ok(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			e.t.Errorf("%s never stands as it should", ref.ID)
			return
		}
	}
}
