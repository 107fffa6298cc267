package engine_test

import (
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
)

// Whatever stands in a discussion's thread is found by its timestamp, so that a mark on
// it needs no question to Slack (I1): the introduction, what people wrote and
// what personas said, also what was adopted after the store forgot it.
func TestMessagesAreFoundByTheirTimestamps(t *testing.T) {
	inRoom(t, func(r *room) {
		before := r.store.Snapshot()
		said := r.write("Everyone, what about refunds?")
		r.deliver(said)
		r.pass(time.Minute)
		r.allFound()
		r.store.Rewind(before)
		r.deliver(said)
		r.pass(3 * time.Minute)
		r.allFound()
	})
}

// allFound wants every message of the channel to be found.
func (r *room) allFound() {
	r.t.Helper()
	all := r.slack.Messages(enginetest.Ref().Channel)
	if len(all) < 4 {
		r.t.Fatalf("only %d messages stand", len(all))
	}
	for _, m := range all {
		s, err := r.store.FindMessage(r.t.Context(), enginetest.Ref().Team, enginetest.Ref().Channel, m.TS)
		if err != nil || !s.Known || s.Ref != enginetest.Ref() {
			r.t.Errorf("message %s of %q: got %+v, %v", m.TS, m.Key, s, err)
		}
	}
}
