package roundtable

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/thread"
)

// FuzzStep feeds Step random events in random order, answers to the panel among
// them, right ones and stale ones, and checks the invariants after each: it never
// panics, never changes its input, never counts past the limit (I5, I6, NFR-006).
func FuzzStep(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"))
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))
	f.Add([]byte{0, 0, 1, 0, 2, 0, 3, 1, 3, 2, 4, 0, 5, 3, 6, 1, 0, 1, 0, 2})
	f.Fuzz(func(t *testing.T, program []byte) {
		g := &generator{program: program, now: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)}
		var d Discussion
		var log []thread.Entry
		in := Input{ID: "o:1", At: g.now, Event: g.opened()}
		for n := 0; n < 400; n++ {
			r := checkedStep(t, d, in, log)
			if t.Failed() {
				t.Fatalf("after %T %+v", in.Event, in.Event)
			}
			d, log = r.Discussion, append(log, r.Entries...)
			if !g.more() {
				return
			}
			in = g.next(d, log, r.Effects)
			in.Excess = excessAt(n)
		}
	})
}

// excessAt lets the log be full now and then.
func excessAt(n int) thread.Excess {
	switch {
	case n%11 == 10:
		return thread.ExcessAll
	case n%7 == 6:
		return thread.ExcessPerson
	default:
		return thread.ExcessNone
	}
}

type generator struct {
	program []byte
	now     time.Time
	n       int
}

func (g *generator) more() bool { return len(g.program) > 0 }

func (g *generator) byte() int {
	if len(g.program) == 0 {
		return 0
	}
	b := g.program[0]
	g.program = g.program[1:]
	return int(b)
}

func (g *generator) opened() Opened {
	return Opened{
		Discussion: "D1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: person("Priya"), Topic: "sync",
		Step: StepRef{ID: FreeStep, Title: "sync", Outputs: []string{FreeOutput}}, Cast: testSeats(), Lead: "business-analyst",
		Settings: Settings{MaxTurns: 3 + g.byte()%9, Gather: time.Duration(g.byte()%3) * time.Second, Silence: time.Hour, MayExtend: g.byte()%2 == 0, Close: g.right(), Choose: g.right()},
	}
}

func (g *generator) right() thread.Right {
	return []thread.Right{thread.RightEverybody, thread.RightOpener}[g.byte()%2]
}

// next makes an input that could follow: mostly what the discussion waits for,
// sometimes anything.
func (g *generator) next(d Discussion, log []thread.Entry, effects []Effect) Input {
	g.n++
	g.now = g.now.Add(time.Duration(g.byte()) * 20 * time.Second / 10)
	id := strconv.Itoa(g.n)
	ask, stale := "D1/none", false
	if d.Ask != nil {
		ask = d.Ask.Key
	}
	if g.byte()%7 == 0 {
		ask, stale = "D1/stale", true
	}
	people := []string{"Priya", "Tom", "Una", "Gus"}
	texts := []string{"done", "", "What do you all think?", "Alex, why?", "are we done?", "Decision: yes", "hm", "quiet", "mute", "yes", "e", "<@U9> you?"}
	buttons := []thread.ButtonKind{ButtonContinue, ButtonExtend, ButtonWrapUp, ButtonKeepOn, ButtonChoose, ButtonRetry, ButtonQuiet, ButtonMute, ButtonOpenFloor, ButtonShare, ButtonAgain, ButtonCatchUp}
	by := person(people[g.byte()%4])
	if by.Is() == thread.StandingUnknown && g.byte()%4 == 0 {
		by = by.As(thread.Standings()[g.byte()%4])
	}
	var e Event
	switch g.byte() % 17 {
	case 0, 1, 2:
		e = Said{TS: id, By: by, Text: texts[g.byte()%len(texts)]}
	case 3:
		e = Edited{TS: strconv.Itoa(g.byte()), By: by, Text: texts[g.byte()%len(texts)]}
	case 4:
		e = Deleted{TS: strconv.Itoa(g.byte())}
	case 5:
		ts, how := g.byte(), g.byte()
		e = Reacted{TS: strconv.Itoa(ts), By: by, Emoji: "white_check_mark", Removed: how%2 == 0, Unsure: how%4 > 1}
	case 6, 7:
		e = Pressed{By: by, Button: buttons[g.byte()%len(buttons)], Value: []string{"", strconv.Itoa(d.Settings.MaxTurns), "c1/0", "c1/9", "c2/1"}[g.byte()%5]}
	case 8:
		e = TimerFired{}
		if !d.WakeAt.IsZero() && d.WakeAt.After(g.now) {
			g.now = d.WakeAt
		}
	case 9:
		e = Failed{Effect: ask, Reason: []thread.Reason{thread.ReasonModelUnavailable, thread.ReasonArchived, thread.ReasonMessageRefused}[g.byte()%3]}
	case 10:
		for _, x := range effects {
			if p, ok := x.(Post); ok {
				return Input{ID: p.Key + "/posted", At: g.now, Event: Posted{Effect: p.Key, TS: id}}
			}
		}
		e = Posted{Effect: "D1/root", TS: id}
	case 11:
		e = g.identified(d)
	default:
		e = g.answer(d, log, ask, stale)
	}
	return Input{ID: fmt.Sprintf("x:%d", g.n), At: g.now, Event: e}
}

// identified answers who somebody is: the one who is asked about, or anybody.
func (g *generator) identified(d Discussion) Identified {
	e := Identified{Person: person("Una").As(thread.Standings()[g.byte()%4])}
	for _, u := range d.Unknown {
		if u.Asking != "" {
			e.Effect = u.Asking
		}
	}
	if g.byte()%3 == 0 {
		e.Until = g.now.Add(time.Duration(g.byte()) * time.Minute)
	}
	return e
}

// answer makes the answer that the open question waits for.
func (g *generator) answer(d Discussion, log []thread.Entry, ask string, stale bool) Event {
	kind := AskKind("")
	if d.Ask != nil {
		kind = d.Ask.Kind
	}
	if stale {
		kind = []AskKind{AskFrame, AskDiscuss, AskSynthesise}[g.byte()%3]
	}
	switch kind {
	case AskFrame:
		return Framed{Effect: ask, Framing: Framing{Focus: "why?", Ask: testSeats()[g.byte()%3].Key}}
	case AskDiscuss:
		switch g.byte() % 5 {
		case 0:
			return RoundEnded{Effect: ask, Ending: Ending{Incomplete: g.byte()%2 == 0, Conflict: &Conflict{Question: "which?", Options: []Option{{Label: "a"}, {Label: "b"}}}}}
		case 1:
			return Contributed{Effect: ask, Contribution: Contribution{Persona: d.Lead, Drift: &Drift{Turn: g.byte() % 10, Subject: "x"}}}
		default:
			return Contributed{Effect: ask, Contribution: Contribution{Persona: testSeats()[g.byte()%3].Key, Text: "words"}}
		}
	case AskSynthesise:
		draft := &Draft{Insights: []DraftPoint{{Text: "x", Turns: []int{g.byte() % 12}}}, Decisions: []DraftPoint{{Text: "y", Turns: []int{g.byte() % 12}}}}
		if g.byte()%3 == 0 {
			draft = nil
		}
		return Drafted{Effect: ask, Draft: draft, Transcript: thread.ReadTranscript(log)}
	}
	return DocumentsWritten{Effect: d.Enriching, Changes: []thread.ArtifactChange{{File: "a.md", Section: "s", Added: "x"}}}
}
