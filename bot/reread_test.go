package bot_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
)

// What Slack never delivers is read back with the identities that its events would
// have had, so that nothing is lost (I1) and nothing is taken in twice (I2); our own
// posts and what came before the discussion are not among it.
func TestReadBack(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	_, place := s.seated()
	since := time.Now().Add(-time.Minute)
	heard := s.say(priya, place.Thread, "this one comes")
	s.until("the first message is delivered", func() bool { return len(s.inbox.all()) == 1 })
	s.ws.Arm(slacksim.Fault{Event: "message", Lose: true})
	lost := s.say(priya, place.Thread, "this one does not")
	s.act("edit", fields{"as": priya, "channel": product, "ts": lost, "text": "nor does this"})

	got, err := s.bot.Workplace().Read(t.Context(), place, since)
	if err != nil {
		t.Fatal(err)
	}
	var said, edited []string
	for _, h := range got {
		if e, ok := h.Input.Event.(roundtable.Said); ok {
			said = append(said, h.Input.ID+" "+e.By.Name+": "+e.Text)
			if len(h.Also) == 0 {
				t.Errorf("%s has no client_msg_id", h.Input.ID)
			}
		} else if e, ok := h.Input.Event.(roundtable.Edited); ok {
			edited = append(edited, e.TS+": "+e.Text)
			if want := "e:" + e.TS + ":" + e.EditedTS; h.Input.ID != want {
				t.Errorf("got edit %s, want %s", h.Input.ID, want)
			}
		} else {
			t.Errorf("got %T", h.Input.Event)
		}
	}
	name := s.inbox.all()[0].Event.(roundtable.Said).By.Name
	want := []string{"m:" + heard + " " + name + ": this one comes", "m:" + lost + " " + name + ": nor does this"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{lost + ": nor does this"}, edited); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
	if id := s.inbox.all()[0].ID; !slices.ContainsFunc(said, func(m string) bool { return m[:len(id)] == id }) {
		t.Errorf("the event came as %s, which was not read back", id)
	}
	later, err := s.bot.Workplace().Read(t.Context(), place, time.Now().Add(time.Hour))
	if err != nil || len(later) != 0 {
		t.Errorf("got %v (%v) from the future", later, err)
	}
}

// The edge says when events may have been lost: when its first connection stands,
// and when one stands again after none did.
func TestMissedIsTold(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	told := func() int {
		s.inbox.mu.Lock()
		defer s.inbox.mu.Unlock()
		return s.inbox.missed
	}
	s.until("it is told at first", func() bool { return told() == 1 })
	s.ws.Disconnect("link_disabled")
	s.until("it is told again", func() bool { return told() >= 2 })
}
