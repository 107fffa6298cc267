package panel

import (
	"slices"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// Whatever a model writes, only those called speak, each once, in the order of
// those who must, and nothing invisible or endless is handed on.
func FuzzDiscuss(f *testing.F) {
	for _, text := range shapes {
		f.Add(text, text)
	}
	f.Add(spoken(utters(maya, mayaSlips), utters(alex, alexSays)), spoken(utters(maya, mayaSays), silent(alex)))
	f.Add(`{"relevance":{"verdict":"off","turn":4,"subject":"x"}}`, `{"question":"q","options":[{"by":"maya","label":"l","reason":"r"}]}`)
	r := asking(f, alex+"!", maya+"!", jordan)
	f.Fuzz(func(t *testing.T, first, second string) {
		_, contributions, ending, err := play(t, panelOf(t, puppet(first, second)), r)
		var who []persona.Key
		for _, c := range contributions {
			if c.Drift != nil {
				if c.Persona != maya || c.Drift.Turn < 1 || c.Drift.Turn > 4 || c.Drift.Subject == "" {
					t.Errorf("got drift %+v", c)
				}
				continue
			}
			who = append(who, c.Persona)
			if c.Text == "" || utf8.RuneCountInString(c.Text) > textLimit || !utf8.ValidString(c.Text) || slices.ContainsFunc([]rune(c.Text), hidden) {
				t.Errorf("got %q", c.Text)
			}
			if c.ReplyTo < 0 || c.ReplyTo > 4 {
				t.Errorf("a reply to turn %d", c.ReplyTo)
			}
		}
		if a, m := slices.Index(who, alex), slices.Index(who, maya); twice(who) || a > 0 || m >= 0 && a > m {
			t.Errorf("%q spoke", who)
		}
		if len(contributions) == 0 && err == nil && !ending.Incomplete {
			t.Error("nobody spoke, and nobody is told")
		}
		if c := ending.Conflict; c != nil && (len(c.Options) < 2 || c.Question == "") {
			t.Errorf("got conflict %+v", c)
		}
	})
}

func hidden(r rune) bool {
	return unicode.IsControl(r) && r != '\n' || r == '\u202e' || r == '\u2066'
}

// How long the first contribution and the whole round take, with a model that
// writes 24 bytes a millisecond: a contribution is posted when its object closes,
// not when the round is over (FR-104).
func BenchmarkFirstContribution(b *testing.B) {
	text := spoken(utters(maya, mayaSays), utters(alex, alexSays), utters(jordan, jordanSays))
	p := panelOf(b, &scripted{replies: []reply{{text: text, piece: 24, pace: time.Millisecond}}})
	r := asking(b, maya+"!", alex+"!", jordan+"!")
	var first, round time.Duration
	for b.Loop() {
		start, heard := time.Now(), time.Duration(0)
		_, err := p.Discuss(b.Context(), r, func(roundtable.Contribution) error {
			if heard == 0 {
				heard = time.Since(start)
			}
			return nil
		})
		if err != nil || heard == 0 {
			b.Fatal(err, heard)
		}
		first, round = first+heard, round+time.Since(start)
	}
	perRound := func(d time.Duration) float64 { return d.Seconds() * 1e3 / float64(b.N) }
	b.ReportMetric(perRound(first), "first-ms/round")
	b.ReportMetric(perRound(round), "all-ms/round")
	b.ReportMetric(first.Seconds()/round.Seconds(), "first/all")
	b.ReportMetric(0, "ns/op") // mostly waiting
}

// What the panel itself costs a round: prompt, scanning, judging voices.
func BenchmarkRound(b *testing.B) {
	text := spoken(utters(maya, mayaSays), utters(alex, alexSays), utters(jordan, jordanSays))
	p := panelOf(b, puppet(text))
	r := asking(b, maya+"!", alex+"!", jordan+"!")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Discuss(b.Context(), r, func(roundtable.Contribution) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
