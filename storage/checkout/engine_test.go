package checkout_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/storage/checkout"
)

// play plays a conversation with the engine on a directory, in virtual time, and
// judges what remains.
func play(t *testing.T, s enginetest.Scenario, c enginetest.Crash) (calls []string, found []invariant.Violation) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		items, err := checkout.Open(t.Context(), checkout.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer items.Close()
		w := &enginetest.World{
			Store: &enginetest.Memory{}, Items: items,
			Slack:   &enginetest.Slack{Latency: 120 * time.Millisecond},
			Panel:   &enginetest.Panel{Delay: 2 * time.Second},
			Permits: invariant.Pace{Every: time.Second, Burst: 3}, Logging: true,
			Rest: 70 * time.Second, Quiet: time.Second,
		}
		played, all, err := w.Play(t.Context(), s, c)
		if err != nil {
			t.Fatal(err)
		}
		calls = played
		for _, e := range all {
			found = append(found, invariant.Check(e)...)
		}
	})
	if litter, err := filepath.Glob(filepath.Join(dir, "*", "*.staged")); err != nil || len(litter) > 0 {
		t.Errorf("left behind: %v, %v", litter, err)
	}
	if folders, err := os.ReadDir(dir); err != nil || slices.Contains(calls, "items.write") && len(folders) < 2 {
		t.Errorf("an item was written and has no folder: %v, %v", folders, err)
	}
	return calls, found
}

// TestEngineCrashes has the engine crash before and after every call that concerns
// an item, in every conversation, and another take over (I8 and all others).
func TestEngineCrashes(t *testing.T) {
	scenarios := enginetest.Scenarios()
	if testing.Short() {
		scenarios = scenarios[:2]
	}
	points := 0
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			calls, found := play(t, s, enginetest.Crash{})
			for _, v := range found {
				t.Errorf("without any crash: %s", v)
			}
			for i, call := range calls {
				// The calls beside it decide whether it is made again.
				if !slices.ContainsFunc(calls[max(i-1, 0):min(i+2, len(calls))], func(c string) bool { return strings.HasPrefix(c, "items.") }) {
					continue
				}
				for _, after := range []bool{false, true} {
					_, found := play(t, s, enginetest.Crash{At: i + 1, After: after})
					points++
					for _, v := range found {
						t.Errorf("crash at call %d (%s, after: %v): %s", i+1, call, after, v)
					}
				}
			}
		})
	}
	t.Logf("%d crashes", points)
	if points == 0 {
		t.Error("no call concerned an item")
	}
}
