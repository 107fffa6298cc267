package bot_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/say"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestAnalyze asks for the analysis of an item by command: it is opened once, whoever
// asks while it is under way is led to its thread, the list shows it, and nobody
// forgets the item meanwhile (FR-115). Of two who ask in the same moment one is granted, and the
// other is led there.
func TestAnalyze(t *testing.T) {
	s := set(t, slacksim.Options{}, nil, true)
	s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": "analyze Offline mode"})
	s.told(priya, "Opening the analysis of “Offline mode”")
	asked := s.inbox.asked()
	if len(asked) != 1 {
		t.Fatalf("%d analyses were asked for, want 1", len(asked))
	}
	a := asked[0].Event.(analysis.Opened)
	if a.ItemTitle != "Offline mode" || a.Item == "" || a.By.ID != priya || len(a.Cast) != 3 || a.Place.Channel != product || a.Settings.Elaboration.MaxTurns < roundtable.MinTurns {
		t.Errorf("asked for %+v", a)
	}

	// Somebody else asks before the first wish is worked on, and is led there once it is.
	s.act("command", fields{"as": sam, "channel": product, "command": "/roundtable", "text": "analyze Offline mode"})
	s.told(sam, "Opening the analysis of “Offline mode”")
	ref := engine.Ref{Team: a.Place.Team, Channel: product, ID: a.Analysis}
	state, err := analysis.Encode(analysis.Analysis{
		ID: a.Analysis, Item: a.Item, ItemTitle: a.ItemTitle, State: analysis.StateMenu, Asked: asked[0].ID,
		Place: thread.Place{Team: a.Place.Team, Channel: product, Thread: "1790000000.000100", Root: "1790000000.000100"},
		Step:  &analysis.Sitting{StepView: analysis.StepView{ID: "00-02", Title: "Keyword Search"}}, Phase: &analysis.PhaseView{Name: "Quick Scan"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.inbox.keep(ref, state)
	s.told(sam, "under way in this channel already; it goes on in its thread. http")
	s.told(sam, "/archives/"+product+"/p1790000000000100")
	s.act("command", fields{"as": sam, "channel": product, "command": "/roundtable", "text": "analyze Offline mode"})
	s.told(sam, "The analysis of “Offline mode” is under way")
	s.act("command", fields{"as": priya, "channel": product, "command": "/roundtable", "text": "list"})
	s.told(priya, "step 00-02: Keyword Search")
	if n := len(s.inbox.asked()); n != 1 {
		t.Errorf("%d analyses were asked for, want 1", n)
	}
}

// Those who wait to be led to an analysis, because the store is slow to show it, keep nobody
// else's commands and clicks from being taken.
func TestLeadingKeepsNoRequestsPlace(t *testing.T) {
	s := set(t, slacksim.Options{}, func(o *bot.Options) { o.Handlers = 16 }, true)
	const wishes = 40
	for i := range wishes {
		s.command(priya, product, fmt.Sprint("analyze Item ", i))
	}
	s.refused(sam, "/roundtable", func() { s.command(sam, product, "help") })
	s.until("an answer to every wish", func() bool { return len(s.private(priya)) == wishes })
	for _, said := range append(s.private(priya), s.private(sam)...) {
		if strings.Contains(said, say.Busy()) {
			t.Fatalf("somebody was refused: %q", said)
		}
	}
	for _, in := range s.inbox.asked() { // so that nobody waits any longer
		a := in.Event.(analysis.Opened)
		state, err := analysis.Encode(analysis.Analysis{ID: a.Analysis, Item: a.Item, State: analysis.StateMenu, Asked: in.ID, Place: a.Place})
		if err != nil {
			t.Fatal(err)
		}
		s.inbox.keep(engine.Ref{Team: a.Place.Team, Channel: a.Place.Channel, ID: a.Analysis}, state)
	}
}
