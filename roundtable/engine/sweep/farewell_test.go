package sweep_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// parting is an item that came from one discussion, and replicas, one after the other, that
// are told to forget it.
type parting struct {
	t       *testing.T
	store   *enginetest.Memory
	slack   *enginetest.Slack
	replica *enginetest.Replica
	engine  *engine.Engine
	stop    func()
}

var (
	partingRef = engine.Ref{Team: "T1", Channel: "C1", ID: "F1"}
	source     = engine.Ref{Team: "T1", Channel: "C1", ID: "D1"}
	ledgers    = engine.ItemRef{Team: "T1", Channel: "C1", Slug: "ledgers"}
)

// newParting makes the item and starts a replica that crashes as told.
func newParting(t *testing.T, c enginetest.Crash) *parting {
	t.Helper()
	p := &parting{t: t, store: &enginetest.Memory{}, slack: &enginetest.Slack{Latency: 100 * time.Millisecond}}
	if _, err := p.store.Deliver(t.Context(), engine.Delivery{Ref: source, Opens: true, Mail: engine.Mail{ID: "open"}}); err != nil {
		t.Fatal(err)
	}
	h, err := p.store.Claim(t.Context(), source, engine.Claimant{Owner: "before"})
	if err != nil {
		t.Fatal(err)
	}
	state, err := roundtable.Encode(roundtable.Discussion{ID: source.ID, State: roundtable.StateClosed, Over: true, Item: "ledgers", Opener: thread.Person{ID: "U1"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.store.Commit(t.Context(), h, engine.Commit{State: state, Consumed: []string{"open"}, Mode: engine.ModeRelease}); err != nil {
		t.Fatal(err)
	}
	w := engine.ItemWrite{Key: source.ID, Files: map[string][]byte{"notes.md": []byte("n")}, Opener: "U1"}
	if err := p.store.WriteItem(t.Context(), ledgers, w); err != nil {
		t.Fatal(err)
	}
	p.start(c)
	return p
}

func (p *parting) start(c enginetest.Crash) {
	p.t.Helper()
	p.replica = enginetest.NewReplica(c)
	var err error
	p.engine, err = engine.New(engine.Options{
		Store: p.replica.Store(p.store), Items: p.replica.Items(p.store), Workplace: p.replica.Workplace(p.slack), Farewells: p.replica.Farewells(p.store),
		Panel: &enginetest.Panel{}, Roster: enginetest.Roster, Owner: "replica", Poll: time.Minute, // or days take long
	})
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.engine.Run(ctx) }()
	p.stop = func() {
		cancel()
		if err := <-done; err != nil {
			p.t.Errorf("Run: %v", err)
		}
	}
}

// pass lets time pass, and puts another replica in the place of one that crashed.
func (p *parting) pass(d time.Duration) {
	p.t.Helper()
	for range 2 {
		<-time.After(d / 2)
		synctest.Wait()
		select {
		case <-p.replica.Dead():
			p.stop()
			p.start(enginetest.Crash{})
		default:
		}
	}
}

// tell delivers an input as Slack does: again until it was taken in.
func (p *parting) tell(in forgetting.Input) {
	p.t.Helper()
	body, err := forgetting.EncodeInput(in)
	if err != nil {
		p.t.Fatal(err)
	}
	_, opens := in.Event.(forgetting.Opened)
	for range 3 {
		r, err := p.engine.Receive(p.t.Context(), engine.Delivery{Ref: partingRef, Mail: engine.Mail{ID: in.ID, Body: body}, Opens: opens})
		if err == nil && (r == engine.Stored || r == engine.Duplicate) {
			return
		}
		if err != nil && !errors.Is(err, enginetest.ErrCrashed) {
			p.t.Fatal(err)
		}
		p.pass(time.Second)
	}
	p.t.Fatalf("%s was never taken in", in.ID)
}

func (p *parting) forget() {
	p.t.Helper()
	p.tell(forgetting.Input{ID: "o:F1", At: time.Now(), Event: forgetting.Opened{
		Forgetting: partingRef.ID, Place: thread.Place{Team: "T1", Channel: "C1"}, By: thread.Person{ID: "U1", Name: "Priya"}, Target: forgetting.Target{Item: "ledgers"},
	}})
	p.pass(5 * time.Minute)
}

// acts are the lines of the audit record.
func (p *parting) acts() (all []string) {
	p.t.Helper()
	err := p.store.ReadActs(p.t.Context(), engine.ActQuery{}, func(a engine.Act) error {
		if a.Item != thread.ItemMark("ledgers") || a.Thread != partingRef.ID {
			p.t.Errorf("the line %+v is not the item's", a)
		}
		all = append(all, strings.TrimSpace(string(a.Kind)+" "+a.By))
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}

// notices are the posts that stand.
func (p *parting) notices() (keys []string) {
	for _, m := range p.slack.Messages("C1") {
		if !m.Retracted {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

func (p *parting) same(what string, got, want any) {
	p.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (p *parting) item() engine.Item {
	p.t.Helper()
	item, err := p.store.ReadItem(p.t.Context(), ledgers)
	if err != nil {
		p.t.Fatal(err)
	}
	return item
}

// gone plays a forgetting to its end and judges it.
func (p *parting) gone(what string) {
	p.t.Helper()
	p.forget()
	p.same(what+": notices", p.notices(), []string{"F1/root"})
	if item := p.item(); !item.Hidden {
		p.t.Errorf("%s: the item is not out of sight: %+v", what, item)
	}
	p.pass(6 * 24 * time.Hour)
	if item := p.item(); item.Version == 0 {
		p.t.Errorf("%s: the item was removed early", what)
	}
	p.pass(2 * 24 * time.Hour)
	if item := p.item(); item.Version != 0 {
		p.t.Errorf("%s: the item is still there: %+v", what, item)
	}
	if _, _, err := p.store.Read(p.t.Context(), source); !errors.Is(err, engine.ErrNotFound) || errors.Is(err, engine.ErrForgotten) {
		p.t.Errorf("%s: the discussion is still there: %v", what, err)
	}
	if state, _, err := p.store.Read(p.t.Context(), partingRef); err != nil || strings.Contains(string(state), "ledgers") {
		p.t.Errorf("%s: the name is still stored: %s, %v", what, state, err)
	}
	p.same(what+": notices in the end", p.notices(), []string{"F1/root"})
	p.same(what+": acts", p.acts(), []string{"forgot U1", "removed"})
}

// kept plays a forgetting that somebody takes back, and judges it.
func (p *parting) kept(what string) {
	p.t.Helper()
	was := p.item()
	state, _, err := p.store.Read(p.t.Context(), source)
	if err != nil {
		p.t.Fatal(err)
	}
	p.forget()
	p.tell(forgetting.Input{ID: "k:1", At: time.Now(), Event: forgetting.Kept{By: thread.Person{ID: "U2", Name: "Sam"}}})
	p.pass(5 * time.Minute)
	p.same(what+": the item", p.item(), was)
	back, _, err := p.store.Read(p.t.Context(), source)
	if err != nil || string(back) != string(state) {
		p.t.Errorf("%s: the discussion is %s, %v, want it as it was", what, back, err)
	}
	p.pass(10 * 24 * time.Hour)
	p.same(what+": the item, later", p.item(), was)
	p.same(what+": notices", p.notices(), []string{"F1/root"})
	p.same(what+": acts", p.acts(), []string{"forgot U1", "kept U2"})
}

// TestForgetting forgets an item, and takes one back, with a crash before and after every
// call to the store and to Slack: the channel is told once, nothing goes before its time,
// everything goes or comes back, and each act stands in the audit record once (FR-110).
func TestForgetting(t *testing.T) {
	for name, play := range map[string]func(*parting, string){"for good": (*parting).gone, "taken back": (*parting).kept} {
		t.Run(name, func(t *testing.T) {
			var calls []string
			synctest.Test(t, func(t *testing.T) {
				p := newParting(t, enginetest.Crash{})
				play(p, "without any crash")
				p.stop()
				calls = p.replica.Calls()
			})
			t.Logf("%d calls: %s", len(calls), strings.Join(calls, " "))
			if !slices.Contains(calls, "farewells.hide") {
				t.Fatal("nothing was hidden")
			}
			for _, c := range crashes(len(calls), thinned(1), 0) {
				synctest.Test(t, func(t *testing.T) {
					p := newParting(t, c)
					play(p, when(c.After)+" call "+calls[c.At-1])
					p.stop()
				})
			}
		})
	}
}

// TestForgettingUntold takes back what it could not announce (FR-110).
func TestForgettingUntold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newParting(t, enginetest.Crash{})
		p.slack.Fault = func(int, engine.Posting) enginetest.Fault {
			return enginetest.Fault{Err: &engine.SendError{Outcome: engine.Refused, Reason: thread.ReasonNotInChannel, Err: errors.New("not_in_channel")}}
		}
		was := p.item()
		p.forget()
		p.same("the item", p.item(), was)
		p.same("acts", p.acts(), []string{"forgot U1", "kept"})
		p.pass(10 * 24 * time.Hour)
		p.same("the item, later", p.item(), was)
		p.stop()
	})
}

// Somebody of whom Slack does not say who they are has something forgotten, and somebody else
// takes it back: either happens once Slack says who they are, and not before (FR-110).
func TestWishesWaitUntilSlackNamesPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newParting(t, enginetest.Crash{})
		defer func() { p.stop() }()
		una, tom := thread.Person{ID: "U3", Name: "Una"}, thread.Person{ID: "U4", Name: "Tom"}
		hidden := func(want bool, when string) {
			t.Helper()
			if item, err := p.store.ReadItem(t.Context(), ledgers); err != nil || item.Hidden != want {
				t.Fatalf("%s: out of sight is %v, %v, want %v", when, item.Hidden, err, want)
			}
		}
		p.tell(forgetting.Input{ID: "o:F1", At: time.Now(), Event: forgetting.Opened{
			Forgetting: partingRef.ID, Place: thread.Place{Team: "T1", Channel: "C1"}, By: una.As(thread.StandingUnknown), Target: forgetting.Target{Item: ledgers.Slug},
		}})
		p.pass(10 * time.Minute)
		hidden(false, "before Slack says who asked")
		p.slack.Introduce(una)
		p.pass(2 * time.Hour)
		hidden(true, "after Slack said who asked")
		p.tell(forgetting.Input{ID: "k:1", At: time.Now(), Event: forgetting.Kept{By: tom.As(thread.StandingUnknown)}})
		p.pass(10 * time.Minute)
		hidden(true, "before Slack says who wants it back")
		p.slack.Introduce(tom)
		p.pass(2 * time.Hour)
		hidden(false, "after Slack said who wants it back")
	})
}
