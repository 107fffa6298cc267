package slacksim_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/slacksim"
)

// A workspace that was stopped keeps channels, threads, files and the events that
// nobody acknowledged; ids go on where they were.
func TestStateSurvivesRestart(t *testing.T) {
	soon := 300 * time.Millisecond
	opts := slacksim.Options{StateFile: filepath.Join(t.TempDir(), "state.json"), Timing: slacksim.Timing{Retry: []time.Duration{0, soon, soon, soon}}}
	first := start(t, opts)
	root := first.say(priya, general, "", "root")
	first.method("chat.postMessage", map[string]string{"channel": general, "thread_ts": root, "text": "reply", "username": "Maya",
		"metadata": `{"event_type":"roundtable_turn","event_payload":{"key":"k1"}}`})
	first.do("react", map[string]any{"as": sam, "channel": general, "ts": root, "name": "eyes"})
	first.do("archive", map[string]any{"as": priya, "channel": product})
	want := first.w.Messages(general)
	if err := first.w.Close(); err != nil {
		t.Fatal(err)
	}
	second := start(t, opts)
	if diff := cmp.Diff(want, second.w.Messages(general)); diff != "" {
		t.Errorf("messages (-before +after):\n%s", diff)
	}
	if out := second.method("chat.postMessage", map[string]string{"channel": product, "text": "x"}); out["error"] != "is_archived" {
		t.Errorf("archived channel: got %v", out)
	}
	if next := second.say(priya, general, "", "next"); next <= want[len(want)-1].TS {
		t.Errorf("timestamps went back: %s after %s", next, want[len(want)-1].TS)
	}
	s := second.dial()
	for s.event("message").inner()["ts"] != root {
		// Posts that came later may be delivered earlier.
	}
}

// The file is written while the workspace runs, so that a killed one loses little.
func TestStateIsSavedWhileRunning(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	r := start(t, slacksim.Options{StateFile: file, Timing: slacksim.Timing{SaveEvery: 10 * time.Millisecond}})
	r.say(priya, general, "", "remember me")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if raw, err := os.ReadFile(file); err == nil && strings.Contains(string(raw), "remember me") {
			if strings.Contains(string(raw), "xoxb-") {
				t.Error("the state file holds a token")
			}
			return
		}
	}
	t.Error("the state file was not written within 10 s")
}

func TestUnreadableStateIsRefused(t *testing.T) {
	for name, content := range map[string]string{"torn": `{"version":1,"chan`, "other version": `{"version":99}`} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "state.json")
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := slacksim.New(slacksim.Options{StateFile: file}); err == nil {
				t.Error("got no error")
			}
		})
	}
}
