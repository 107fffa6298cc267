package voice_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// cast is the cast that is shipped.
func cast(t testing.TB) []persona.Persona {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Roster.Personas
}

// labelled is a line of testdata and the rule that it breaks, or no rule.
type labelled struct {
	where   string
	speaker persona.Key
	rule    voice.Rule
	said    voice.Utterance
}

// labelledLines reads testdata/lines.txt.
func labelledLines(t testing.TB, file string) []labelled {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	people := []string{"Priya Sharma", "Ben"}
	var all []labelled
	var speaker persona.Key
	next := voice.Utterance{People: people}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if key, ok := strings.CutPrefix(line, "== "); ok {
			speaker = persona.Key(key)
			continue
		}
		label, text, found := strings.Cut(line, ": ")
		kind, of, _ := strings.Cut(label, " ")
		text = strings.ReplaceAll(text, `\n`, "\n")
		switch {
		case !found:
			t.Fatalf("%s:%d: no label", file, n)
		case kind == "after":
			next.Previous, next.PreviousBy = text, of
			continue
		case kind == "own":
			next.Own = append(next.Own, text)
			continue
		case kind == "bad" && !slices.Contains(voice.Rules(), voice.Rule(of)), kind != "bad" && kind != "good":
			t.Fatalf("%s:%d: no label is called %q", file, n, label)
		}
		next.Text = text
		all = append(all, labelled{fmt.Sprintf("%s:%d", file, n), speaker, voice.Rule(of), next})
		next = voice.Utterance{People: people}
	}
	return all
}

func rules(faults []voice.Fault) []voice.Rule {
	var all []voice.Rule
	for _, f := range faults {
		all = append(all, f.Rule)
	}
	return all
}

// FR-010 (AC-010-01 … AC-010-04): lines labelled by hand. A line that breaks a
// rule is found by that rule, and one that breaks none is let through.
func TestLabelledLines(t *testing.T) {
	personas := cast(t)
	type score struct{ found, missed, wrongly int }
	scores := map[voice.Rule]*score{}
	for _, r := range voice.Rules() {
		scores[r] = &score{}
	}
	var right, wrong, caught, missed int
	for _, l := range append(labelledLines(t, "testdata/lines.txt"), labelledLines(t, "testdata/later.txt")...) {
		p, ok := persona.Roster{Personas: personas}.Persona(l.speaker)
		if !ok {
			t.Fatalf("%s: nobody has the key %q", l.where, l.speaker)
		}
		faults := voice.Check(p, personas, l.said)
		got := rules(faults)
		switch {
		case l.rule == "" && len(got) > 0:
			wrong++
			for _, r := range got {
				scores[r].wrongly++
			}
			t.Errorf("%s: got %v, want no fault: %s", l.where, faults, l.said.Text)
		case l.rule == "":
			right++
		case slices.Contains(got, l.rule):
			caught++
			scores[l.rule].found++
		default:
			missed++
			scores[l.rule].missed++
			t.Errorf("%s: got %v, want %s: %s", l.where, got, l.rule, l.said.Text)
		}
	}
	t.Logf("%d good lines let through, %d not; %d bad lines found, %d missed; precision %.3f, recall %.3f",
		right, wrong, caught, missed, float64(caught)/float64(max(caught+wrong, 1)), float64(caught)/float64(max(caught+missed, 1)))
	for _, r := range voice.Rules() {
		if s := scores[r]; *s != (score{}) {
			t.Logf("%-10s found %d, missed %d, wrongly %d", r, s.found, s.missed, s.wrongly)
		}
	}
	if right+wrong+caught+missed < 150 {
		t.Errorf("%d labelled lines, want at least 150", right+wrong+caught+missed)
	}
}

// The lines that a persona's own file gives for and against its voice are
// classified as the file says.
func TestExamplesOfTheCast(t *testing.T) {
	personas := cast(t)
	for _, p := range personas {
		for _, line := range p.Examples.Good {
			if faults := voice.Check(p, personas, voice.Utterance{Text: line}); len(faults) > 0 {
				t.Errorf("%s, good: got %v: %s", p.First(), faults, line)
			}
		}
		byLikenessAlone := 0
		for _, line := range p.Examples.Bad {
			got := rules(voice.Check(p, personas, voice.Utterance{Text: line}))
			if len(got) == 0 {
				t.Errorf("%s, bad: got no fault: %s", p.First(), line)
			}
			if slices.Equal(got, []voice.Rule{voice.RuleUnlike}) {
				byLikenessAlone++
			}
		}
		t.Logf("%s: %d of %d bad lines are found only because the file holds them", p.First(), byLikenessAlone, len(p.Examples.Bad))
	}
}
