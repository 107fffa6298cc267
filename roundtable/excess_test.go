package roundtable

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// A message is kept up to a length, with a note of how much of it is in Slack only, and
// no entity of Slack's is parted.
func TestKept(t *testing.T) {
	t.Parallel()
	entity := "<https://example.com/a/b|the notes>"
	for name, tt := range map[string]struct {
		text, ends string // how the kept text ends before the note
		note       string
	}{
		"short":                   {"What about refunds?", "refunds?", ""},
		"as long as may be":       {strings.Repeat("é", thread.KeptText), "é", ""},
		"CJK, longer":             {strings.Repeat("漢", thread.KeptText+1_000), "漢", "[1000 more characters"},
		"cut between words":       {strings.Repeat("word ", thread.KeptText/5) + "and more", "word", "more characters"},
		"cut in an entity":        {strings.Repeat("x", thread.KeptText-10) + entity, "xxx", "[35 more characters"},
		"cut behind an entity":    {strings.Repeat("x", thread.KeptText-len(entity)) + entity + "yy", entity, "[2 more characters"},
		"39,000 of one character": {strings.Repeat("<", 39_000), "<", "more characters"},
	} {
		got := thread.Kept(tt.text)
		head, note, cut := strings.Cut(got, "\n\n")
		if !strings.HasSuffix(head, tt.ends) || cut != (tt.note != "") || !strings.Contains(note, tt.note) {
			t.Errorf("%s: it ends in %q with the note %q", name, head[max(0, len(head)-40):], note)
		}
		if n := utf8.RuneCountInString(got); n > thread.KeptText+200 || !utf8.ValidString(got) {
			t.Errorf("%s: %d characters are kept", name, n)
		}
	}
}

// However often a message is edited, or marked and unmarked, the log needs one place for
// it, and tells the newest whatever the order of delivery.
func TestSupersedes(t *testing.T) {
	t.Parallel()
	priya, sam := person("Priya"), person("Sam")
	edit := func(ts, at, text string) thread.Entry {
		return thread.Entry{Kind: thread.EntryEdit, Person: &priya, TS: ts, Text: text, Edited: at}
	}
	mark := func(kind thread.EntryKind, by thread.Person, m thread.MarkKind) thread.Entry {
		return thread.Entry{Kind: kind, Mark: &thread.Mark{Kind: m, By: by, TS: "1.0"}}
	}
	said := thread.Entry{Kind: thread.EntryTurn, Turn: 1, Person: &priya, TS: "1.0", Text: "one"}
	log := []thread.Entry{said, edit("1.0", "5.0", "two"), mark(thread.EntryMark, sam, thread.MarkDecision)}
	for name, tt := range map[string]struct {
		e     thread.Entry
		index int
		want  thread.Placing
	}{
		"a newer edit":                     {edit("1.0", "6.0", "three"), 1, thread.Replaced},
		"the same edit again":              {edit("1.0", "5.0", "two"), 1, thread.Replaced},
		"an older edit that comes late":    {edit("1.0", "4.0", "older"), 1, thread.Outdated},
		"an edit of another message":       {edit("2.0", "6.0", "x"), -1, thread.Added},
		"the mark again":                   {mark(thread.EntryMark, sam, thread.MarkDecision), 2, thread.Replaced},
		"the mark taken back":              {mark(thread.EntryUnmark, sam, thread.MarkDecision), 2, thread.Replaced},
		"somebody else's":                  {mark(thread.EntryMark, priya, thread.MarkDecision), -1, thread.Added},
		"another mark of the same person":  {mark(thread.EntryMark, sam, thread.MarkInsight), -1, thread.Added},
		"what was never marked taken back": {mark(thread.EntryUnmark, priya, thread.MarkInsight), -1, thread.Outdated},
		"a message":                        {said, -1, thread.Added},
		"a deletion":                       {thread.Entry{Kind: thread.EntryStrike, TS: "1.0"}, -1, thread.Added},
		"a decision by a button":           {thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: thread.MarkDecision, By: sam, Text: "One"}}, -1, thread.Added},
	} {
		if i, got := thread.Supersedes(log, tt.e); got != tt.want || i != tt.index {
			t.Errorf("%s: got %v at %d, want %v at %d", name, got, i, tt.want, tt.index)
		}
	}
}

