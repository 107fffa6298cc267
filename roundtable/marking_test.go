package roundtable

import (
	"slices"
	"testing"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// placed is a log with entries put where they belong, as the engine does.
func placed(log []thread.Entry, entries ...thread.Entry) []thread.Entry {
	for _, e := range entries {
		switch i, how := thread.Supersedes(log, e); how {
		case thread.Added:
			log = append(log, e)
		case thread.Replaced:
			log[i] = e.InPlace(log)
		case thread.Outdated:
		}
	}
	return log
}

// NFR-003: several emoji mean a decision, and a person may put two of them on one message. It
// is one decision, which stands until the last of them is taken away, whoever they turn out
// to be, and once for those who answer for it.
func TestMarkStandsUntilItsLastEmojiGoes_NFR003(t *testing.T) {
	t.Parallel()
	const check, box = "white_check_mark", "ballot_box_with_check"
	type gesture struct {
		emoji   string
		removed bool
	}
	for name, tt := range map[string]struct {
		gestures []gesture
		want     int
	}{
		"two":                         {[]gesture{{check, false}, {box, false}}, 1},
		"the first is taken away":     {[]gesture{{check, false}, {box, false}, {check, true}}, 1},
		"the second is taken away":    {[]gesture{{check, false}, {box, false}, {box, true}}, 1},
		"both are taken away":         {[]gesture{{check, false}, {box, false}, {box, true}, {check, true}}, 0},
		"one that was never there":    {[]gesture{{check, false}, {box, true}}, 1},
		"taken away and put again":    {[]gesture{{check, false}, {box, false}, {check, true}, {box, true}, {box, false}}, 1},
		"both, and one put again":     {[]gesture{{check, false}, {box, false}, {check, true}, {check, false}, {box, true}}, 1},
		"one, and the same once more": {[]gesture{{check, false}, {check, false}, {check, true}}, 0},
	} {
		for _, as := range []thread.Standing{thread.StandingMember, thread.StandingUnknown} {
			p := talking(t)
			ts := p.TS()
			p.step("m:"+ts, Said{TS: ts, By: person("Priya"), Text: "One ledger."})
			log := placed(nil, p.log...)
			before := len(p.log)
			for _, g := range tt.gestures {
				p.step("r:"+p.TS(), Reacted{TS: ts, By: person("Sam").As(as), Emoji: g.emoji, Removed: g.removed})
				if g.emoji == check { // somebody else's stands between
					p.step("r:"+p.TS(), Reacted{TS: ts, By: person("Tom"), Emoji: check, Removed: g.removed})
				}
			}
			p.step("i:"+p.TS(), Identified{Person: person("Sam")})
			log = placed(log, p.log[before:]...)
			for how, l := range map[string][]thread.Entry{"appended": p.log, "placed": log} {
				got := thread.ReadTranscript(l).Marks
				if got = slices.DeleteFunc(got, func(m thread.Marked) bool { return m.By.Name == "Tom" }); len(got) != tt.want {
					t.Errorf("%s, %s, by somebody %q: got %d decisions, want %d", name, how, as, len(got), tt.want)
				}
			}
		}
	}
}

// What an older version noted without the emoji is taken back by whichever is taken away, and
// by none that was noted later with its own.
func TestOlderMarksAreTakenBack(t *testing.T) {
	t.Parallel()
	mark := func(kind thread.EntryKind, emoji string) thread.Entry {
		return thread.Entry{Kind: kind, Mark: &thread.Mark{Kind: thread.MarkDecision, By: person("Sam"), TS: "1.0", Emoji: emoji}}
	}
	priya := person("Priya")
	old := []thread.Entry{{Kind: thread.EntryTurn, Turn: 1, Person: &priya, TS: "1.0", Text: "One ledger."}, mark(thread.EntryMark, "")}
	for name, tt := range map[string]struct {
		later []thread.Entry
		want  int
	}{
		"taken back":                         {[]thread.Entry{mark(thread.EntryUnmark, "white_check_mark")}, 0},
		"another emoji comes and goes":       {[]thread.Entry{mark(thread.EntryMark, "heavy_check_mark"), mark(thread.EntryUnmark, "heavy_check_mark")}, 1},
		"another emoji comes, the old goes":  {[]thread.Entry{mark(thread.EntryMark, "heavy_check_mark"), mark(thread.EntryUnmark, "white_check_mark")}, 1},
		"both go":                            {[]thread.Entry{mark(thread.EntryMark, "heavy_check_mark"), mark(thread.EntryUnmark, "white_check_mark"), mark(thread.EntryUnmark, "heavy_check_mark")}, 0},
		"taken back by an older version":     {[]thread.Entry{mark(thread.EntryUnmark, "")}, 0},
		"taken back, and marked once more":   {[]thread.Entry{mark(thread.EntryUnmark, "white_check_mark"), mark(thread.EntryMark, "white_check_mark")}, 1},
		"another, taken back by the version": {[]thread.Entry{mark(thread.EntryMark, "heavy_check_mark"), mark(thread.EntryUnmark, "")}, 1},
	} {
		if got := len(thread.ReadTranscript(placed(slices.Clone(old), tt.later...)).Marks); got != tt.want {
			t.Errorf("%s: got %d decisions, want %d", name, got, tt.want)
		}
	}
}
