package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// FuzzStep feeds Step random events in random order, right and stale answers among
// them, and checks after each what must always hold: it never panics, never
// changes its input, moves legally, and records nothing that was not written (I5, I6,
// AC-NFR-003-02).
func FuzzStep(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"))
	f.Add([]byte("a walk that goes on and on and on, through every state that there is"))
	f.Add([]byte{0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9, 3, 9, 2, 9, 1, 9, 0, 9, 4, 9, 5, 9})
	f.Fuzz(func(t *testing.T, program []byte) {
		g := &generator{program: program, p: newPlay(t)}
		g.play(t)
		g.finish(t)
	})
}

// play lets the program's bytes decide what happens, and counts the states that
// they led to.
func (g *generator) play(t *testing.T) map[State]int {
	t.Helper()
	seen := map[State]int{}
	g.p.meta = testMeta(t, []string{`{}`, `{"phases_completed":["00-quick-scan"]}`}[g.byte()%2])
	in := Input{ID: "o:1", At: g.p.Now, Event: Opened{
		Analysis: "A1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: person("Priya"), Item: "x", ItemTitle: "X", Cast: testCast(),
		Settings: Settings{Gather: time.Duration(g.byte()%3) * time.Second, Silence: time.Duration(g.byte()%2) * time.Hour, Close: g.right(), Choose: g.right()},
	}}
	for n := range 300 {
		effects := g.step(t, in)
		seen[g.p.a.State]++
		if len(g.program) == 0 {
			break
		}
		in = g.next(g.p.a, g.p.log, effects)
		switch { // the log is full now and then
		case n%11 == 10:
			in.Excess = thread.ExcessAll
		case n%7 == 6:
			in.Excess = thread.ExcessPerson
		}
	}
	return seen
}

// step takes one input in, and records what is recorded.
func (g *generator) step(t *testing.T, in Input) []Effect {
	t.Helper()
	r := checkedStep(t, g.p.a, in, g.p.log)
	if t.Failed() {
		t.Fatalf("after %T %+v", in.Event, in.Event)
	}
	g.p.log = append(g.p.log, r.Entries...)
	for _, x := range r.Effects {
		if record, ok := x.(Record); ok {
			g.p.note(record)
		}
	}
	g.p.a = r.Analysis
	return r.Effects
}

// finish shows that there is a way on from wherever the program led (I10): people
// and a panel who do what they are asked come to the end.
func (g *generator) finish(t *testing.T) {
	t.Helper()
	for n := 0; g.p.a.State != StateClosed; n++ {
		if n > 400 {
			t.Fatalf("I10: no way on from %s: %s", g.p.a.State, standing(g.p.a))
		}
		g.p.Now = g.p.Now.Add(time.Minute)
		g.step(t, Input{ID: fmt.Sprintf("y:%d", n), At: g.p.Now, Event: g.wellBehaved(g.p.a)})
	}
}

// wellBehaved is what the analysis waits for.
func (g *generator) wellBehaved(a Analysis) Event {
	id := strconv.Itoa(g.p.Now.Nanosecond())
	switch {
	case a.Place.Root == "":
		return Posted{Effect: "A1/root", TS: "1"}
	case a.Stalled != nil:
		return Pressed{By: person("Priya"), Button: roundtable.ButtonRetry}
	case a.Writing != nil && a.Writing.Recording:
		return Recorded{Effect: a.Writing.Key}
	case a.Writing != nil:
		return Written{Effect: a.Writing.Key}
	case a.Ask != nil && a.Ask.Kind == AskInspect:
		return Surveyed{Effect: a.Ask.Key, Survey: Look(testCatalogue(), testRoster(), g.p.meta, "")}
	case a.Ask != nil && a.Ask.Kind == AskInquire:
		return Asked{Effect: a.Ask.Key, Enough: true}
	case a.Ask != nil:
		return Drafted{Effect: a.Ask.Key, Transcript: thread.ReadTranscript(g.p.log)}
	case a.State == StateElaborating:
		return ElaborationEnded{Discussion: a.Elaborations[len(a.Elaborations)-1].Discussion}
	case a.Waiting != nil:
		return TimerFired{}
	case a.State == StateMenu:
		return Said{TS: id, By: person("Priya"), Text: "c"}
	default:
		return Said{TS: id, By: person("Priya"), Text: "because 42"}
	}
}

type generator struct {
	program []byte
	p       *play
	n       int
}

func (g *generator) byte() int {
	if len(g.program) == 0 {
		return 0
	}
	b := g.program[0]
	g.program = g.program[1:]
	return int(b)
}

func (g *generator) right() thread.Right {
	return []thread.Right{thread.RightEverybody, thread.RightOpener}[g.byte()%2]
}

