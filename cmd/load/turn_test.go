package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot/llm/offline"
	"github.com/roundtable-chat/app/manifests"
	rules "github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/storage"
	"github.com/roundtable-chat/app/storage/storagetest"
)

// room is a Slack that takes no time. It tells each channel's discussion what was
// posted. The embedded interface is nil: nothing else is asked of Slack here.
type room struct {
	engine.Workplace
	at    atomic.Int64
	posts map[string]chan engine.Posting // by channel
}

func (r *room) Post(_ context.Context, p engine.Posting) (string, error) {
	r.posts[p.Place.Channel] <- p
	return fmt.Sprintf("%d.%06d", time.Now().Unix(), r.at.Add(1)%1e6), nil
}

func (*room) Find(context.Context, thread.Place, time.Time) ([]engine.Found, error) { return nil, nil }
func (*room) Retract(context.Context, thread.Place, string) error                   { return nil }
func (*room) ShowRoot(context.Context, thread.Place, thread.Message) error          { return nil }
func (*room) Tell(context.Context, thread.Place, string, string) error              { return nil }
func (*room) React(context.Context, thread.Place, string, string) error             { return nil }
func (*room) Think(context.Context, thread.Place, []persona.Seat) error             { return nil }

// talk is one discussion in the room, seen from the person who speaks in it.
type talk struct {
	engine *engine.Engine
	ref    engine.Ref
	posts  chan engine.Posting
	n      int
}

const speaker = "U0PRIYA01"

func (k *talk) tell(ctx context.Context, id string, at time.Time, e rules.Event, opens bool) error {
	body, err := rules.EncodeInput(rules.Input{ID: id, At: at, Event: e})
	if err != nil {
		return err
	}
	got, err := k.engine.Receive(ctx, engine.Delivery{Ref: k.ref, Mail: engine.Mail{ID: id, Body: body}, Opens: opens, Thread: "1.000001"})
	if err == nil && got != engine.Stored {
		err = fmt.Errorf("%s was not stored: %s", id, got)
	}
	return err
}

func (k *talk) await(n int) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for range n {
		select {
		case <-k.posts:
		case <-limit.C:
			return errUnanswered
		}
	}
	return nil
}

func (k *talk) open(ctx context.Context, roster persona.Roster, gather time.Duration) error {
	lead, _ := roster.Lead(rules.FreeStep)
	err := k.tell(ctx, "o", time.Now(), rules.Opened{
		Discussion: k.ref.ID, By: thread.Person{ID: speaker, Name: "Priya"}, Topic: topics[0], Item: "item-" + k.ref.Channel, ItemTitle: topics[0],
		Place: thread.Place{Team: k.ref.Team, Channel: k.ref.Channel, Thread: "1.000001"},
		Step:  rules.StepRef{ID: rules.FreeStep, Title: topics[0], Outputs: []string{rules.FreeOutput}},
		Cast:  roster.Seats(), Lead: lead, Settings: rules.Settings{MaxTurns: endless, Gather: gather},
	}, true)
	return errors.Join(err, k.await(5)) // introduction, framing, two contributions, the floor
}

// say is a message, and its n answers.
func (k *talk) say(ctx context.Context, text string, n int) error {
	k.n++
	now := time.Now()
	ts := strconv.FormatInt(now.Unix(), 10) + fmt.Sprintf(".%06d", k.n)
	if err := k.tell(ctx, "m:"+ts, now, rules.Said{TS: ts, By: thread.Person{ID: speaker, Name: "Priya"}, Text: text}, false); err != nil {
		return err
	}
	return k.await(n)
}

// personas are the offline ones.
func personas(b testing.TB, roster persona.Roster) engine.Panel {
	b.Helper()
	panel, err := offline.New(offline.Options{Roster: roster})
	if err != nil {
		b.Fatal(err)
	}
	return panel
}

// puppets say one line and think nothing: what is left is the engine's own cost.
func puppets(testing.TB, persona.Roster) engine.Panel { return &enginetest.Panel{} }

