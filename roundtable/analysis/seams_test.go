package analysis

import (
	"fmt"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

func atMenu() Analysis {
	return Analysis{
		ID: "A1", State: StateMenu, Cast: testCast(), Opener: person("Priya"), Menu: Menu{ID: "m1", Last: true}, Menus: 1,
		Place: thread.Place{Team: "T1", Channel: "C1", Thread: "0.1", Root: "0.1"},
		Phase: &PhaseView{Key: "01-requirements", Lead: testCast()[0].Key}, Step: &Sitting{StepView: StepView{ID: "01-01", Title: "Context", Lead: testCast()[0].Key}, From: 1, Answers: 1},
	}
}

// Where the log has no room, whatever is heard of procedure is heard and not kept: nobody
// makes the log grow by saying it again.
func TestProcedureTakesNoRoomWhereThereIsNone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		by   thread.Person
		text string
	}{
		"a choice that the menu has not":   {person("Priya"), "s"},
		"leaving, by who may not":          {person("Sam"), "done"},
		"leaving, by somebody unknown":     {person("Priya").As(thread.StandingUnknown), "done"},
		"a choice, by somebody of unknown": {person("Priya").As(thread.StandingUnknown), "e"},
	} {
		a, entries := atMenu(), 0
		a.Settings.Close = thread.RightOpener
		for n := range 100 {
			e := Said{TS: fmt.Sprint("1.", n), By: tt.by, Text: tt.text}
			r := Step(a, Input{ID: fmt.Sprint("m:", n), At: time.Unix(int64(n), 0), Event: e, Excess: thread.ExcessPerson})
			a = r.Analysis
			entries += len(r.Entries)
		}
		if entries > 1 { // that there is no room is said once
			t.Errorf("%s: %d entries", name, entries)
		}
	}
}

// What somebody unknown says to end it is kept where the log has no room, and taken back
// by an edit that tells who they are.
func TestLeavingIsKeptWhereThereIsNoRoom(t *testing.T) {
	t.Parallel()
	una := person("Una").As(thread.StandingUnknown)
	said := Input{ID: "m:1", At: time.Unix(1, 0), Event: Said{TS: "1.1", By: una, Text: "done"}, Excess: thread.ExcessAll}
	a := Step(atMenu(), said).Analysis
	if r := Step(a, Input{ID: "i:1", At: time.Unix(2, 0), Event: Identified{Person: una.As(thread.StandingMember)}}); r.Analysis.State != StateClosed {
		t.Errorf("she turned out to be a member, and the analysis is in %s", r.Analysis.State)
	}
	edit := Edited{TS: "1.1", By: una.As(thread.StandingMember), Text: "not yet", EditedTS: "2.0"}
	if r := Step(a, Input{ID: "e:1", At: time.Unix(2, 0), Event: edit}); r.Analysis.State != StateMenu {
		t.Errorf("she took it back, and the analysis is in %s", r.Analysis.State)
	}
}

// A mark that was taken back is no act, and one that may be another thread's is not told
// of.
func TestMarksTakenBackAreNoActs(t *testing.T) {
	t.Parallel()
	una := person("Una").As(thread.StandingUnknown)
	mark := Reacted{TS: "1.1", By: una, Emoji: "white_check_mark"}
	back, unsure := mark, mark
	back.Removed, unsure.Unsure = true, true
	for name, events := range map[string][]Event{
		"taken back": {mark, back, Identified{Person: una.As(thread.StandingMember)}},
		"unsure":     {unsure, Identified{Person: una.As(thread.StandingGuest)}},
	} {
		a, acts, tells := atMenu(), 0, 0
		var log []thread.Entry
		for n, e := range events {
			r := Step(a, Input{ID: fmt.Sprint("x:", n), At: time.Unix(int64(n), 0), Event: e})
			a = r.Analysis
			for _, x := range r.Entries {
				before := thread.DecidedAt(log, x)
				log = append(log, x)
				r.Acts = append(r.Acts, thread.AuditsOf(x, before, thread.DecidedAt(log, x))...)
			}
			for _, act := range r.Acts {
				if act.Kind == thread.AuditDecided {
					acts++
				}
			}
			for _, x := range r.Effects {
				if _, ok := x.(Tell); ok && n == len(events)-1 {
					tells++
				}
			}
		}
		if acts+tells != 0 {
			t.Errorf("%s: %d acts, %d told", name, acts, tells)
		}
	}
}

