package roundtable

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// labelled is a line of the labelled set.
type labelled struct {
	Text     string   `json:"text"`
	BotUser  string   `json:"bot_user"`
	Intent   Intent   `json:"intent"`
	Personas []string `json:"personas"`
	Note     string   `json:"note"`
}

// theThree is the usual cast, without anything that understanding does not use.
func theThree() []Seat {
	return []Seat{
		{Key: "business-analyst", Name: "Maya Chen", Role: "Business Analyst", UserGroup: "S0MAYA"},
		{Key: "solutions-architect", Name: "Alex Rivera", Role: "Solutions Architect", UserGroup: "S0ALEX"},
		{Key: "system-designer", Name: "Jordan Park", Role: "System Designer", UserGroup: "S0JORDAN"},
	}
}

func readLabelled(t *testing.T, name string) []labelled {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "understand", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []labelled
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var l labelled
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%s line %d: %v", name, len(out)+1, err)
		}
		out = append(out, l)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// firstNames returns the lower-case first names of the personas with the keys.
func firstNames(cast []Seat, keys []PersonaKey) []string {
	var out []string
	for _, key := range keys {
		i := slices.IndexFunc(cast, func(s Seat) bool { return s.Key == key })
		out = append(out, strings.ToLower(cast[i].First()))
	}
	return out
}

// TestUnderstandLabelled measures the rules against messages labelled by hand:
// FR-003, FR-006, AC-003-02, AC-003-03, AC-006-01.
func TestUnderstandLabelled(t *testing.T) {
	for _, set := range []struct {
		name  string
		least float64 // the share that must be right
	}{
		{"look", 0.99},
		{"hold", 0.99},
	} {
		t.Run(set.name, func(t *testing.T) {
			lines := readLabelled(t, set.name)
			wrong := 0
			for _, l := range lines {
				cast := theThree()
				u := Understand(l.Text, Table{Cast: cast, BotUser: l.BotUser})
				if got := firstNames(cast, u.Personas); u.Intent != l.Intent || !slices.Equal(got, l.Personas) {
					wrong++
					t.Logf("%q: got %s %v by %s, want %s %v", l.Text, u.Intent, got, u.Rule, l.Intent, l.Personas)
				}
			}
			right := 1 - float64(wrong)/float64(len(lines))
			t.Logf("%d of %d right: %.1f %%", len(lines)-wrong, len(lines), 100*right)
			if right < set.least {
				t.Errorf("got %.3f right, want at least %.3f", right, set.least)
			}
		})
	}
}

var _ = cmp.Diff
var _ = utf8.RuneError
var _ = time.Now
