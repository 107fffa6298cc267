package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

func TestNewChecksItsOptions(t *testing.T) {
	m := &enginetest.Memory{}
	good := engine.Options{Store: m, Items: m, Workplace: &enginetest.Slack{}, Panel: &enginetest.Panel{}, Roster: enginetest.Roster, Owner: "a", Metrics: prometheus.NewRegistry()}
	tests := []struct {
		name   string
		change func(*engine.Options)
		want   string
	}{
		{"complete", func(*engine.Options) {}, ""},
		{"no store", func(o *engine.Options) { o.Store = nil }, "needed"},
		{"no owner", func(o *engine.Options) { o.Owner = "" }, "Owner"},
		{"lingers too long", func(o *engine.Options) { o.Linger = time.Minute }, "Linger"},
		{"settles before the post is over", func(o *engine.Options) { o.Settle = time.Second }, "Settle"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := good
			o.Metrics = prometheus.NewRegistry()
			test.change(&o)
			_, err := engine.New(o)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// A human turn with one reply costs at most four requests to the store
// (NFR-104), and one message in Slack.
func TestHumanTurnCostsFourRequests(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 0
		n, before := len(r.replica.Calls()), len(r.contributions())
		r.say("What about refunds?")
		r.pass(20 * time.Second)
		got := r.calls(n, "store.")
		want := []string{"store.deliver", "store.renew", "store.commit+state+attempt", "store.commit+state+done+release"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if got := len(r.contributions()) - before; got != 1 {
			t.Errorf("got %d contributions, want 1", got)
		}
	})
}

// Contributions are posted as they complete, not when all are done (FR-104).
func TestContributionsAreStreamed(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 10 * time.Second
		before := len(r.contributions())
		r.say("What do you all think?")
		var got []int
		for range 4 {
			r.pass(10 * time.Second)
			got = append(got, len(r.contributions())-before)
		}
		if want := []int{0, 0, 1, 2}; !slices.Equal(got, want) {
			t.Errorf("after every ten seconds got %v contributions, want %v", got, want)
		}
	})
}

// The log of a discussion is kept while people talk, and no longer (NFR-104).
func TestLogIsKeptWhilePeopleTalk(t *testing.T) {
	inRoom(t, func(r *room) {
		r.say("Alex, does this scale?")
		r.pass(15 * time.Second)
		if got := r.engine.LogsKept(); got != 1 {
			t.Errorf("%d logs are kept after the answer, want 1", got)
		}
		r.pass(time.Minute)
		if got := r.engine.LogsKept(); got != 0 {
			t.Errorf("%d logs are kept a minute later, want none", got)
		}
	})
}

// What is written while personas think is shown as heard, kept, and taken up in
// the next round (FR-113); what is delivered twice is taken up once (I2).
func TestMailDuringARound(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 10 * time.Second
		r.say("Alex, does this scale?")
		r.pass(5 * time.Second)
		ts := r.say("I mean writes.")
		r.pass(time.Second)
		if got, want := r.slack.Reactions(), []string{ts + " eyes"}; !slices.Equal(got, want) {
			t.Errorf("got reactions %v, want %v", got, want)
		}
		again := roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, Text: "I mean writes."}}
		if got := r.deliver(again); got != engine.Duplicate {
			t.Errorf("got %s, want duplicate", got)
		}
		r.pass(2 * time.Minute)
		_, transcript, err := enginetest.Transcript(t.Context(), r.states(), enginetest.Ref())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, turn := range transcript.Turns[3:] {
			got = append(got, string(turn.Persona)+turn.Person.Name)
		}
		if want := []string{"Priya", "Priya", "solutions-architect", "business-analyst", "system-designer", "business-analyst"}; !slices.Equal(got, want) {
			t.Errorf("got turns of %v, want %v", got, want)
		}
	})
}

