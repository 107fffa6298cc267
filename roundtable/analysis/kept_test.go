package analysis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestRootSaysHowLongItIsKept shows what stands on the introduction of an analysis that has
// ended (FR-110), as on a discussion's.
func TestRootSaysHowLongItIsKept(t *testing.T) {
	settings := analysis.SettingsLike(roundtable.Settings{Kept: 37 * 24 * time.Hour})
	a := analysis.Analysis{
		State: analysis.StateClosed, Exit: &analysis.Exit{Kind: analysis.ExitPaused, By: &thread.Person{ID: "U1", Name: "Priya"}},
		Closed: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), Settings: settings,
	}
	if got, want := analysis.Root(a).Status, "Paused by Priya · transcript kept until 28 December 2026"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	a.State = analysis.StateGreeting
	if got := analysis.Root(a).Status; strings.Contains(got, "kept") {
		t.Errorf("while it goes on: %q", got)
	}
}
