package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// hall is a replica with many discussions in many channels, on a store with a pace
// and limits, in virtual time.
type hall struct {
	*room
	n     int
	alone bool // one person says everything; otherwise seven take turns
}

func inHall(t *testing.T, change func(*engine.Options), f func(h *hall)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &hall{room: newRoom(t)}
		h.slack.Latency, h.panel.Delay = 50*time.Millisecond, time.Second
		if change != nil {
			change(&h.options)
		}
		h.start()
		defer h.stop()
		f(h)
	})
}

func refOf(channel string, n int) engine.Ref {
	return engine.Ref{Team: enginetest.Ref().Team, Channel: channel, ID: fmt.Sprintf("%s.%d", channel, n)}
}

// open opens a discussion on a topic.
func (h *hall) open(ref engine.Ref, topic string) {
	h.t.Helper()
	if got := h.put(ref, opening(ref, topic)); got != engine.Stored {
		h.t.Fatalf("opening %s: %s", ref.ID, got)
	}
}

func (h *hall) put(ref engine.Ref, in roundtable.Input) engine.Reception {
	h.t.Helper()
	body, err := roundtable.EncodeInput(in)
	if err != nil {
		h.t.Fatal(err)
	}
	_, opens := in.Event.(roundtable.Opened)
	got, err := h.engine.Receive(h.t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: in.ID, Body: body}, Opens: opens})
	if err != nil {
		h.t.Fatal(err)
	}
	return got
}

// tell says something in a discussion and returns what became of it.
func (h *hall) tell(ref engine.Ref, text string) engine.Reception {
	h.n++
	ts, by := h.slack.Timestamp(), thread.Person{ID: "U1", Name: "Priya"}
	if !h.alone {
		by.ID = fmt.Sprintf("U%d", h.n%7)
	}
	return h.put(ref, roundtable.Input{ID: fmt.Sprintf("m:%s/%d", ts, h.n), At: time.Now(), Event: roundtable.Said{TS: ts, By: by, Text: text}})
}

// spoken is how many contributions stand in a discussion's thread.
func (h *hall) spoken(ref engine.Ref) (n int) {
	for _, m := range h.slack.Messages(ref.Channel) {
		if m.Message.Kind == thread.KindContribution && strings.HasPrefix(m.Key, ref.ID+"/") {
			n++
		}
	}
	return n
}

// answered tells how long a discussion takes to answer, in virtual time.
func (h *hall) answered(ref engine.Ref, limit time.Duration) time.Duration {
	h.t.Helper()
	before, asked := h.spoken(ref), time.Now()
	if got := h.tell(ref, "Alex, what breaks first?"); got != engine.Stored {
		h.t.Fatalf("a message to %s: %s", ref.ID, got)
	}
	for h.spoken(ref) == before {
		if time.Since(asked) > limit {
			h.t.Fatalf("%s had no answer within %v", ref.ID, limit)
		}
		h.pass(50 * time.Millisecond)
	}
	return time.Since(asked)
}

// patient is by how much an answer may be later than in an empty hall: a few looks
// for work.
const patient = 1500 * time.Millisecond

// A flood in one thread, and a flood of discussions in one channel, delay nobody in
// other threads and channels: an answer takes there what it takes in an empty hall,
// give or take a few looks for work, with few hands as with many.
func TestFloodsDelayNobodyElse(t *testing.T) {
	tests := []struct {
		name  string
		flood func(h *hall)
	}{
		{"500 messages in one thread", func(h *hall) {
			for range 500 {
				h.tell(refOf("CFLOOD", 0), "And another thing.")
			}
		}},
		{"300 discussions in one channel", func(h *hall) {
			for i := range 300 {
				h.open(refOf("CFLOOD", i+1), "Ledgers")
			}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inHall(t, func(o *engine.Options) { o.Workers = 8 }, func(h *hall) {
				quiet := refOf("CQUIET", 0)
				h.open(refOf("CFLOOD", 0), "Ledgers")
				h.open(quiet, "Ledgers")
				h.pass(time.Minute)
				want := h.answered(quiet, time.Minute)
				h.pass(time.Minute)
				test.flood(h)
				for range 5 {
					if got := h.answered(quiet, time.Minute); got > want+patient {
						t.Errorf("an answer took %v, without the flood %v", got, want)
					}
					h.pass(5 * time.Second)
				}
			})
		})
	}
}

// stuckPanel hangs in discussions about one topic until it is let go or told to stop.
type stuckPanel struct {
	engine.Panel
	topic string
	free  chan struct{}
}

func (p *stuckPanel) Discuss(ctx context.Context, r engine.RoundRequest, emit func(roundtable.Contribution) error) (roundtable.Ending, error) {
	if r.Subject.Topic == p.topic {
		select {
		case <-p.free:
		case <-ctx.Done():
			return roundtable.Ending{}, context.Cause(ctx)
		}
	}
	return p.Panel.Discuss(ctx, r, emit)
}