// A log in which an older version kept every edit tells the same without the words that
// no longer count, and every entry stays where it was.
func TestLightenTellsTheSame(t *testing.T) {
	t.Parallel()
	priya := person("Priya")
	log := []thread.Entry{{Kind: thread.EntryTurn, Turn: 1, Person: &priya, TS: "1.0", Text: "one"}}
	for i := range 50 {
		log = append(log, thread.Entry{Kind: thread.EntryEdit, Person: &priya, TS: "1.0", Edited: fmt.Sprintf("%02d.0", (i*7)%50), Text: fmt.Sprintf("take %d %s", (i*7)%50, strings.Repeat("x", 1000))})
	}
	want := thread.ReadTranscript(slices.Clone(log))
	thread.Lighten(log)
	if diff := cmp.Diff(want.Turns[0].Text, thread.ReadTranscript(log).Turns[0].Text); diff != "" || len(log) != 51 {
		t.Errorf("it tells something else (-before +after):\n%s", diff)
	}
	if got := thread.VolumeOf(log).Extent().Bytes; got > 51*thread.EntryBytes+2_000 {
		t.Errorf("%d bytes are left", got)
	}
}

// A person has a quarter of the log, and all have all of it; what replaces something
// needs room only for what it adds.
func TestVolumeLeavesRoomForOthers(t *testing.T) {
	t.Parallel()
	sam, priya := person("Sam"), person("Priya")
	long := strings.Repeat("x", thread.KeptText-500)
	var log []thread.Entry
	var v thread.Volume
	n := 0
	fill := func(by thread.Person) (refused thread.Excess) {
		for ; ; n++ {
			e := Said{TS: fmt.Sprintf("%d.0", n), By: by, Text: long}
			if x := ExcessOf(v, log, e); x != thread.ExcessNone {
				return x
			}
			log = append(log, thread.Entry{Kind: thread.EntryTurn, Turn: n, Person: &by, TS: e.TS, Text: e.Text})
			v.Add(log[len(log)-1])
		}
	}
	if got := fill(sam); got != thread.ExcessPerson || v.Extent().Bytes > thread.PersonBytes {
		t.Errorf("Sam alone is refused for %q at %d bytes, want the person's share of %d", got, v.Extent().Bytes, thread.PersonBytes)
	}
	if got := ExcessOf(v, log, Said{TS: "p", By: priya, Text: "Decision: one ledger."}); got != thread.ExcessNone {
		t.Errorf("after it Priya is refused: %q", got)
	}
	if got := ExcessOf(v, log, Edited{TS: "0.0", By: sam, Text: "short", EditedTS: "9"}); got != thread.ExcessNone && thread.PersonBytes-v.Extent().Bytes > thread.EntryBytes+5 {
		t.Errorf("a short edit is refused: %q", got)
	}
	for i := range 4 {
		fill(person(fmt.Sprint("Other", i)))
	}
	if got := ExcessOf(v, log, Said{TS: "p", By: priya, Text: long}); got != thread.ExcessAll || v.Extent().Bytes > thread.MaxBytes {
		t.Errorf("Priya is refused for %q at %d bytes, want all to be full at %d", got, v.Extent().Bytes, thread.MaxBytes)
	}
	many := thread.Volume{}
	for i := range thread.PersonEntries {
		many.Add(thread.Entry{Kind: thread.EntryMark, Mark: &thread.Mark{Kind: thread.MarkInsight, By: sam, TS: fmt.Sprint(i)}})
	}
	if got := ExcessOf(many, nil, Reacted{TS: "new", By: sam, Emoji: "pushpin"}); got != thread.ExcessPerson {
		t.Errorf("after %d marks another is refused for %q", thread.PersonEntries, got)
	}
}

// talking is a discussion whose first round is over, and its log.
func talking(t *testing.T) *play {
	p := newPlay(t)
	p.open(func(name, otherwise string) string {
		if name == "max" {
			return "40"
		}
		return otherwise
	})
	p.step("f", Framed{Effect: p.ask(), Framing: Framing{Focus: "Why?", Ask: "solutions-architect"}})
	p.step("e", RoundEnded{Effect: p.ask()})
	return p
}

// notices are the app's own words among effects, and what one person was told.
func notices(r Result) (all, told []string) {
	for _, e := range r.Effects {
		if post, ok := e.(Post); ok && post.Message.Kind == thread.KindNotice {
			all = append(all, post.Message.Text)
		}
		if tell, ok := e.(Tell); ok {
			told = append(told, tell.Text)
		}
	}
	return all, told
}

