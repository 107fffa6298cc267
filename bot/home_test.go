package bot_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestHome shows that the Home tab has a person's own discussions under the heading
// that says what is wanted of them, and analyses beside them, nobody else's, and a way to
// start one (FR-101).
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
	me := thread.Person{ID: priya, Name: "Priya Nair"}
	for topic, d := range map[string]roundtable.Discussion{
		"Keys":   {State: roundtable.StateDiscussionLoop, People: []thread.Person{me}, PendingReply: &roundtable.PendingReply{Person: me}},
		"Sync":   {State: roundtable.StateDiscussionLoop, Opener: me},
		"Past":   {State: roundtable.StateClosed, People: []thread.Person{me}},
		"Others": {State: roundtable.StateDiscussionLoop, Opener: thread.Person{ID: "U0OTHER01"}},
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
	for title, a := range map[string]analysis.Analysis{
		"Tills": {State: analysis.StateMenu, People: []thread.Person{me}, Phase: &analysis.PhaseView{Name: "Quick Scan"}, Step: &analysis.Sitting{StepView: analysis.StepView{ID: "00-01", Title: "Scope Estimation"}}},
		"Alien": {State: analysis.StateMenu, Opener: thread.Person{ID: "U0OTHER01"}},
	} {
		a.ID, a.ItemTitle, a.Place, a.Cast = "A"+title, title, place, testRoster().Seats()
		state, err := analysis.Encode(a)
		if err != nil {
			t.Fatal(err)
		}
		s.inbox.mu.Lock()
		s.inbox.state[engine.Ref{Team: team, Channel: product, ID: a.ID}] = state
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
	if i := strings.Index(shown(), "Analysis of Tills"); i < strings.Index(shown(), "Under way") || i > strings.Index(shown(), "Ended lately") {
		t.Errorf("the analysis stands at %d, want it among what is under way in %s", i, shown())
	}
	if want := "Quick Scan, step 00-01: Scope Estimation · Waiting for a choice at the menu"; !strings.Contains(shown(), want) {
		t.Errorf("%q is missing in %s", want, shown())
	}
	if strings.Contains(shown(), "Others") || strings.Contains(shown(), "Alien") {
		t.Error("I12: somebody else's discussion or analysis is shown")
	}
}

// TestHomeAnalyze starts an analysis from the Home tab: what is wrong is said beside
// the field, and the form closes once the wish is kept (FR-101).
func TestHomeAnalyze(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	s.act("home", fields{"as": priya, "tab": "home"})
	var home map[string]any
	s.until("the button", func() bool {
		home, _ = s.state(priya)["home"].(map[string]any)
		b, _ := json.Marshal(home)
		return strings.Contains(string(b), "rt_home_analyze")
	})
	var block string
	for _, b := range home["blocks"].([]any) {
		if raw, _ := json.Marshal(b); strings.Contains(string(raw), "rt_home_analyze") {
			block = b.(map[string]any)["block_id"].(string)
		}
	}
	s.act("act", fields{"as": priya, "view_id": home["id"], "block_id": block, "action_id": "rt_home_analyze"})
	view := s.form()
	values := func(item string) fields {
		return fields{
			"item":    fields{"item": fields{"type": "plain_text_input", "value": item}},
			"channel": fields{"channel": fields{"type": "conversations_select", "selected_conversation": product}},
		}
	}
	answer := s.act("submit", fields{"as": priya, "view_id": view["id"], "values": values(strings.Repeat("long ", 80))})
	errs, _ := answer["errors"].(map[string]any)
	if got, _ := errs["item"].(string); !strings.Contains(got, "too long for an item") {
		t.Errorf("a long name: got %v, want an error beside the field", answer)
	}
	s.act("submit", fields{"as": priya, "view_id": view["id"], "values": values("Offline mode")})
	s.until("the wish is kept", func() bool {
		s.inbox.mu.Lock()
		defer s.inbox.mu.Unlock()
		for _, in := range s.inbox.analyses {
			if e, ok := in.Event.(analysis.Opened); ok && e.ItemTitle == "Offline mode" && e.Place.Channel == product {
				return true
			}
		}
		return false
	})
}