// Before Run, and while it stops, mail is stored but no discussion claimed.
func TestReceiveBeforeRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		e, err := engine.New(engine.Options{Store: r.store, Items: r.store, Workplace: r.slack, Panel: r.panel, Roster: enginetest.Roster, Owner: "idle"})
		if err != nil {
			t.Fatal(err)
		}
		r.engine = e
		if got := r.deliver(enginetest.Opening(roundtable.Settings{}, time.Now())); got != engine.Stored {
			t.Errorf("got %s, want stored", got)
		}
		if n, _ := r.slack.Posts(); n != 0 {
			t.Errorf("%d posts were made before Run", n)
		}
		r.start()
		defer r.stop()
		r.pass(time.Minute)
		if got := r.discussion().State; got != roundtable.StateDiscussionLoop {
			t.Errorf("got state %s once it runs", got)
		}
	})
}

// Told to stop, an engine lets a post that is under way end, drops the question
// to the panel, and gives the discussion back at once: another replica goes on
// without waiting for the lease (NFR-101). No goroutine is left, or the bubble
// would not end.
func TestDraining(t *testing.T) {
	tests := []struct {
		name string
		when time.Duration // after a message is said
	}{
		{"while the panel thinks", 6 * time.Second},
		{"while a post is under way", 13050 * time.Millisecond},
		{"while it lingers", time.Second},
		{"while idle", 5 * time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inRoom(t, func(r *room) {
				r.panel.Delay = 5 * time.Second
				before := len(r.contributions())
				r.say("What about refunds?")
				r.pass(test.when)
				start := time.Now()
				r.stop()
				if took := time.Since(start); took > time.Second {
					t.Errorf("stopping took %v", took)
				}
				r.start()
				r.pass(20 * time.Second) // less than a lease
				if got := len(r.contributions()) - before; got != 1 {
					t.Errorf("got %d contributions, want 1", got)
				}
				if d := r.discussion(); d.Turns != 5 || d.Ask != nil {
					t.Errorf("got turn %d and open question %v, want turn 5 and none", d.Turns, d.Ask)
				}
			})
		})
	}
}

// A store that fails delays and loses nothing; it is not the mail's fault.
func TestStoreTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		flaky := &flakyStore{Store: r.store}
		r.options.Store = flaky
		r.start()
		defer r.stop()
		flaky.failing.Store(true)
		_, err := r.engine.Receive(t.Context(), engine.Delivery{Ref: enginetest.Ref(), Opens: true})
		if !errors.Is(err, errCut) {
			t.Errorf("Receive returned %v; only what is stored may be acknowledged (I1)", err)
		}
		flaky.failing.Store(false)
		r.deliver(enginetest.Opening(roundtable.Settings{}, time.Now()))
		flaky.failing.Store(true)
		r.pass(10 * time.Minute)
		flaky.failing.Store(false)
		r.pass(2 * time.Minute)
		if got := r.discussion().State; got != roundtable.StateDiscussionLoop {
			t.Errorf("got state %s after the store came back", got)
		}
		if letters, _ := r.store.DeadLetters(t.Context(), 10); len(letters) != 0 {
			t.Errorf("%d inputs were put aside because the store failed", len(letters))
		}
	})
}

// errCut is what a caller sees of a connection that ended.
var errCut = errors.New("connection cut")

type flakyStore struct {
	engine.Store
	failing atomic.Bool
}

func (s *flakyStore) Deliver(ctx context.Context, d engine.Delivery) (engine.Delivered, error) {
	if s.failing.Load() {
		return engine.Delivered{}, errCut
	}
	return s.Store.Deliver(ctx, d)
}

func (s *flakyStore) Commit(ctx context.Context, h *engine.Claim, c engine.Commit) (engine.Committed, error) {
	if s.failing.Load() {
		return engine.Committed{}, errCut
	}
	return s.Store.Commit(ctx, h, c)
}

func (s *flakyStore) Claim(ctx context.Context, ref engine.Ref, by engine.Claimant) (*engine.Claim, error) {
	if s.failing.Load() {
		return nil, errCut
	}
	return s.Store.Claim(ctx, ref, by)
}

func (s *flakyStore) Due(ctx context.Context, limit int) ([]engine.Ref, error) {
	if s.failing.Load() {
		return nil, errCut
	}
	return s.Store.Due(ctx, limit)
}
