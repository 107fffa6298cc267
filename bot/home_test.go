package bot_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// TestHome shows that the Home tab has a person's own discussions under the heading
// that says what is wanted of them, nobody else's, and a way to start one (SPEC §2).
func TestHome(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	shown := func() string {
		b, err := json.Marshal(s.state(priya)["home"])
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	s.act("home", fields{"as": priya, "tab": "home"})
	s.until("an empty home", func() bool { return strings.Contains(shown(), "take part in no roundtable") })

	_, place := s.seated()
	me := roundtable.Person{ID: priya, Name: "Priya Nair"}
	for topic, d := range map[string]roundtable.Discussion{
		"Keys":   {State: roundtable.StateDiscussionLoop, People: []roundtable.Person{me}, Awaited: &roundtable.Awaited{Person: me}},
		"Sync":   {State: roundtable.StateDiscussionLoop, Opener: me},
		"Past":   {State: roundtable.StateClosed, People: []roundtable.Person{me}},
		"Others": {State: roundtable.StateDiscussionLoop, Opener: roundtable.Person{ID: "U0OTHER01"}},
	} {
		d.ID, d.Topic, d.Place, d.Cast = "D"+topic, topic, place, testRoster().Seats()
		state, err := roundtable.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		s.inbox.mu.Lock()
		s.inbox.state[engine.Ref{Team: team, Channel: product, ID: d.ID}] = state
		s.inbox.mu.Unlock()
	}
	s.act("home", fields{"as": priya, "tab": "home"})
	s.until("the discussions", func() bool { return strings.Contains(shown(), "Ended lately") })
	at := -1
	for _, want := range []string{"Start a roundtable", "Waiting for you", "Keys", "Under way", "Sync", "Ended lately", "Past"} {
		i := strings.Index(shown(), want)
		if i <= at {
			t.Errorf("%q stands at %d, want it after %d in %s", want, i, at, shown())
		}
		at = i
	}
	if strings.Contains(shown(), "Others") {
		t.Error("I12: somebody else's discussion is shown")
	}
}