// A model that hangs holds no worker: with two workers and twenty hanging
// discussions another one answers as fast as ever. What hangs is a stated stop with
// a way on (I10), and mail to it is kept and committed meanwhile.
func TestHangingModelHoldsNoWorker(t *testing.T) {
	stuck := &stuckPanel{topic: "Tar"}
	inHall(t, func(o *engine.Options) { o.Workers, stuck.Panel, o.Panel = 2, o.Panel, stuck }, func(h *hall) {
		stuck.free = make(chan struct{}) // of the bubble
		quiet := refOf("CQUIET", 0)
		h.open(quiet, "Ledgers")
		h.pass(time.Minute)
		want := h.answered(quiet, time.Minute)
		for i := range 20 {
			h.open(refOf("CTAR", i), "Tar")
			h.pass(10 * time.Second)
		}
		for range 5 {
			if got := h.answered(quiet, time.Minute); got > want+patient {
				t.Errorf("an answer took %v, before the others hung %v", got, want)
			}
			h.pass(5 * time.Second)
		}
		h.alone = true
		for i := range 300 { // more than the mailbox takes
			if got := h.tell(refOf("CTAR", 19), "Hello?"); got != engine.Stored {
				t.Fatalf("message %d to a discussion whose model hangs: %s", i, got)
			}
			h.pass(50 * time.Millisecond)
		}
		h.pass(6 * time.Minute)
		d, err := enginetest.Discussion(t.Context(), h.states(), refOf("CTAR", 0))
		if err != nil || d.Stalled == nil || d.Stalled.Reason != thread.ReasonModelUnavailable {
			t.Errorf("got stall %+v (%v), want model_unavailable", d.Stalled, err)
		}
	})
}

// Beyond the bound of open questions a discussion is given back and asks again: it
// waits, holds nothing, and gets its answer when one is free.
func TestTooManyQuestionsArePutLater(t *testing.T) {
	stuck := &stuckPanel{topic: "Tar"}
	metrics := prometheus.NewRegistry()
	inHall(t, func(o *engine.Options) { o.Asks, stuck.Panel, o.Panel, o.Metrics = 3, o.Panel, stuck, metrics }, func(h *hall) {
		stuck.free = make(chan struct{})
		for i := range 5 {
			h.open(refOf(fmt.Sprintf("CTAR%d", i), 0), "Tar")
			h.pass(10 * time.Second)
		}
		open := func() (n int) {
			for i := range 5 {
				if h.spoken(refOf(fmt.Sprintf("CTAR%d", i), 0)) > 1 { // the framing is the first
					n++
				}
			}
			return n
		}
		h.pass(30 * time.Second)
		if got := open(); got != 0 {
			t.Fatalf("%d discussions were answered although the model hangs", got)
		}
		if got := counted(t, metrics, "roundtable_asks_put_off_total"); got < 2 {
			t.Errorf("%v questions were put off, want at least one for each of two discussions", got)
		}
		close(stuck.free)
		h.pass(time.Minute)
		if got := open(); got != 5 {
			t.Errorf("%d discussions were answered once the model was back, want 5", got)
		}
	})
}

func counted(t *testing.T, from *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

// What a full mailbox refused, and Slack gave up delivering, is read from the
// thread once there is room (I1).
func TestFullMailboxIsReadAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.store.MailboxLimit = 3
		r.start()
		defer r.stop()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40, Gather: time.Second}, time.Now()))
		r.pass(time.Minute)
		// Somebody who has hung up holds the discussion, and people go on writing.
		first := r.write("Remark 0")
		body, err := roundtable.EncodeInput(first)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.store.Deliver(t.Context(), engine.Delivery{Ref: enginetest.Ref(), Mail: engine.Mail{ID: first.ID, Body: body}, Claim: &engine.Claimant{Owner: "hung"}}); got.Claim == nil || err != nil {
			t.Fatalf("Deliver = %v, %v", got, err)
		}
		want, full := []string{"Remark 0"}, 0
		for i := range 5 {
			r.pass(2 * time.Second)
			text := fmt.Sprintf("Remark %d", i+1)
			want = append(want, text)
			if r.deliver(r.write(text)) == engine.Full {
				full++
			}
		}
		if full != 3 {
			t.Fatalf("%d messages were refused, want 3", full)
		}
		r.pass(10 * time.Minute)
		if got := r.people(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		n := len(r.replica.Calls())
		r.pass(time.Hour)
		if got := r.calls(n, "slack.read"); len(got) != 0 {
			t.Errorf("the thread is read again and again: %v", got)
		}
	})
}
