package engine_test

import (
	"strings"
	"testing"
	"time"
)

// A discussion that gathers what people say waits in memory, and nobody has to come for
// it. Where too much is held already it is given back and come for when its time has
// come: it is answered all the same, and memory is bounded (FR-113).
func TestWaitsInMemoryWhereThereIsRoom(t *testing.T) {
	tests := []struct {
		name   string
		bytes  int // 0: the default
		text   string
		claims bool
	}{
		{"room", 0, "Alex, what breaks first?", false},
		{"room for one that is short", 10 << 10, "Alex, what breaks first?", false},
		{"no room for one that is long", 10 << 10, "Alex, what breaks first? " + strings.Repeat("It is long. ", 6000), true},
		{"no room", 1, "Alex, what breaks first?", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inRoomWith(t, func(r *room) { r.options.LogBytes = tt.bytes }, func(r *room) {
				before, n := len(r.contributions()), len(r.replica.Calls())
				r.say(tt.text)
				r.pass(time.Minute)
				if len(r.contributions()) == before {
					t.Error("nobody answered")
				}
				if claims := r.calls(n, "store.claim"); (len(claims) > 0) != tt.claims {
					t.Errorf("it was come for %d times, want that it is: %t", len(claims), tt.claims)
				}
			})
		})
	}
}
