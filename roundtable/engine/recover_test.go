package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// write makes a message of Priya's stand in the thread without telling anybody.
func (r *room) write(text string) roundtable.Input {
	r.t.Helper()
	ts := r.slack.Timestamp()
	in := roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: thread.Person{ID: "U1", Name: "Priya"}, Text: text}}
	r.slack.Hear(r.discussion().Place, in)
	return in
}

// leave puts an opening into the store while no replica runs.
func (r *room) leave(in roundtable.Input) {
	r.t.Helper()
	body, err := roundtable.EncodeInput(in)
	if err != nil {
		r.t.Fatal(err)
	}
	d := engine.Delivery{Ref: enginetest.Ref(), Mail: engine.Mail{ID: in.ID, Body: body}, Opens: true}
	if _, err := r.store.Deliver(r.t.Context(), d); err != nil {
		r.t.Fatal(err)
	}
}

// people are the texts of people's turns, in the order of the transcript.
func (r *room) people() []string {
	r.t.Helper()
	_, transcript, err := enginetest.Transcript(r.t.Context(), r.states(), enginetest.Ref())
	if err != nil {
		r.t.Fatal(err)
	}
	return spokenByPeople(transcript)
}

func spokenByPeople(t thread.Transcript) []string {
	var texts []string
	for _, turn := range t.Turns {
		if turn.Persona == "" {
			texts = append(texts, strings.Split(turn.Text, "\n")...)
		}
	}
	return texts
}

// Messages whose events never came are taken in once the connection stands again,
// in order, once, and with what was changed since (I1, I2).
func TestMissedMessages(t *testing.T) {
	inRoom(t, func(r *room) {
		first := r.write("What about refunds?")
		r.pass(time.Second)
		r.write("And who pays?")
		edit := roundtable.Input{ID: "e:x", At: time.Now(), Event: roundtable.Edited{
			TS: first.Event.(roundtable.Said).TS, By: thread.Person{ID: "U1", Name: "Priya"}, Text: "What about chargebacks?", EditedTS: r.slack.Timestamp(),
		}}
		r.slack.Hear(r.discussion().Place, edit)
		r.pass(time.Minute)
		if got := r.people(); len(got) != 0 {
			t.Fatalf("got %q before anybody looked", got)
		}
		for range 3 {
			r.engine.Missed()
			r.pass(time.Minute)
		}
		want := []string{"What about chargebacks?", "And who pays?"}
		if got := r.people(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := len(r.calls(0, "slack.read")); got != 3 {
			t.Errorf("the thread was read %d times, want 3", got)
		}
	})
}

// A thread that cannot be read is tried again, at Slack's pace and for as long as it
// takes; one that Slack refuses is left (I1).
func TestRecoveryIsPatient(t *testing.T) {
	unsent := &engine.SendError{Outcome: engine.Unsent, Err: errCut}
	tests := []struct {
		name  string
		err   *engine.SendError
		lasts time.Duration // how long reading fails
		reads int           // within an hour
		heard []string
	}{
		{"a moment", unsent, 3 * time.Second, 3, []string{"What about refunds?"}},
		{"longer than the first tries", unsent, time.Minute, 5, []string{"What about refunds?"}},
		{"half an hour", unsent, 30 * time.Minute, 9, []string{"What about refunds?"}},
		{"Slack says when", &engine.SendError{Outcome: engine.Unsent, After: 30 * time.Second, Err: errCut}, time.Minute, 3, []string{"What about refunds?"}},
		{"for good", &engine.SendError{Outcome: engine.Refused, Reason: thread.ReasonNotInChannel, Err: errCut}, 24 * time.Hour, 1, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inRoom(t, func(r *room) {
				r.stop()
				slack := &unreadable{Workplace: r.slack, err: test.err, until: time.Now().Add(test.lasts)}
				r.options.Workplace = slack
				r.start()
				r.write("What about refunds?")
				r.engine.Missed()
				r.pass(time.Hour)
				if got := r.people(); !slices.Equal(got, test.heard) {
					t.Errorf("got %q, want %q", got, test.heard)
				}
				if slack.reads != test.reads {
					t.Errorf("read %d times, want %d", slack.reads, test.reads)
				}
			})
		})
	}
}

// unreadable is a workplace of which no thread can be read for a while.
type unreadable struct {
	engine.Workplace
	err   error
	until time.Time
	reads int
}

func (u *unreadable) Read(ctx context.Context, p thread.Place, opened time.Time) ([]engine.Heard, error) {
	if u.reads++; time.Now().Before(u.until) {
		return nil, u.err
	}
	return u.Workplace.Read(ctx, p, opened)
}

