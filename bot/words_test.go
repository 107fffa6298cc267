package bot_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/say"
)

// TestWordsFitSlack holds the words of the edge to Slack's limits and quirks.
func TestWordsFitSlack(t *testing.T) {
	w, item := say.Form(roundtable.MinTurns, 50), analysis.Form()
	for name, c := range map[string]struct {
		text  string
		limit int
	}{
		"item's title": {item.Title, 24}, "item's submit": {item.Submit, 24}, "item's close": {item.Cancel, 24}, "item's hint": {item.ItemHint, 150},
		"title": {w.Title, 24}, "submit": {w.Submit, 24}, "close": {w.Cancel, 24},
		"topic hint": {w.TopicHint, 150}, "context hint": {w.ContextHint, 150}, "turns hint": {w.TurnsHint, 150},
	} {
		if n := utf8.RuneCountInString(c.text); n == 0 || n > c.limit {
			t.Errorf("%s: %d characters, want 1 to %d", name, n, c.limit)
		}
	}
	seats := testRoster().Seats()
	seats[0].Name = "Maya,Chen"
	for n := range len(seats) + 1 {
		if s := say.Thinking(seats[:n]); strings.Contains(s, ",") {
			t.Errorf("Slack would divide %q at the comma", s)
		}
	}
}

// TestHelpNamesEveryCommand keeps the help complete.
func TestHelpNamesEveryCommand(t *testing.T) {
	help := say.Help()
	for _, word := range []string{"list", "status", "export", "personas", "analyze", "done", "phase", "step", "deep", "brief", "menu"} {
		if !strings.Contains(help, word) {
			t.Errorf("help does not mention %q", word)
		}
	}
}
