package sweep_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestOneAnalysisOfAnItem has many ask for the analysis of an item at once: it is
// opened once, and who asks later is led to it; once it has ended the next one has a
// place of its own (FR-115).
func TestOneAnalysisOfAnItem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set, err := manifests.Load(nil)
		if err != nil {
			t.Fatal(err)
		}
		w := &walker{t: t, set: set, at: memoryGround(), slack: &enginetest.Slack{}, panel: &framer{Panel: &enginetest.Panel{}, from: map[string]string{}}, names: map[string]string{}}
		w.current = w.start(enginetest.NewReplica(enginetest.Crash{}))
		defer func() { w.end(w.current) }()
		item := engine.ItemRef{Team: place().Team, Channel: place().Channel, Slug: "offline-mode"}
		places := make(chan engine.AnalysisPlace, 20)
		var all sync.WaitGroup
		for n := range cap(places) {
			all.Go(func() {
				p, err := engine.NewReader(w.at.store).FindAnalysis(t.Context(), item, "")
				if err != nil {
					t.Error(err)
					return
				}
				places <- p
				body, err := analysis.EncodeInput(analysis.Input{ID: fmt.Sprint("o:", n), At: time.Now(), Event: analysis.Opened{
					Analysis: p.Ref.ID, Place: place(), By: thread.Person{ID: fmt.Sprint("U", n)}, Item: item.Slug, Cast: set.Roster.Seats(),
				}})
				if err != nil {
					t.Error(err)
					return
				}
				w.deliver(p.Ref, fmt.Sprint("o:", n), body, true)
			})
		}
		all.Wait()
		w.rest()
		first := (<-places).Ref
		for range cap(places) - 1 {
			if p := <-places; p.Ref != first {
				t.Errorf("one was led to %v, another to %v", first, p.Ref)
			}
		}
		if roots := w.slack.Messages("C1"); len(roots) == 0 || roots[0].Key != first.ID+"/root" || find(keys(roots[1:]), "/root ") >= 0 {
			t.Errorf("the posts are %v, want one root", keys(roots))
		}
		if p, err := engine.NewReader(w.at.store).FindAnalysis(t.Context(), item, ""); err != nil || p.Ref != first || p.Open == nil {
			t.Errorf("who asks later is led to %+v, %v, want %v", p, err, first)
		}
		w.say(first, "done")
		w.rest()
		if a, err := enginetest.Analysis(t.Context(), w.at.store, first); err != nil || a.State != analysis.StateClosed {
			t.Fatalf("the analysis stands at %s, %v", a.State, err)
		}
		if p, err := engine.NewReader(w.at.store).FindAnalysis(t.Context(), item, ""); err != nil || p.Taken || p.Ref == first {
			t.Errorf("after its end the place is %+v, %v, want a new one", p, err)
		}
	})
}

// TestTwoAtTheMenu has two people press different buttons of a menu at the same
// moment, each on a replica of its own: one choice counts, the room is told of it, and
// whoever came second is told what was chosen (AC-004-06, I2).
func TestTwoAtTheMenu(t *testing.T) {
	var at *walker
	pressed := false
	_, left, _ := walkInBubble(t, pausedGround, enginetest.Crash{}, func(w *walker) bool {
		at = w
		ref := w.called("A1", "A1")
		if w.ledger.Changes() == 0 {
			w.openAnalysis(ref)
			return false
		}
		a, err := enginetest.Analysis(w.t.Context(), w.at.store, ref)
		switch {
		case err != nil:
			w.t.Error(err)
		case pressed:
			return true
		case a.State == analysis.StateAsking && a.Ask == nil:
			w.answer(ref)
		case a.State == analysis.StateMenu:
			pressed = true
			var all sync.WaitGroup
			for i, button := range []thread.ButtonKind{analysis.ButtonNext, analysis.ButtonElaborate} {
				all.Go(func() { w.press([]*running{w.current, w.standby}[i], ref, fmt.Sprint("U", i), button, a.Menu.ID) })
			}
			all.Wait()
		}
		return false
	})
	chosen := 0
	for _, p := range left.Posts["A1"] {
		if strings.Contains(p, "chose to continue") || strings.Contains(p, "opened an elaboration of this step") {
			chosen++
		}
	}
	told := at.slack.Told()
	if chosen != 1 || len(told) != 1 || !strings.Contains(told[0], "had chosen") {
		t.Errorf("%d choices were made, and %q were told", chosen, told)
	}
}

func (w *walker) press(on *running, ref engine.Ref, who string, button thread.ButtonKind, value string) {
	in := roundtable.Input{ID: "b:" + who, At: time.Now(), Event: roundtable.Pressed{By: thread.Person{ID: who, Name: who}, Button: button, Value: value}}
	body, err := roundtable.EncodeInput(in)
	if err == nil {
		_, err = on.engine.Receive(w.t.Context(), engine.Delivery{Ref: ref, Mail: engine.Mail{ID: in.ID, Body: body}})
	}
	if err != nil {
		w.t.Error(err)
	}
}

func keys(messages []invariant.Message) (keys []string) {
	for _, m := range messages {
		keys = append(keys, m.Key+" ")
	}
	return keys
}
