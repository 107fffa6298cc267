package roundtable_test

import (
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
)

// TestRootSaysHowLongItIsKept shows what stands on the introduction of a discussion that
// has ended (FR-110).
func TestRootSaysHowLongItIsKept(t *testing.T) {
	d := roundtable.Discussion{
		State: roundtable.StateClosed, Exit: &roundtable.Exit{Kind: roundtable.ExitLimit}, Closed: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
		Settings: roundtable.Settings{MaxTurns: 10, Kept: 37 * 24 * time.Hour},
	}
	if got, want := roundtable.Root(d).Status, "transcript kept until 28 December 2026"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at its end", got, want)
	}
	d.State = roundtable.StateDiscussionLoop
	if got := roundtable.Root(d).Status; strings.Contains(got, "kept") {
		t.Errorf("while it goes on: %q", got)
	}
}
