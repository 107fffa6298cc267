package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// una is somebody of whom Slack does not say who she is.
func una() thread.Person {
	return thread.Person{ID: "U3", Name: "U3"}.As(thread.StandingUnknown)
}

// unaSays delivers a message of Una's.
func (r *room) unaSays(text string) {
	r.t.Helper()
	ts := r.slack.Timestamp()
	r.deliver(roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: una(), Text: text}})
}

// TestWhatSlackIsAskedAboutSomebody shows that what an unknown person did waits for Slack,
// however long that takes and whoever works on it, and is then done, once (FR-108, I1): and
// that Slack is asked seldom, and not before it wants to be.
func TestWhatSlackIsAskedAboutSomebody(t *testing.T) {
	inRoom(t, func(r *room) {
		began := time.Now()
		var asked []time.Duration
		r.slack.Who = func(string) (thread.Person, error) {
			since := time.Since(began)
			asked = append(asked, since)
			if since < 3*time.Minute {
				return thread.Person{}, &engine.SendError{Outcome: engine.Unsent, After: 40 * time.Second, Err: errCut}
			}
			if since < time.Hour {
				return thread.Person{}, &engine.SendError{Outcome: engine.Unsent, Err: errCut}
			}
			return thread.Person{ID: "U3", Name: "Una"}, nil
		}
		r.unaSays("Decision: one ledger.")
		r.unaSays("done")
		r.unaSays("done")
		r.pass(30 * time.Minute)
		if d := r.discussion(); d.State != roundtable.StateDiscussionLoop || len(d.Unknown) != 1 {
			r.t.Fatalf("in state %s with %d unknown people", d.State, len(d.Unknown))
		}
		for i, at := range asked {
			if i > 0 && i < 5 && at-asked[i-1] < 40*time.Second {
				t.Errorf("asked after %s and again after %s", asked[i-1], at)
			}
		}
		if n := len(asked); n < 3 || n > 12 {
			t.Errorf("asked %d times in half an hour: %v", n, asked)
		}
		r.stop()
		r.start()
		r.pass(2 * time.Hour)
		d := r.discussion()
		if d.State != roundtable.StateClosed || d.Exit == nil || d.Exit.By == nil || d.Exit.By.Name != "Una" || len(d.Unknown) > 0 {
			r.t.Fatalf("in state %s with exit %+v", d.State, d.Exit)
		}
		if d.Outcome == nil || len(d.Outcome.Decisions) != 1 || !strings.Contains(d.Outcome.Decisions[0].Text, "one ledger") {
			t.Errorf("decided: %+v", d.Outcome)
		}
		if n := r.count(thread.KindSynthesis); n != 1 {
			t.Errorf("%d syntheses", n)
		}
		if told := r.slack.Told(); len(told) != 1 || !strings.Contains(told[0], "Slack has not told me yet who you are") {
			t.Errorf("told: %q", told)
		}
	})
}

// TestOvertakenWordsAreNotKept shows that the rules are told which words newer ones replaced
// before Slack delivered them: what they would have decided is neither waited for nor in the
// audit record (NFR-003, FR-111).
func TestOvertakenWordsAreNotKept(t *testing.T) {
	inRoom(t, func(r *room) {
		ts, older, newer := r.slack.Timestamp(), r.slack.Timestamp(), r.slack.Timestamp()
		edited := func(stamp, text string) {
			r.deliver(roundtable.Input{ID: "e:" + ts + ":" + stamp, At: time.Now(), Event: roundtable.Edited{TS: ts, By: una(), Text: text, EditedTS: stamp}})
		}
		r.deliver(roundtable.Input{ID: "m:" + ts, At: time.Now(), Event: roundtable.Said{TS: ts, By: una(), Text: "One ledger?"}})
		edited(newer, "One ledger, perhaps.")
		r.pass(time.Second) // what waits together is put in order
		edited(older, "Decision: one ledger.")
		r.pass(time.Minute)
		if d := r.discussion(); len(d.Unknown) != 0 {
			t.Errorf("kept is %+v", d.Unknown)
		}
		r.slack.Introduce(thread.Person{ID: "U3", Name: "Una"})
		r.unaSays("Decision: two regions.")
		r.pass(time.Minute)
		decided := 0
		if err := r.store.ReadActs(t.Context(), engine.ActQuery{}, func(a engine.Act) error {
			if a.Kind == thread.AuditDecided {
				decided++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if decided != 1 {
			t.Errorf("%d decisions are recorded, want the one that stands", decided)
		}
	})
}

// count counts the posts of a kind that stand.
func (r *room) count(kind thread.MessageKind) (n int) {
	for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
		if m.Message.Kind == kind {
			n++
		}
	}
	return n
}

// TestSlackIsAskedWhileThePanelThinks shows that a "done" that waits for Slack does not wait
// for a round to end, too.
func TestSlackIsAskedWhileThePanelThinks(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 90 * time.Second
		r.slack.Introduce(thread.Person{ID: "U3", Name: "Una"})
		before := r.panel.Asked()
		r.say("What about refunds?")
		r.pass(4 * time.Second) // the window of gathering
		if r.panel.Asked() == before {
			r.t.Fatal("nobody thinks")
		}
		r.unaSays("done")
		r.pass(10 * time.Second)
		if d := r.discussion(); d.State != roundtable.StateSynthesis {
			t.Errorf("in state %s", d.State)
		}
		if n := len(r.slack.Identities()); n != 1 {
			t.Errorf("asked %d times", n)
		}
	})
}
