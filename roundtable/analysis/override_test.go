package analysis

import (
	"os"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable/persona"
)

func testCast() []persona.Seat {
	return []persona.Seat{
		{Key: "business-analyst", Name: "Maya Chen", Role: "Business Analyst", Title: "BA"},
		{Key: "solutions-architect", Name: "Alex Rivera", Role: "Solutions Architect", Title: "Architect"},
		{Key: "system-designer", Name: "Jordan Park", Role: "System Designer", Title: "Designer"},
	}
}

// labelledOverrides reads a file of depths and messages.
func labelledOverrides(t *testing.T, name string) (texts, want []string) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		label, text, _ := strings.Cut(line, " ")
		want = append(want, label)
		texts = append(texts, strings.ReplaceAll(strings.TrimSpace(text), `\n`, "\n"))
	}
	return texts, want
}

// TestReadOverride reads a labelled set: every message asks for the depth that
// stands before it, or for none (AC-006-05).
func TestReadOverride(t *testing.T) {
	texts, want := labelledOverrides(t, "testdata/overrides.txt")
	fresh, wantFresh := labelledOverrides(t, "testdata/overrides_fresh.txt")
	texts, want = append(texts, fresh...), append(want, wantFresh...)
	if len(texts) < 120 {
		t.Errorf("only %d messages", len(texts))
	}
	for i, text := range texts {
		got, ok := ReadOverride(text, testCast())
		if !ok {
			got = "none"
		}
		if string(got) != want[i] {
			t.Errorf("%q: got %s, want %s", text, got, want[i])
		}
	}
}

func FuzzReadOverride(f *testing.F) {
	for _, s := range []string{"Maya, go deeper", "keep it short, please -- we have a call", "`x` \"y\" <@U1>\n> z", "\xff…!?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, ok := ReadOverride(text, testCast())
		if _, valid := ParseDepth(string(d)); valid != ok {
			t.Errorf("got %q, %v", d, ok)
		}
	})
}
