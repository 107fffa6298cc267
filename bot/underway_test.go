package bot_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/bot"
	"github.com/roundtable-chat/app/bot/slacksim"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

// TestWhatHasEndedIsNotUnderWay shows that what ended lately, which stands in the same
// list for some days, neither counts nor hides what goes on.
func TestWhatHasEndedIsNotUnderWay(t *testing.T) {
	encode := func(state roundtable.State, topic string) engine.Listed {
		b, err := roundtable.Encode(roundtable.Discussion{State: state, Topic: topic})
		if err != nil {
			t.Fatal(err)
		}
		return engine.Listed{State: b}
	}
	paused, err := analysis.Encode(analysis.Analysis{State: analysis.StateClosed, ItemTitle: "paused"})
	if err != nil {
		t.Fatal(err)
	}
	crowd := &crowdedStore{inbox: newInbox(), open: []engine.Listed{{State: paused}, {}}}
	for i := range 25 {
		crowd.open = append(crowd.open, encode(roundtable.StateClosed, fmt.Sprint("old ", i)))
	}
	crowd.open = append(crowd.open, encode(roundtable.StateDiscussionLoop, "the quiet one"))
	s := set(t, slacksim.Options{}, func(o *bot.Options) { o.Reader = engine.NewReader(crowd) }, true)
	ask := func(text string) string {
		before := len(s.private(priya))
		s.command(priya, product, text)
		s.until("an answer", func() bool { return len(s.private(priya)) > before })
		return s.private(priya)[before]
	}
	if got := ask("status"); !strings.Contains(got, "One roundtable is under way") {
		t.Errorf("status: got %q", got)
	}
	if got := ask("list"); !strings.Contains(got, "the quiet one") || strings.Contains(got, "old") || strings.Contains(got, "paused") {
		t.Errorf("list: got %q", got)
	}
	for range 22 {
		crowd.open = append(crowd.open, encode(roundtable.StateDiscussionLoop, "another"))
	}
	if got := ask("list"); strings.Count(got, "\n• ") != 20 || !strings.HasSuffix(got, "… and 3 more") {
		t.Errorf("a long list: got %q", got)
	}
}

// TestWhatCannotBeRead shows that nobody who only asked is told of saving (I10).
func TestWhatCannotBeRead_I10(t *testing.T) {
	s := set(t, slacksim.Options{}, func(o *bot.Options) { o.Items = shelf{} }, true)
	s.seated()
	s.inbox.setAway(true)
	for _, text := range []string{"list", "status", "forget sso-rollout"} {
		s.refused(priya, "could not look that up", func() { s.command(priya, product, text) })
	}
}

// TestRetentionIsAnnounced shows where a person would look (FR-110).
func TestRetentionIsAnnounced(t *testing.T) {
	s := set(t, slacksim.Options{}, func(o *bot.Options) { o.Policy.Settings.Kept = 37 * 24 * time.Hour }, true)
	for _, text := range []string{"help", "status"} {
		s.refused(priya, "kept for 37 days after it has ended", func() { s.command(priya, product, text) })
	}
}
