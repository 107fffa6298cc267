package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/forgetting"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// shelf is a store to read from, and how often it was asked for what.
type shelf struct {
	*enginetest.Memory
	lists, states, reads, asked int
}

func (s *shelf) List(ctx context.Context, team, channel string, limit int) ([]engine.Listed, error) {
	s.lists++
	return s.Memory.List(ctx, team, channel, limit)
}

func (s *shelf) States(ctx context.Context, refs []engine.Ref) ([]engine.StoredState, error) {
	s.states++
	s.asked += len(refs)
	return s.Memory.States(ctx, refs)
}

func (s *shelf) Read(ctx context.Context, ref engine.Ref) ([]byte, [][]byte, error) {
	s.reads++
	return s.Memory.Read(ctx, ref)
}

func called(id string) engine.Ref { return engine.Ref{Team: "T1", Channel: "C1", ID: id} }

// keep makes a state stand; with closed it is kept only, and stands in no list.
func (s *shelf) keep(t *testing.T, ref engine.Ref, state []byte, err error, closed bool, log ...thread.Entry) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Deliver(t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: "o"}, Opens: true, Claim: &engine.Claimant{Owner: "test"}})
	if err != nil || got.Claim == nil {
		t.Fatalf("claim %s: %+v, %v", ref.ID, got, err)
	}
	c := engine.Commit{State: state, Consumed: []string{"o"}, Mode: engine.ModeRelease}
	if closed {
		c.Mode = engine.ModeClose
	}
	for _, e := range log {
		line, err := thread.EncodeEntry(ref.ID, e)
		if err != nil {
			t.Fatal(err)
		}
		c.Append = append(c.Append, line)
	}
	if _, err := s.Commit(t.Context(), got.Claim, c); err != nil {
		t.Fatal(err)
	}
}

// TestReader shows one of each machine as an edge sees it, what was only asked for, what a
// newer version wrote, and what is not there.
func TestReader(t *testing.T) {
	s := &shelf{Memory: &enginetest.Memory{}}
	priya, at := thread.Person{ID: "U1", Name: "Priya"}, time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	place := thread.Place{Team: "T1", Channel: "C1", Thread: "1.1", Root: "1.1"}
	cast := enginetest.Roster().Seats()
	d, err := roundtable.Encode(roundtable.Discussion{
		ID: "D", State: roundtable.StateDiscussionLoop, Topic: "Keys", Context: "What we have", Item: "keys", Place: place, Opener: priya, Opened: at, Cast: cast,
		People: []thread.Person{priya}, PendingReply: &roundtable.PendingReply{Person: priya}, LastActivity: at, Turns: 3, Settings: roundtable.Settings{MaxTurns: 10},
	})
	s.keep(t, called("D"), d, err, false, thread.Entry{Kind: thread.EntryTurn, Turn: 1, Person: &priya, Text: "One ledger."})
	a, err := analysis.Encode(analysis.Analysis{ID: "A", State: analysis.StateClosed, Item: "keys", ItemTitle: "The keys", Place: place, Opener: priya, Asked: "o:1"})
	s.keep(t, called("A"), a, err, false)
	f, err := forgetting.Encode(forgetting.Forgetting{ID: "F", State: forgetting.StateHidden, Place: place, By: priya, Target: forgetting.Target{Item: "old"}, Until: at})
	s.keep(t, called("F"), f, err, false)
	s.keep(t, called("N"), []byte(`{"v":99,"body":{}}`), nil, false)
	s.keep(t, called("Q"), nil, nil, false)

	r := engine.NewReader(s)
	views, err := r.Views(t.Context(), "T1", "C1", 10)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Kind                engine.Kind
		Title, Item         string
		Open, Closed, Newer bool
		Line                string
	}
	rowOf := func(v engine.View) row {
		return row{v.Kind, v.Title, v.Item, v.Open(), v.Closed, errors.Is(v.Err, thread.ErrNewer), v.Line}
	}
	want := map[string]row{
		"D": {engine.KindDiscussion, "Keys", "keys", true, false, false, "Keys: 3 of 10 turns, in discussion"},
		"A": {engine.KindAnalysis, "The keys", "keys", false, true, false, "Analysis of The keys: " + analysis.SayStanding(analysis.Analysis{State: analysis.StateClosed})},
		"F": {engine.KindForgetting, "", "", false, false, false, "old, until 22 November 2026 at 09:00 UTC"},
		"N": {engine.KindDiscussion, "", "", true, false, true, ""},
	}
	got := make(map[string]row)
	for _, v := range views {
		got[v.Ref.ID] = rowOf(v)
		one, err := r.View(t.Context(), v.Ref)
		if diff := cmp.Diff(rowOf(v), rowOf(one)); diff != "" || (err == nil) != (v.Err == nil) {
			t.Errorf("%s by itself (-list +view): %v\n%s", v.Ref.ID, err, diff)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("views (-want +got):\n%s", diff)
	}
	if s.reads > 0 {
		t.Errorf("logs were read %d times for states", s.reads)
	}

	v, said, err := r.Transcript(t.Context(), called("D"))
	if err != nil || v.Opener != priya || v.Awaited != "U1" || !v.Opened.Equal(at) || !v.Heard.Equal(at) || v.Place != place || v.Context == "" || len(v.Cast) != len(cast) || len(v.People) != 1 {
		t.Errorf("the discussion is %+v, %v", v, err)
	}
	if len(said.Turns) != 1 || said.Turns[0].Text != "One ledger." {
		t.Errorf("its transcript is %+v", said)
	}
	if v, err := r.View(t.Context(), called("F")); err != nil || !v.Forgets("old") || v.Forgets("keys") {
		t.Errorf("the forgetting is %+v, %v", v, err)
	}
	if v, err := r.View(t.Context(), called("Q")); err != nil || v.Kind != "" {
		t.Errorf("what was only asked for is %+v, %v", v, err)
	}
	if _, err := r.View(t.Context(), called("nowhere")); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
}

