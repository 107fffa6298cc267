package engine_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// The personas' keywords are not stored with every discussion: whoever works on it
// has them from the roster, also on another replica (FR-003).
func TestKeywordsComeFromTheRoster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		roster := enginetest.Roster()
		roster.Personas[1].Domain = []string{"latency"}
		r.options.Roster = func() persona.Roster { return roster }
		r.start()
		r.deliver(enginetest.Opening(roundtable.Settings{MaxTurns: 40}, time.Now()))
		r.pass(time.Minute)
		r.stop()
		r.start()
		defer r.stop()
		before := len(r.contributions())
		r.say("We are told that latency does not matter.")
		r.pass(time.Minute)
		if got := r.contributions()[before:]; !slices.Contains(got, "solutions-architect") {
			t.Errorf("got %q, want the architect among them, whose ground it is", got)
		}
		state, _, err := r.store.Read(t.Context(), enginetest.Ref())
		if err != nil || strings.Contains(string(state), "latency") {
			t.Errorf("the keywords are stored (%v):\n%s", err, state)
		}
	})
}