// talks are n discussions, opened and hushed, on one engine with a private
// redis-server.
func talks(b testing.TB, n int, gather time.Duration, cast func(testing.TB, persona.Roster) engine.Panel) ([]*talk, *storagetest.Trips) {
	b.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		b.Fatal(err)
	}
	client, count := storagetest.Redis(b, "--appendonly", "yes").Client(b), &storagetest.Trips{}
	client.AddHook(count)
	b.Cleanup(func() { _ = client.Close() })
	store, err := storage.Open(b.Context(), storage.Options{Client: client, PaceRate: 1000, PaceBurst: 1000})
	if err != nil {
		b.Fatal(err)
	}
	slack := &room{posts: map[string]chan engine.Posting{}}
	all := make([]*talk, n)
	for i := range all {
		ref := engine.Ref{Team: "T1", Channel: fmt.Sprintf("C%d", i), ID: fmt.Sprintf("d%d", i)}
		slack.posts[ref.Channel] = make(chan engine.Posting, 16)
		all[i] = &talk{ref: ref, posts: slack.posts[ref.Channel]}
	}
	e, err := engine.New(engine.Options{Store: store, Items: store, Workplace: slack, Panel: cast(b, set.Roster), Owner: "bench", Poll: time.Hour, // its looking for work would be counted
		Roster: func() persona.Roster { return set.Roster }})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	b.Cleanup(func() { stop(); <-done })
	for _, k := range all {
		k.engine = e
		if err := errors.Join(k.open(b.Context(), set.Roster, gather), k.say(b.Context(), "quiet", 1)); err != nil {
			b.Fatal(err)
		}
	}
	return all, count
}

// A human turn with one reply takes at most four round trips to Redis, with and without
// a gathering window (NFR-104).
func TestTurnTakesFewRoundTrips(t *testing.T) {
	const turns, budget = 10, 4
	for _, gather := range []time.Duration{0, 20 * time.Millisecond} {
		t.Run("gathering "+gather.String(), func(t *testing.T) {
			all, count := talks(t, turns, gather, puppets)
			// The server learns each script when it is first asked for, with one trip more.
			if err := all[0].say(t.Context(), questions[0], 1); err != nil {
				t.Fatal(err)
			}
			before := atRest(t, count)
			for i, k := range all {
				if err := k.say(t.Context(), questions[i%len(questions)], 1); err != nil {
					t.Fatal(err)
				}
			}
			if got := atRest(t, count) - before; got > turns*budget {
				t.Errorf("%d turns took %d round trips, want at most %d for each", turns, got, budget)
			}
		})
	}
}

// atRest is how many round trips there were once no more follow.
func atRest(t *testing.T, count *storagetest.Trips) int64 {
	t.Helper()
	for n := count.Count(); ; {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("the engine does not come to rest")
		}
		before := n
		if n = count.Count(); n == before {
			return n
		}
	}
}

// BenchmarkTurn is a human turn with one reply through the rules, the engine, the
// offline personas and a real Redis, without Slack: many discussions at once, so
// that a profile (-cpuprofile) shows what dominates a busy replica.
func BenchmarkTurn(b *testing.B) {
	all, count := talks(b, 32, 0, personas)
	before := count.Count()
	var turns, failed atomic.Int64
	b.ResetTimer()
	var talking sync.WaitGroup
	for _, k := range all {
		talking.Go(func() {
			for turns.Add(1) <= int64(b.N) {
				if err := k.say(b.Context(), questions[k.n%len(questions)], 1); err != nil {
					failed.Add(1)
				}
			}
		})
	}
	talking.Wait()
	b.StopTimer()
	if n := failed.Load(); n > 0 {
		b.Errorf("%d turns failed", n)
	}
	b.ReportMetric(float64(count.Count()-before)/float64(b.N), "trips/turn")
}

// BenchmarkTurnAtLength is a turn of a discussion that is so many human turns old:
// what a turn costs must not depend on that (NFR-104). Every turn makes the
// discussion longer, so it wants a small fixed number of them (-benchtime 50x).
func BenchmarkTurnAtLength(b *testing.B) {
	for name, cast := range map[string]func(testing.TB, persona.Roster) engine.Panel{"puppets": puppets, "offline": personas} {
		for _, age := range []int{10, 100, 400} {
			b.Run(name+"/"+strconv.Itoa(age), func(b *testing.B) {
				all, _ := talks(b, 1, 0, cast)
				k := all[0]
				for range age {
					if err := k.say(b.Context(), questions[k.n%len(questions)], 1); err != nil {
						b.Fatal(err)
					}
				}
				b.ResetTimer()
				for range b.N {
					if err := k.say(b.Context(), questions[k.n%len(questions)], 1); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