// TestFindAnalysisAfterMany looks for the place of an item that was analysed often: the
// states of the earlier analyses are read in few round trips, and no log. One person waits
// for it at a command.
func TestFindAnalysisAfterMany(t *testing.T) {
	item := engine.ItemRef{Team: "T1", Channel: "C1", Slug: "keys"}
	for _, c := range []struct{ kept, trips int }{{0, 1}, {7, 1}, {8, 2}, {100, 4}, {1015, 7}} {
		t.Run(fmt.Sprint(c.kept, " earlier"), func(t *testing.T) {
			s := &shelf{Memory: &enginetest.Memory{}}
			at := func(n int) engine.Ref {
				return called(thread.NewID("T1", "C1", "analysis:keys:"+strconv.Itoa(n)))
			}
			for n := range c.kept {
				a, err := analysis.Encode(analysis.Analysis{ID: at(n).ID, State: analysis.StateClosed, Item: "keys"})
				s.keep(t, at(n), a, err, true)
			}
			p, err := engine.NewReader(s).FindAnalysis(t.Context(), item, "")
			if err != nil || p.Taken || p.Ref != at(c.kept) {
				t.Errorf("the place is %+v, %v, want that after %d", p, err, c.kept)
			}
			if s.lists != 1 || s.states != c.trips || s.reads > 0 || s.asked > 2*(c.kept+8) {
				t.Errorf("%d listings, %d readings of %d states, %d logs; want 1, %d, few, 0", s.lists, s.states, s.asked, s.reads, c.trips)
			}
		})
	}
	s := &shelf{Memory: &enginetest.Memory{}}
	for n := range 1016 {
		a, err := analysis.Encode(analysis.Analysis{State: analysis.StateClosed, Item: "keys"})
		s.keep(t, called(thread.NewID("T1", "C1", "analysis:keys:"+strconv.Itoa(n))), a, err, true)
	}
	if p, err := engine.NewReader(s).FindAnalysis(t.Context(), item, ""); err == nil || s.states != 7 {
		t.Errorf("after more than are looked at: %+v in %d round trips, want an error", p, s.states)
	}
}
