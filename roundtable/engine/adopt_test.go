package engine_test

import (
	"testing"
	"time"
)

// A holder that ends in the middle of taking up what stands in Slack, after the store
// forgot, leaves the rest to the next one: it reads Slack again (I3, I4, NFR-101).
// It is told to stop, or is killed when others were before, so that it commits in small
// steps.
func TestEndsWhileAdopting(t *testing.T) {
	for name, end := range map[string]func(r *room, after time.Duration){
		"stopped": func(r *room, after time.Duration) {
			r.pass(after)
		},
		"killed": func(r *room, after time.Duration) {
			for range 3 {
				r.pass(5 * time.Second)
				r.replica.Kill()
				r.stop()
				r.pass(time.Minute)
				r.start()
			}
			r.pass(after)
			r.replica.Kill()
		},
	} {
		for cut := range 20 {
			after := 12*time.Second + time.Duration(cut)*250*time.Millisecond
			t.Run(name+" after "+after.String(), func(t *testing.T) {
				inRoom(t, func(r *room) { r.endsWhileAdopting(func() { end(r, after) }) })
			})
		}
	}
}

func (r *room) endsWhileAdopting(end func()) {
	r.panel.Delay = time.Second
	before := r.store.Snapshot()
	said := r.write("Everyone, what about refunds?")
	r.deliver(said)
	r.pass(time.Minute)
	standing := len(r.contributions())
	r.store.Rewind(before)
	r.deliver(said)
	end()
	r.stop()
	r.pass(time.Minute)
	r.start()
	r.pass(3 * time.Minute)
	for key, n := range keysStanding(r.slack) {
		if n > 1 {
			r.t.Errorf("I3: %s stands %d times", key, n)
		}
	}
	if got := len(r.contributions()); got != standing {
		r.t.Errorf("I3: %d contributions stand, want the %d from before", got, standing)
	}
}