// next makes an input that could follow: mostly what the analysis waits for.
func (g *generator) next(a Analysis, log []thread.Entry, effects []Effect) Input {
	g.n++
	g.p.Now = g.p.Now.Add(time.Duration(g.byte()) * time.Second / 5)
	id := strconv.Itoa(g.n)
	by := person([]string{"Priya", "Tom", "Una", "Gus"}[g.byte()%4])
	if by.Is() == thread.StandingUnknown && g.byte()%4 == 0 {
		by = by.As(thread.Standings()[g.byte()%4])
	}
	texts := []string{"done", "because of rain", "Decision: rain", "go deeper", "keep it short", "e", "c", "s", "[C]", "<@U9> you?", "Alex, why?", "42", ""}
	buttons := append(Buttons(), roundtable.ButtonWrapUp)
	if g.byte()%16 > 0 && a.State != StateElaborating { // most walks go on
		texts = texts[1:]
		buttons = slices.DeleteFunc(buttons, func(k thread.ButtonKind) bool { return k == ButtonPause })
	}
	var e Event
	switch g.byte() % 13 {
	case 0, 1:
		e = Said{TS: id, By: by, Text: texts[g.byte()%len(texts)]}
	case 2, 3:
		e = Pressed{By: by, Button: buttons[g.byte()%len(buttons)], Value: []string{a.Menu.ID, "m0", "01-01", ""}[g.byte()%4]}
	case 4:
		e = TimerFired{}
		if !a.WakeAt.IsZero() && a.WakeAt.After(g.p.Now) {
			g.p.Now = a.WakeAt
		}
	case 5:
		if e = g.failure(a); g.byte()%8 > 0 && e.(Failed).Effect == "A1/root" {
			e = TimerFired{}
		}
	case 6:
		e = []Event{Edited{TS: id, By: by, Text: "x"}, Deleted{TS: id}, Reacted{TS: id, By: by, Emoji: "pushpin"}, Parked{}, Reacted{TS: id, By: by, Emoji: "white_check_mark"}, Edited{TS: id, By: by, Text: "Decision: x"},
			Reacted{TS: id, By: by, Emoji: "white_check_mark", Unsure: true}}[g.byte()%7]
	case 7:
		discussion := "D0"
		if n := len(a.Elaborations); n > 0 {
			discussion = a.Elaborations[g.byte()%n].Discussion
		}
		e = ElaborationEnded{Discussion: discussion, Conclusion: roundtable.Conclusion{Summary: "x", Turns: g.byte() % 3}}
		if g.byte()%3 == 0 {
			e = ElaborationOpened{Discussion: discussion, By: by, Thread: id}
		}
	case 8:
		e = g.identified(a)
	default:
		for _, x := range effects {
			if p, ok := x.(Post); ok && g.byte()%4 == 0 {
				return Input{ID: p.Key + "/posted", At: g.p.Now, Event: Posted{Effect: p.Key, TS: id}}
			}
		}
		e = g.answer(a, log)
	}
	return Input{ID: fmt.Sprintf("x:%d", g.n), At: g.p.Now, Event: e}
}

// identified answers who somebody is: the one who is asked about, or anybody.
func (g *generator) identified(a Analysis) Identified {
	e := Identified{Person: person("Una").As(thread.Standings()[g.byte()%4])}
	for _, u := range a.Unknown {
		if u.Asking != "" {
			e.Effect = u.Asking
		}
	}
	return e
}

func (g *generator) failure(a Analysis) Event {
	keys := []string{"A1/root", "A1/other", a.Spoke, a.Menu.Key}
	if a.Ask != nil {
		keys = append(keys, a.Ask.Key, a.Ask.Key)
	}
	if a.Writing != nil {
		keys = append(keys, a.Writing.Key, a.Writing.Key)
	}
	for _, x := range a.Elaborations {
		keys = append(keys, x.Key)
	}
	reasons := []thread.Reason{thread.ReasonModelUnavailable, thread.ReasonOverBudget, thread.ReasonArchived, thread.ReasonMessageRefused, thread.ReasonArtifactRefused}
	return Failed{Effect: keys[g.byte()%len(keys)], Reason: reasons[g.byte()%len(reasons)]}
}

// answer makes the answer that is waited for, or the receipt.
func (g *generator) answer(a Analysis, log []thread.Entry) Event {
	switch {
	case a.Place.Root == "":
		return Posted{Effect: "A1/root", TS: "1"}
	case a.Writing != nil && a.Writing.Recording:
		return Recorded{Effect: a.Writing.Key}
	case a.Writing != nil:
		return Written{Effect: a.Writing.Key, Changes: []thread.ArtifactChange{{File: "a.md", Section: "s", Added: "x"}}}
	case a.Ask == nil:
		return TimerFired{}
	}
	switch a.Ask.Kind {
	case AskInspect:
		return Surveyed{Effect: a.Ask.Key, Survey: Look(testCatalogue(), testRoster(), g.p.meta, []string{"", "Scope: small\nComplexity: low"}[g.byte()%2])}
	case AskInquire:
		return Asked{Effect: a.Ask.Key, Question: []string{"why?", "", "what?"}[g.byte()%3], Prompt: g.byte() % 4, Enough: g.byte()%3 == 0, Summary: "s", Reflection: []string{"", "so"}[g.byte()%2]}
	case AskCompose:
		d := &Draft{Judged: g.byte()%2 == 0, Unmet: []int{g.byte() % 3, -1}, Parts: []Part{{File: []string{"requirements-spec.md", "quick-scan.md", "impact-analysis.md", "nowhere.md"}[g.byte()%4], Content: "x"}}}
		if n := g.byte() % 4; n == 0 {
			d = nil
		} else if n == 1 {
			d.Parts = nil
		}
		return Drafted{Effect: a.Ask.Key, Draft: d, Transcript: thread.ReadTranscript(log)}
	}
	return TimerFired{}
}
