package engine_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// refuseToDraw makes every contribution fail here and returns how often one was tried.
func refuseToDraw(r *room) *atomic.Int32 {
	tried := new(atomic.Int32)
	r.slack.Fault = func(_ int, p engine.Posting) enginetest.Fault {
		if p.Message.Kind != thread.KindContribution {
			return enginetest.Fault{}
		}
		tried.Add(1)
		return enginetest.Fault{Err: &engine.SendError{Outcome: engine.Unmade, Err: errors.New("it cannot be drawn")}}
	}
	return tried
}

// TestWhatFailsHereIsPutAside tries a post that fails here three times, says so in the
// thread, and goes on with what follows (I10). What fails on the way to Slack is tried
// for as long as it takes: see TestPostOutcomes.
func TestWhatFailsHereIsPutAside(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 0
		tried := refuseToDraw(r)
		r.say("What about refunds?")
		r.pass(5 * time.Minute)
		if got := tried.Load(); got != 3 {
			t.Errorf("it was tried %d times, want 3", got)
		}
		if !said(r, "A contribution could not be shown here: I could not draw it.") {
			t.Error("the thread does not say so")
		}
		d := r.discussion()
		if d.Unmade != nil {
			t.Errorf("the state still counts: %+v", d.Unmade)
		}
		r.slack.Fault = nil
		before := len(r.contributions())
		r.say("And what about returns?")
		r.pass(time.Minute)
		if len(r.contributions()) <= before {
			t.Error("the discussion does not go on")
		}
	})
}

// TestFailuresHereCountForWhoeverHolds counts in the state: a replica that takes over
// begins where the other ended.
func TestFailuresHereCountForWhoeverHolds(t *testing.T) {
	inRoom(t, func(r *room) {
		r.panel.Delay = 0
		tried := refuseToDraw(r)
		r.say("What about refunds?")
		for range 4 {
			r.pass(3500 * time.Millisecond)
			r.stop()
			r.start()
		}
		r.pass(5 * time.Minute)
		if got := tried.Load(); got != 3 {
			t.Errorf("it was tried %d times, want 3", got)
		}
	})
}

// said reports whether a text stands in the thread.
func said(r *room, text string) bool {
	for _, m := range r.slack.Messages(enginetest.Ref().Channel) {
		if strings.Contains(m.Message.Text, text) {
			return true
		}
	}
	return false
}

// slowMerges makes every merge take a time, and returns how many were begun.
func slowMerges(r *room, took time.Duration) *atomic.Int32 {
	begun := new(atomic.Int32)
	r.options.Catalogue = func() analysis.Catalogue {
		begun.Add(1)
		<-time.After(took)
		return analysis.Catalogue{}
	}
	r.stop()
	r.start()
	return begun
}

// TestMergeKeepsTheLease merges for longer than a request to Slack may take: it is done
// once, and nobody else begins it anew meanwhile.
func TestMergeKeepsTheLease(t *testing.T) {
	inRoom(t, func(r *room) {
		begun := slowMerges(r, 18*time.Second)
		r.say("done")
		r.pass(time.Minute)
		if got := begun.Load(); got != 1 {
			t.Errorf("merging was begun %d times, want once", got)
		}
		if d := r.discussion(); d.State != roundtable.StateClosed || len(d.Changes) != 1 {
			t.Errorf("got state %s with changes %v, want closed with one", d.State, d.Changes)
		}
	})
}

// TestMergeThatTakesTooLongIsPutAside begins it three times, leaves the item alone, and
// says so with a way on (I8, I10).
func TestMergeThatTakesTooLongIsPutAside(t *testing.T) {
	inRoom(t, func(r *room) {
		begun := slowMerges(r, 40*time.Second)
		r.say("done")
		r.pass(10 * time.Minute)
		if got := begun.Load(); got != 3 {
			t.Errorf("merging was begun %d times, want 3", got)
		}
		if d := r.discussion(); d.Stalled == nil || d.Stalled.Reason != thread.ReasonArtifactRefused {
			t.Errorf("got stall %v, want artifact_refused", d.Stalled)
		}
		if item, err := r.store.ReadItem(t.Context(), ledgers); err == nil && item.Version != 0 {
			t.Errorf("the item was changed: %d files", len(item.Files))
		}
	})
}