// What the log has no room for is refused in the thread, once for each person, with what
// to do; ending always stays possible and leaves a trace (I1, I10).
func TestNoRoomIsSaidOnce(t *testing.T) {
	p := talking(t)
	sam, priya := person("Sam"), person("Priya")
	at := func(id string, e Event, x thread.Excess) Result {
		t.Helper()
		r := Step(p.d, Input{ID: id, At: p.Now, Event: e, Excess: x})
		p.d = r.Discussion
		return r
	}
	for i, e := range []Event{
		Said{TS: "50", By: sam, Text: "One more thing."}, Said{TS: "51", By: sam, Text: "And another."},
		Edited{TS: "50", By: sam, Text: "Changed.", EditedTS: "52"}, Reacted{TS: "4", By: sam, Emoji: "pushpin"},
	} {
		r := at(fmt.Sprint("x", i), e, thread.ExcessPerson)
		said, _ := notices(r)
		if i == 0 && (len(said) != 1 || !strings.Contains(said[0], "Sam") || !strings.Contains(said[0], "done")) {
			t.Errorf("Sam is told %q", said)
		}
		if i > 0 && len(said) > 0 {
			t.Errorf("it is said again: %q", said)
		}
		for _, entry := range r.Entries {
			if entry.Person != nil || entry.Mark != nil {
				t.Errorf("%T is kept all the same: %+v", e, entry)
			}
		}
	}
	if r := at("p1", Said{TS: "60", By: priya, Text: "Alex, what breaks first?"}, thread.ExcessNone); r.Discussion.Waiting == nil && r.Discussion.Ask == nil {
		t.Error("nobody answers Priya, who has room")
	}
	if said, _ := notices(at("p2", Said{TS: "61", By: priya, Text: "And then?"}, thread.ExcessAll)); len(said) != 1 || !strings.Contains(said[0], "nothing of what is written") {
		t.Errorf("with a full log Priya is told %q", said)
	}
	if _, told := notices(at("p3", Pressed{By: priya, Button: ButtonQuiet}, thread.ExcessAll)); len(told) != 1 {
		t.Errorf("who presses is told %q", told)
	}
	r := at("p4", Said{TS: "62", By: priya, Text: strings.Repeat("That was a lot. ", 700) + "\nDone, thanks!"}, thread.ExcessAll)
	if r.Discussion.State != StateClosed && r.Discussion.State != StateSynthesis {
		t.Errorf("the discussion cannot be ended: %s", r.Discussion.State)
	}
	for _, e := range r.Entries {
		if len(e.Text) > 2*thread.ExcessText {
			t.Errorf("%d bytes of the last words are kept", len(e.Text))
		}
	}
}

// flood has one person write forty long messages while the panel frames, and then a
// colleague decide.
func flood(t *testing.T, p *play) (largest int) {
	t.Helper()
	sam, priya := person("Sam"), person("Priya")
	for i := range 40 {
		ts := p.TS()
		p.step("m:"+ts, Said{TS: ts, By: sam, Text: fmt.Sprintf("%d: ", i) + strings.Repeat("漢", 13_000)})
		stored, err := Encode(p.d)
		if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, len(stored))
	}
	ts := p.TS()
	p.step("m:"+ts, Said{TS: ts, By: priya, Text: "Decision: one ledger."})
	return largest
}

// The words stand in the log and not in the state: a flood before the framing leaves the
// state small, and a colleague's decision after it counts (NFR-003, I1).
func TestStateHoldsNoWords(t *testing.T) {
	p := newPlay(t)
	p.open(func(name, otherwise string) string {
		if name == "gather" {
			return "1h"
		}
		return otherwise
	})
	if got := flood(t, p); got > 32_000 {
		t.Errorf("the state grows to %d bytes", got)
	}
	if own := len(p.d.Unframed); own != ownEarlyLimit+1 {
		t.Errorf("%d messages wait for the framing, want %d of Sam's and Priya's", own, ownEarlyLimit)
	}
	p.step("f", Framed{Effect: p.ask(), Framing: Framing{Focus: "Why?", Ask: "solutions-architect"}})
	told := thread.ReadTranscript(p.log)
	if len(told.Marks) != 1 || told.Marks[0].Body != "one ledger." || told.Marks[0].Turn == 0 {
		t.Errorf("the marks are %+v, want Priya's decision", told.Marks)
	}
	parts := 0
	for _, turn := range told.Turns {
		parts += strings.Count(turn.Text, ": 漢")
	}
	if parts != ownEarlyLimit || len(told.Late) != 40-ownEarlyLimit {
		t.Errorf("%d of the messages are in turns, %d late, want all 40", parts, len(told.Late))
	}
	for i := range 200 {
		ts := p.TS()
		p.step("m:"+ts, Said{TS: ts, By: person("Sam"), Text: fmt.Sprintf("%d: ", i) + strings.Repeat("漢", 1_300)})
	}
	if stored, err := Encode(p.d); err != nil || len(stored) > 64_000 {
		t.Errorf("after 200 more, which wait for an answer, the state has %d bytes, %v", len(stored), err)
	}
}

