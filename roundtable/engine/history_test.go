package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// portions is a log that gives so many entries at a time.
type portions struct {
	lines [][]byte
	each  int
	reads int
}

func (s *portions) Log(_ context.Context, _ Ref, from int) ([][]byte, error) {
	s.reads++
	return s.lines[from:min(from+s.each, len(s.lines))], nil
}

// What a replica has of a log is joined with what the store sends, unless entries were
// rewritten since: then it is read anew, in portions, and tells what the store has.
func TestLoadLog(t *testing.T) {
	t.Parallel()
	line := func(text string) []byte {
		b, err := thread.EncodeEntry("d", thread.Entry{Kind: thread.EntryTurn, Turn: 1, Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	known := func(texts string) (log []thread.Entry) {
		for _, text := range strings.Fields(texts) {
			log = append(log, thread.Entry{Kind: thread.EntryTurn, Turn: 1, Text: text})
		}
		return log
	}
	for name, tt := range map[string]struct {
		stored, cached string
		rev, cachedRev LogRev
		from, sent     int // what the claim brought
		each           int
		rewound        bool
		reads          int
	}{
		"nothing known":                             {stored: "a b c", sent: 3, each: 9},
		"the beginning known":                       {stored: "a b c", cached: "a b", from: 2, sent: 1, each: 9},
		"more known than was when it was asked":     {stored: "a b c", cached: "a b c", from: 2, sent: 1, each: 9},
		"rewritten since":                           {stored: "a B c", cached: "a b", rev: "op2", cachedRev: "op1", sent: 3, each: 9},
		"rewritten for the first time":              {stored: "A b c", cached: "a b", rev: "op1", sent: 3, each: 9},
		"rewritten between asking and handing on":   {stored: "A b c", cached: "A b c", rev: "op1", cachedRev: "op1", sent: 3, each: 9},
		"not handed over":                           {stored: "a b c", from: 2, sent: 1, each: 9, reads: 1},
		"in portions":                               {stored: "a b c d e f g", sent: 2, each: 2, reads: 3},
		"the beginning known, the rest in portions": {stored: "a b c d e f g", cached: "a b c", from: 3, sent: 2, each: 2, reads: 1},
		"rewritten and in portions":                 {stored: "A b c d e", cached: "a b c", rev: "op1", sent: 2, each: 2, reads: 2},
		"the store forgot":                          {stored: "a b", cached: "a b c", sent: 2, each: 9},
		"the server changed":                        {stored: "a x", cached: "a b", from: 2, each: 9, rewound: true, reads: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &portions{each: tt.each}
			for _, text := range strings.Fields(tt.stored) {
				s.lines = append(s.lines, line(text))
			}
			claim := &Claim{
				Ref: Ref{ID: "d"}, Log: s.lines[tt.from : tt.from+tt.sent], LogFrom: tt.from, LogLen: len(s.lines), LogRev: tt.rev, Rewound: tt.rewound,
			}
			var h history
			if err := h.load(t.Context(), s, claim, keptLog{known(tt.cached), tt.cachedRev}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range h.entries {
				got = append(got, e.Text)
			}
			if strings.Join(got, " ") != tt.stored || s.reads != tt.reads || h.rev != tt.rev {
				t.Errorf("it is %q of revision %q after %d readings, want %q of %q after %d", got, h.rev, s.reads, tt.stored, tt.rev, tt.reads)
			}
		})
	}
}

// A log of an older version, in which every edit of a long message stands, is read within
// what one portion and one edit take.
func TestLoadLogOfManyEdits(t *testing.T) {
	t.Parallel()
	s := &portions{each: 25}
	for i := range 1500 {
		b, err := thread.EncodeEntry("d", thread.Entry{Kind: thread.EntryEdit, TS: "1.0", Edited: fmt.Sprintf("%06d.0", i), Text: strings.Repeat("x", 1000)})
		if err != nil {
			t.Fatal(err)
		}
		s.lines = append(s.lines, b)
	}
	var h history
	if err := h.load(t.Context(), s, &Claim{Ref: Ref{ID: "d"}, Log: s.lines[:25], LogLen: len(s.lines)}, keptLog{}); err != nil {
		t.Fatal(err)
	}
	words := 0
	for _, e := range h.entries {
		words += len(e.Text)
	}
	if len(h.entries) != 1500 || words > 26*1000 {
		t.Errorf("%d entries hold %d bytes of words", len(h.entries), words)
	}
}

// What was decided and then forgotten leaves the log as the store has it, also where an
// entry was to be rewritten, and nothing of it is among what others were handed.
func TestUndoneNotes(t *testing.T) {
	t.Parallel()
	priya := &thread.Person{ID: "U1"}
	edit := func(at, text string) thread.Entry {
		return thread.Entry{Kind: thread.EntryEdit, Person: priya, TS: "1.0", Edited: at, Text: text}
	}
	h := history{id: "d"}
	h.entries = []thread.Entry{{Kind: thread.EntryTurn, Turn: 1, Person: priya, TS: "1.0", Text: "one"}, edit("2.0", "two")}
	h.volume = thread.VolumeOf(h.entries)
	h.saved(Committed{})
	bytes := h.volume.Extent().Bytes
	for _, e := range []thread.Entry{edit("3.0", "three"), edit("4.0", "four, and longer"), {Kind: thread.EntryStrike, TS: "1.0"}, edit("3.5", "late")} {
		if _, err := h.note(e); err != nil {
			t.Fatal(err)
		}
	}
	if len(h.entries) != 3 || h.entries[1].Text != "four, and longer" || len(h.noted.rewrites) != 1 || len(h.noted.lines) != 1 {
		t.Errorf("noted are %+v, rewritten %d, appended %d", h.entries, len(h.noted.rewrites), len(h.noted.lines))
	}
	if len(h.committed) != 2 || h.committed[1].Text != "two" {
		t.Errorf("what is committed became %+v", h.committed)
	}
	h.undo()
	if len(h.entries) != 2 || h.entries[1].Text != "two" || h.volume.Extent().Bytes != bytes {
		t.Errorf("left are %+v, %d bytes", h.entries, h.volume.Extent().Bytes)
	}
}

// A second emoji that means what the first does is no second act, and neither is taking one of
// the two away: it is recorded that something was decided, and that it is decided no more.
func TestMarkedTwiceIsOneAct(t *testing.T) {
	t.Parallel()
	h := history{id: "d"}
	for i, g := range []struct {
		kind  thread.EntryKind
		emoji string
		want  bool
	}{
		{thread.EntryMark, "white_check_mark", true}, {thread.EntryMark, "heavy_check_mark", false},
		{thread.EntryUnmark, "white_check_mark", false}, {thread.EntryMark, "white_check_mark", false},
		{thread.EntryUnmark, "heavy_check_mark", false}, {thread.EntryUnmark, "white_check_mark", true},
	} {
		mark := thread.Mark{Kind: thread.MarkDecision, By: thread.Person{ID: "U1"}, TS: "1.0", Emoji: g.emoji}
		if got, err := h.note(thread.Entry{Kind: g.kind, Mark: &mark}); err != nil || (len(got) == 1) != g.want || len(got) > 1 {
			t.Errorf("act %d, %s of %s: recorded %v, %v, want %v", i, g.kind, g.emoji, got, err, g.want)
		}
	}
}

// I1: what a person does counts to their share of the log, in an analysis as in a discussion:
// who presses a step's buttons again and again leaves room for everybody else.
func TestShareOfOnePerson_I1(t *testing.T) {
	t.Parallel()
	sam, priya := thread.Person{ID: "U2", Name: "Sam"}, thread.Person{ID: "U1", Name: "Priya"}
	var h history
	for range thread.PersonEntries {
		h.volume.Add(thread.Entry{Kind: thread.EntryLine, For: sam.ID})
	}
	doing := func(by thread.Person) map[string]event {
		return map[string]event{
			"says in a discussion": roundtable.Said{TS: "1.0", By: by, Text: "x"}, "says in an analysis": analysis.Said{TS: "1.0", By: by, Text: "x"},
			"edits in a discussion": roundtable.Edited{TS: "1.0", By: by}, "edits in an analysis": analysis.Edited{TS: "1.0", By: by},
			"marks in a discussion": roundtable.Reacted{TS: "1.0", By: by, Emoji: "pushpin"}, "marks in an analysis": analysis.Reacted{TS: "1.0", By: by, Emoji: "pushpin"},
			"presses in a discussion": roundtable.Pressed{By: by, Button: roundtable.ButtonQuiet}, "presses in an analysis": analysis.Pressed{By: by, Button: analysis.ButtonElaborate},
		}
	}
	for what, e := range doing(sam) {
		if got := h.excess(e); got != thread.ExcessPerson {
			t.Errorf("Sam %s: got %q, want %q", what, got, thread.ExcessPerson)
		}
	}
	for what, e := range doing(priya) {
		if got := h.excess(e); got != thread.ExcessNone {
			t.Errorf("Priya %s: got %q, want room", what, got)
		}
	}
}