// An edit that newer words had replaced before Slack delivered it decides nothing (NFR-003):
// nothing is kept of it, and nobody is told that it is, or that they may not decide.
func TestOvertakenWordsAreNotKept(t *testing.T) {
	t.Parallel()
	for _, is := range []thread.Standing{thread.StandingUnknown, thread.StandingGuest} {
		edit := Edited{TS: "1.1", By: person("Una").As(is), Text: "Decision: one ledger", EditedTS: "2.1"}
		for _, overtaken := range []bool{true, false} {
			r := Step(atMenu(), Input{ID: "e:1", At: time.Unix(1, 0), Event: edit, Overtaken: overtaken})
			if kept := len(r.Analysis.Unknown) > 0; kept != (!overtaken && is == thread.StandingUnknown) {
				t.Errorf("%q, overtaken %v: kept is %+v", is, overtaken, r.Analysis.Unknown)
			}
			if told := len(r.Effects) > 0; told == overtaken {
				t.Errorf("%q, overtaken %v: the effects are %+v", is, overtaken, r.Effects)
			}
		}
	}
}

// NFR-003: a decision that a person marked with two emoji stands until both are taken away,
// in an analysis, too.
func TestMarkStandsUntilItsLastEmojiGoes_NFR003(t *testing.T) {
	t.Parallel()
	priya := person("Priya")
	said := thread.Entry{Kind: thread.EntryTurn, Turn: 1, Person: &priya, TS: "1.1", Text: "One ledger."}
	for _, by := range []thread.Person{person("Sam"), person("Sam").As(thread.StandingUnknown)} {
		a, log, n := atMenu(), []thread.Entry{said}, 0
		react := func(emoji string, removed bool) (decisions int) {
			n++
			r := Step(a, Input{ID: fmt.Sprint("r:", n), At: time.Unix(int64(n), 0), Event: Reacted{TS: "1.1", By: by, Emoji: emoji, Removed: removed}})
			a, log = r.Analysis, append(log, r.Entries...)
			known := Step(a, Input{ID: "i:1", At: time.Unix(int64(n), 0), Event: Identified{Person: person("Sam")}})
			return len(thread.ReadTranscript(append(log[:len(log):len(log)], known.Entries...)).Marks)
		}
		for _, g := range []struct {
			emoji   string
			removed bool
			want    int
		}{{"white_check_mark", false, 1}, {"heavy_check_mark", false, 1}, {"white_check_mark", true, 1}, {"heavy_check_mark", true, 0}} {
			if got := react(g.emoji, g.removed); got != g.want {
				t.Errorf("%s, removed %v, by somebody %q: got %d decisions, want %d", g.emoji, g.removed, by.Is(), got, g.want)
			}
		}
	}
}

// I1: a person whose share of the log is used up is told that nothing is elaborated any more,
// by the button and in words, and still moves on and leaves.
func TestElaboratingTakesRoom_I1(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		event Event
		state State
		said  int // tells and notices
	}{
		"[E]":            {Pressed{By: person("Priya"), Button: ButtonElaborate, Value: "m1"}, StateMenu, 1},
		"[E], typed":     {Said{TS: "1.2", By: person("Priya"), Text: "e"}, StateMenu, 1},
		"stopping here":  {Pressed{By: person("Priya"), Button: ButtonPause}, StateClosed, 1},
		"done":           {Said{TS: "1.2", By: person("Priya"), Text: "done"}, StateClosed, 1},
		"[C] at the end": {Pressed{By: person("Priya"), Button: ButtonNext, Value: "m1"}, StateWriting, 0},
	} {
		r := Step(atMenu(), Input{ID: "x:1", At: time.Unix(1, 0), Event: tt.event, Excess: thread.ExcessPerson})
		said := 0
		for _, e := range r.Effects {
			switch e.(type) {
			case Tell, Post:
				said++
			case Inspect, Inquire, Compose, Open, Write, Record, Welcome, Identify:
			}
		}
		if r.Analysis.State != tt.state || said != tt.said {
			t.Errorf("%s: the analysis is in %s and said %d things, want %s and %d", name, r.Analysis.State, said, tt.state, tt.said)
		}
	}
}

// What an elaboration has the app say counts to the share of the person who opened it.
func TestElaborationCountsToItsOpener(t *testing.T) {
	t.Parallel()
	opened := ElaborationOpened{Discussion: "D2", By: person("Sam"), StepTitle: "Context", Thread: "7.1"}
	r := Step(atMenu(), Input{ID: "D2/opened", At: time.Unix(1, 0), Event: opened})
	if len(r.Entries) != 1 || r.Entries[0].For != person("Sam").ID {
		t.Errorf("noted is %+v, want one line for Sam", r.Entries)
	}
}