// What waits is read anew after an edit, without its former words, and an older edit that
// is delivered late changes nothing.
func TestEditsBeforeTheFraming(t *testing.T) {
	p := newPlay(t)
	p.open(func(_, otherwise string) string { return otherwise })
	priya := person("Priya")
	p.step("m:10", Said{TS: "10", By: priya, Text: "We need two ledgers.", Files: []string{"a.pdf"}})
	p.step("m:11", Said{TS: "11", By: person("Sam"), Text: "Forget this."})
	p.step("e:10:20", Edited{TS: "10", By: priya, Text: "Decision: one ledger.", EditedTS: "20"})
	p.step("e:10:19", Edited{TS: "10", By: priya, Text: "Jordan, two?", EditedTS: "19"})
	p.step("d:11", Deleted{TS: "11"})
	if len(p.d.Unframed) != 1 || p.d.Unframed[0].Mark != thread.MarkDecision || !p.d.Unframed[0].Filed {
		t.Errorf("what waits is %+v, want Priya's decision", p.d.Unframed)
	}
	p.step("f", Framed{Effect: p.ask(), Framing: Framing{Focus: "Why?", Ask: "solutions-architect"}})
	told := thread.ReadTranscript(p.log)
	turn := told.Turns[len(told.Turns)-1]
	if turn.Text != "Decision: one ledger." || !slices.Equal(turn.Files, []string{"a.pdf"}) || len(told.Marks) != 1 {
		t.Errorf("the turn is %+v, the marks %+v", turn, told.Marks)
	}
}

// What an older version stored with people's words in the state is carried on: the words
// go into the log, and what was said is taken up as it would have been (NFR-102).
func TestOlderStateIsTakenOver(t *testing.T) {
	priya, sam := person("Priya"), person("Sam")
	at := time.Unix(1_700_000_000, 0).UTC()
	p := newPlay(t)
	p.open(func(_, otherwise string) string { return otherwise })
	p.d.Early = []Early{{Said{TS: "10", By: priya, Text: "Decision: one ledger."}, at}, {Said{TS: "11", By: sam, Text: "Alex, why?"}, at.Add(time.Minute)}}
	stored, err := Encode(p.d)
	if err != nil {
		t.Fatal(err)
	}
	if p.d, err = Decode(stored); err != nil {
		t.Fatal(err)
	}
	p.d = Seated(p.d, testRoster())
	p.step("e:11:20", Edited{TS: "11", By: sam, Text: "Jordan, why?", EditedTS: "20"})
	if len(p.d.Early) != 0 || len(p.d.Unframed) != 2 {
		t.Errorf("%d are kept with their words, %d without", len(p.d.Early), len(p.d.Unframed))
	}
	p.step("f", Framed{Effect: p.ask(), Framing: Framing{Focus: "Why?", Ask: "solutions-architect"}})
	told := thread.ReadTranscript(p.log)
	if n := len(told.Turns); n != 3 || told.Turns[1].Text != "Decision: one ledger." || told.Turns[2].Text != "Jordan, why?" {
		t.Errorf("the turns are %+v", told.Turns)
	}
	if w := p.d.Waiting; w == nil || !slices.Equal(w.Personas, []persona.Key{"system-designer"}) || len(told.Marks) != 1 {
		t.Errorf("%+v waits, the marks are %+v", w, told.Marks)
	}
	w := p.d.Waiting
	w.Spoken, w.Said, w.Of = nil, []Said{{TS: "10", By: priya, Text: "Decision: one ledger."}, {TS: "11", By: sam, Text: "Jordan, why?"}}, []int{2, 3}
	p.step("e:11:21", Edited{TS: "11", By: sam, Text: "Alex, why?", EditedTS: "21"})
	if w := p.d.Waiting; w == nil || !slices.Equal(w.Personas, []persona.Key{"solutions-architect"}) || len(w.Said) != 0 {
		t.Errorf("after the edit %+v waits", w)
	}
}