// Once a store that failed answers again, what people wrote meanwhile is read from
// their threads: Slack may have given up on it (I1).
func TestMissedWhileTheStoreFailed(t *testing.T) {
	inRoom(t, func(r *room) {
		r.stop()
		store := &failing{Store: r.store}
		r.options.Store = store
		r.start()
		r.pass(time.Minute)
		store.fails.Store(true)
		r.pass(time.Minute)
		r.write("What about refunds?")
		store.fails.Store(false)
		r.pass(time.Minute)
		if got, want := r.people(), []string{"What about refunds?"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// failing is a store that may not say what is due.
type failing struct {
	engine.Store
	fails atomic.Bool
}

func (f *failing) Due(ctx context.Context, limit int) ([]engine.Ref, error) {
	if f.fails.Load() {
		return nil, errCut
	}
	return f.Store.Due(ctx, limit)
}

// What a store forgot of people's words is taken from Slack before anything new,
// and what was answered already is not answered again (I2–I4).
func TestForgottenMessages(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 0
		before := r.store.Snapshot()
		r.deliver(r.write("What about refunds?"))
		r.pass(time.Minute)
		posts, _ := r.slack.Posts()
		r.store.Rewind(before)
		r.deliver(r.write("And who pays?"))
		r.pass(2 * time.Minute)
		want := []string{"What about refunds?", "And who pays?"}
		if got := r.people(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		for key, n := range keysStanding(r.slack) {
			if n > 1 {
				t.Errorf("I3: %s stands %d times", key, n)
			}
		}
		if now, _ := r.slack.Posts(); now-posts != 1 {
			t.Errorf("%d posts followed, want the one answer that is new", now-posts)
		}
	})
}

// A store that forgot all but the opening of a discussion does not know its thread.
// What people wrote there is heard again all the same, and what is new waits until
// the posts that stand are taken as posted (I1–I4).
func TestForgottenThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.leave(enginetest.Opening(roundtable.Settings{MaxTurns: 40}, time.Now()))
		before := r.store.Snapshot()
		r.start()
		defer r.stop()
		r.pass(time.Minute)
		r.deliver(r.write("What about refunds?"))
		r.pass(time.Minute)
		contributions := len(r.contributions())
		done := r.write("done")
		r.store.Rewind(before)
		r.deliver(done)
		r.pass(3 * time.Minute)
		if got, want := r.people(), []string{"What about refunds?"}; !slices.Equal(got, want) {
			t.Errorf("I1: got %q, want %q", got, want)
		}
		if got := len(r.contributions()); got != contributions {
			t.Errorf("I3: %d contributions stand, want the %d from before", got, contributions)
		}
		if d := r.discussion(); d.State != roundtable.StateClosed || d.Turns != contributions+1 {
			t.Errorf("I5: %s with %d turns, want %s with %d", d.State, d.Turns, roundtable.StateClosed, contributions+1)
		}
	})
}

// Holders that end while they wait for Slack to settle, after the store forgot, do
// not count against what they had taken in until then (I1): no opening is put aside.
func TestEndsWhileVerifying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.leave(enginetest.Opening(roundtable.Settings{MaxTurns: 40}, time.Now()))
		r.store.Rewind(r.store.Snapshot())
		for range 8 {
			r.start()
			r.pass(5 * time.Second)
			r.replica.Kill()
			r.stop()
			r.pass(time.Minute)
		}
		r.start()
		defer r.stop()
		r.pass(2 * time.Minute)
		letters, err := r.store.DeadLetters(t.Context(), 10)
		if err != nil || len(letters) > 0 {
			t.Errorf("%d inputs were put aside (%v)", len(letters), err)
		}
		if d := r.discussion(); d.State != roundtable.StateDiscussionLoop {
			t.Errorf("got %s, want %s", d.State, roundtable.StateDiscussionLoop)
		}
	})
}

func keysStanding(s *enginetest.Slack) map[string]int {
	n := make(map[string]int)
	for _, m := range s.Messages(enginetest.Ref().Channel) {
		n[m.Key]++
	}
	return n
}

// After the store forgot, all threads are read once, however many discussions find
// out; and everybody together keeps the pace of one (NFR-101).
func TestOneSweepForEachRun(t *testing.T) {
	inRoom(t, func(r *room) {
		second := enginetest.Ref()
		second.ID = "D2"
		r.deliverTo(second, enginetest.Opening(roundtable.Settings{MaxTurns: 40}, time.Now()))
		r.pass(time.Minute)
		for range 2 {
			n := len(r.replica.Calls())
			r.store.Rewind(r.store.Snapshot())
			for _, ref := range []engine.Ref{enginetest.Ref(), second} {
				ts := r.slack.Timestamp()
				r.deliverTo(ref, roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: thread.Person{ID: "U1"}, Text: "And now?"}})
				r.pass(2 * time.Minute)
			}
			if got := len(r.calls(n, "slack.read")); got != 4 {
				t.Errorf("threads were read %d times, want each for itself and both once together", got)
			}
		}
	})
}

// deliverTo delivers an input to any discussion.
func (r *room) deliverTo(ref engine.Ref, in roundtable.Input) {
	r.t.Helper()
	opened, opens := in.Event.(roundtable.Opened)
	if opens {
		opened.Discussion = ref.ID
		in.Event = opened
	}
	body, err := roundtable.EncodeInput(in)
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.engine.Receive(r.t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: in.ID, Body: body}, Opens: opens}); err != nil {
		r.t.Fatal(err)
	}
}

// Two replicas that look for what was missed at the same time read no more threads a
// minute than one.
func TestReplicasShareThePaceOfReading(t *testing.T) {
	inRoom(t, func(r *room) {
		for i := range 20 {
			ref := enginetest.Ref()
			ref.ID = fmt.Sprintf("D%d", i+2)
			r.deliverTo(ref, enginetest.Opening(roundtable.Settings{MaxTurns: 40}, time.Now()))
		}
		r.pass(5 * time.Minute)
		options := r.options
		options.Store, options.Items, options.Workplace, options.Owner = r.replica.Store(r.store), r.replica.Items(r.store), r.replica.Workplace(r.slack), "other"
		other, err := engine.New(options)
		if err != nil {
			t.Fatal(err)
		}
		n := len(r.replica.Calls())
		begun := time.Now()
		var both sync.WaitGroup
		for _, e := range []*engine.Engine{r.engine, other} {
			both.Go(func() {
				if err := e.Recover(r.t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		reads, took := len(r.calls(n, "slack.read")), time.Since(begun)
		if most := int(took/(1500*time.Millisecond)) + 1; reads != 42 || reads > most {
			t.Errorf("%d readings in %v, want 42 and at most %d", reads, took, most)
		}
	})
}
