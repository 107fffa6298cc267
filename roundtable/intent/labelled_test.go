package intent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLabelledSetsAreWhole keeps the messages of testdata/labelled fit to be measured
// against: every one can be read, has a label that its place knows, and stands once, in
// what may be looked at or in what is held back.
func TestLabelledSetsAreWhole(t *testing.T) {
	talk := []string{"empty", "command", "exit", "confirm", "human", "direct", "group", "courtesy", "default"}
	intents := map[string][]string{
		"discussion": talk, "quiet": talk, "closed": talk,
		"menu": {"continue", "elaborate", "skip", "pause", "back", "question", "command", "human", "courtesy", "feedback"},
		"step": {"answer", "ask-back", "defer", "finish", "command", "human", "courtesy"},
	}
	acts := []string{"help", "status", "list", "catch-up", "decisions", "more-turns", "continue", "quiet", "mute", "unmute", "show", "how-to-end"}
	names, err := filepath.Glob("testdata/labelled/*.jsonl")
	if err != nil || len(names) != 6 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	ids := map[string]bool{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			var m struct {
				ID, Text, By, Place, Lang, Why, Asked, Question string
				BotUser                                         string `json:"bot_user"`
				People                                          []string
				Want                                            struct {
					Intent, Act string
					Personas    []string
				}
			}
			d := json.NewDecoder(strings.NewReader(line))
			d.DisallowUnknownFields()
			switch err := d.Decode(&m); {
			case err != nil:
				t.Errorf("%s: %v in %s", name, err, line)
			case ids[m.ID]:
				t.Errorf("%s: %s stands twice", name, m.ID)
			case !slices.Contains(intents[m.Place], m.Want.Intent):
				t.Errorf("%s: %s has the intent %q in %q", name, m.ID, m.Want.Intent, m.Place)
			case (m.Want.Intent == "command") != slices.Contains(acts, m.Want.Act):
				t.Errorf("%s: %s is a %s with the act %q", name, m.ID, m.Want.Intent, m.Want.Act)
			case (m.Want.Intent == "direct") != (len(m.Want.Personas) > 0):
				t.Errorf("%s: %s is %s, to %q", name, m.ID, m.Want.Intent, m.Want.Personas)
			case !slices.Contains(m.People, m.By):
				t.Errorf("%s: %s is by %q, who is not among %q", name, m.ID, m.By, m.People)
			}
			ids[m.ID] = true
		}
	}
}
