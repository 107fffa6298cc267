package roundtable

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/rulestest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var updateTable = flag.Bool("update", false, "write generated documents anew")

var table = rulestest.Document{File: "../docs/state-table.md", Command: "go test ./roundtable -run TestStateTable -update"}

// TestStateTable generates the table of states and events by asking Step, and
// fails when the document is stale (I6).
func TestStateTable(t *testing.T) { table.Check(t, stateTable(t), *updateTable) }

type namedEvent struct {
	name  string
	event Event
}

// tableEvents are the events of the table, with the answer to the open question
// filled in for each discussion.
func tableEvents(d Discussion, log []thread.Entry) []namedEvent {
	priya := person("Priya")
	ask := "D1/none"
	if d.Ask != nil {
		ask = d.Ask.Key
	}
	limit, choice := fmt.Sprint(d.Settings.MaxTurns), "c0/0"
	if d.Choice != nil {
		choice = d.Choice.ID + "/0"
	}
	return []namedEvent{
		{"opened again", Opened{Discussion: "D1", By: priya, Topic: "sync"}},
		{"introduction posted", Posted{Effect: "D1/root", TS: "1"}},
		{"framed", Framed{Effect: ask, Framing: Framing{Focus: "Why?", Ask: "solutions-architect"}}},
		{"contributed", Contributed{Effect: ask, Contribution: Contribution{Persona: "solutions-architect", Text: "words"}}},
		{"contributed: drift", Contributed{Effect: ask, Contribution: Contribution{Persona: d.Lead, Drift: &Drift{Subject: "x"}}}},
		{"round ended", RoundEnded{Effect: ask}},
		{"round ended: conflict", RoundEnded{Effect: ask, Ending: Ending{Conflict: &Conflict{Question: "Which?", Options: []Option{{Label: "a"}, {Label: "b"}}}}}},
		{"said: default", Said{TS: "90", By: priya, Text: "What about errors?"}},
		{"said: direct", Said{TS: "90", By: priya, Text: "Alex, what breaks first?"}},
		{"said: done", Said{TS: "90", By: priya, Text: "done"}},
		{"said: done, by somebody unknown", Said{TS: "90", By: person("Una"), Text: "done"}},
		{"said: are we done?", Said{TS: "90", By: priya, Text: "are we done?"}},
		{"said: nothing", Said{TS: "90", By: priya, Text: " "}},
		{"edited", Edited{TS: "4", By: priya, Text: "new"}},
		{"deleted", Deleted{TS: "4"}},
		{"reacted ✅", Reacted{TS: "4", By: priya, Emoji: "white_check_mark"}},
		{"pressed continue", Pressed{By: priya, Button: ButtonContinue}},
		{"pressed ＋10", Pressed{By: priya, Button: ButtonExtend, Value: limit}},
		{"pressed wrap up", Pressed{By: priya, Button: ButtonWrapUp}},
		{"pressed wrap up, by somebody unknown", Pressed{By: person("Una"), Button: ButtonWrapUp}},
		{"pressed keep going", Pressed{By: priya, Button: ButtonKeepOn}},
		{"pressed an option", Pressed{By: priya, Button: ButtonChoose, Value: choice}},
		{"pressed quiet", Pressed{By: priya, Button: ButtonQuiet}},
		{"pressed mute", Pressed{By: priya, Button: ButtonMute}},
		{"pressed open floor", Pressed{By: priya, Button: ButtonOpenFloor}},
		{"pressed share", Pressed{By: priya, Button: ButtonShare}},
		{"pressed catch me up", Pressed{By: priya, Button: ButtonCatchUp}},
		{"pressed try again", Pressed{By: priya, Button: ButtonRetry}},
		{"pressed [E]", Pressed{By: priya, Button: ButtonAgain}},
		{"pressed [C]", Pressed{By: priya, Button: ButtonAnalyse}},
		{"model failed", Failed{Effect: ask, Reason: thread.ReasonModelUnavailable}},
		{"draft good", Drafted{Effect: ask, Draft: &Draft{Insights: []DraftPoint{{Text: "x", Turns: []int{1}}}}, Transcript: thread.ReadTranscript(log)}},
		{"draft malformed", Drafted{Effect: ask, Transcript: thread.ReadTranscript(log)}},
		{"artifacts enriched", DocumentsWritten{Effect: d.Enriching}},
		{"artifacts refused", Failed{Effect: d.Enriching, Reason: thread.ReasonArtifactRefused}},
		{"introduction refused", Failed{Effect: "D1/root", Reason: thread.ReasonNotInChannel}},
		{"an analysis took it up", Analysed{Thread: "7"}},
		{"may be reminded", DNDChecked{Effect: "D1/none"}},
		{"somebody is known", Identified{Effect: "D1/none", Person: priya}},
		{"an input was put aside", Parked{}},
		{"a long silence", TimerFired{}},
	}
}

// The table has a row for every event that can be stored and for every button that can be
// drawn (I6): one that was added since is missing from the document.
func TestStateTableIsComplete(t *testing.T) {
	var kinds, buttons []string
	for _, row := range tableEvents(Discussion{}, nil) {
		kind, err := eventKinds.Of(row.event)
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, kind)
		if pressed, ok := row.event.(Pressed); ok {
			buttons = append(buttons, string(pressed.Button))
		}
	}
	rulestest.Complete(t, "event", kinds, slices.Collect(maps.Keys(eventKinds)))
	for b := range ButtonNeeds() {
		rulestest.Complete(t, "button", buttons, []string{string(b)})
	}
}

func stateTable(t *testing.T) string {
	columns := tableColumns(t)
	var situations, events []string
	for _, c := range columns {
		situations = append(situations, c.name)
	}
	for _, e := range tableEvents(Discussion{}, nil) {
		events = append(events, e.name)
	}
	return "# States and events\n\nGenerated from `roundtable.Step` by `" + table.Command + "`; do not edit.\n" +
		"A cell says what the event does in that situation: the transition (→), what is posted, asked, told or done, or nothing (·).\n\n" +
		rulestest.Grid(situations, events, func(event, situation int) []string {
			c := columns[situation]
			in := Input{ID: "x:1", At: c.now, Event: tableEvents(c.d, c.log)[event].event}
			if _, woken := in.Event.(TimerFired); woken {
				c.d.Settings.Silence, in.At = 72*time.Hour, c.now.Add(14*24*time.Hour)
			}
			return cell(c.d, checkedStep(t, c.d, in, c.log))
		}) + rightsTable(t, columns)
}

// rightsTable says of everything that needs a right to whom the rules grant it (FR-108).
func rightsTable(t *testing.T, columns []column) string {
	loop, closed := columns[slices.IndexFunc(columns, func(c column) bool { return c.name == "discussion_loop (waiting)" })], columns[len(columns)-1]
	type act struct {
		name  string
		in    column
		event func(by thread.Person) Event
	}
	var acts []act
	for _, b := range slices.Sorted(maps.Keys(ButtonNeeds())) {
		if ButtonNeeds()[b] != thread.NeedNothing {
			acts = append(acts, act{"button " + string(b), loop, func(by thread.Person) Event { return Pressed{By: by, Button: b} }})
		}
	}
	for _, w := range []struct {
		text string
		in   column
	}{{"done", loop}, {"quiet", loop}, {"Decision: …", loop}, {"e", closed}, {"c", closed}} {
		acts = append(acts, act{"“" + w.text + "”", w.in, func(by thread.Person) Event { return Said{TS: "90", By: by, Text: w.text} }})
	}
	acts = append(acts, act{"✅", loop, func(by thread.Person) Event { return Reacted{TS: "4", By: by, Emoji: "white_check_mark"} }})
	var names []string
	for _, a := range acts {
		names = append(names, a.name)
	}
	return rulestest.WhoMay + rulestest.Grid(rulestest.Standings, names, func(row, who int) []string {
		d, by := acts[row].in.d, person("Tom")
		if who == 1 {
			d.Settings.Close, d.Settings.Choose = thread.RightOpener, thread.RightOpener
		} else if who > 1 {
			by = by.As(thread.Standings()[who-1])
		}
		in := Input{ID: "x:1", At: acts[row].in.now, Event: acts[row].event(by)}
		var told []string
		for _, e := range checkedStep(t, d, in, acts[row].in.log).Effects {
			if tell, ok := e.(Tell); ok {
				told = append(told, tell.Text)
			}
		}
		return []string{rulestest.Ruling(told, thread.SayBarred(by, d.Opener), thread.SayActKept())}
	})
}

type column struct {
	name string
	d    Discussion
	log  []thread.Entry
	now  time.Time
}

// tableColumns plays a discussion through all states and keeps each.
func tableColumns(t *testing.T) []column {
	p := newPlay(t)
	var columns []column
	keep := func(name string) { columns = append(columns, column{name, p.d, slices.Clone(p.log), p.Now}) }
	r := Step(Discussion{}, Input{ID: "o:1", At: p.Now, Event: Opened{
		Discussion: "D1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: person("Priya"), Topic: "sync",
		Step: StepRef{ID: FreeStep, Title: "sync", Outputs: []string{FreeOutput}}, Cast: testSeats(), Lead: "business-analyst",
		Settings: Settings{MaxTurns: 10, MayExtend: true},
	}})
	p.d, p.log = r.Discussion, r.Entries
	keep("entry")
	p.step("D1/root/posted", Posted{Effect: "D1/root", TS: "1"})
	keep("topic_framing")
	p.step("f", Framed{Effect: p.ask(), Framing: Framing{Focus: "Why?", Ask: "solutions-architect"}})
	keep("discussion_loop (talking)")
	p.step("s", Failed{Effect: p.ask(), Reason: thread.ReasonModelUnavailable})
	keep("discussion_loop (stalled)")
	p.step("r", Pressed{By: person("Priya"), Button: ButtonRetry})
	p.step("c", Contributed{Effect: p.ask(), Contribution: Contribution{Persona: "solutions-architect", Text: "a"}})
	conflict := Input{ID: "k", At: p.Now, Event: RoundEnded{Effect: p.ask(), Ending: Ending{Conflict: &Conflict{Question: "Which?", Options: []Option{{Label: "a"}, {Label: "b"}}}}}}
	split := checkedStep(t, p.d, conflict, p.log)
	columns = append(columns, column{"discussion_loop (choosing)", split.Discussion, append(slices.Clone(p.log), split.Entries...), p.Now})
	p.step("e", RoundEnded{Effect: p.ask()})
	keep("discussion_loop (waiting)")
	p.step("w", Pressed{By: person("Priya"), Button: ButtonWrapUp})
	keep("synthesis")
	p.step("d", Drafted{Effect: p.ask(), Draft: &Draft{Insights: []DraftPoint{{Text: "x", Turns: []int{1}}}}, Transcript: thread.ReadTranscript(p.log)})
	keep("state_persist")
	p.step("n", DocumentsWritten{Effect: p.d.Enriching})
	keep("closed")
	return columns
}

// cell is what a step did.
func cell(d Discussion, r Result) []string {
	var parts []string
	for _, m := range r.Moves {
		parts = append(parts, "→ "+string(m.To))
	}
	for _, e := range r.Effects {
		switch e := e.(type) {
		case Post:
			parts = append(parts, "post "+string(e.Message.Kind))
		case Frame:
			parts = append(parts, "ask: frame")
		case Discuss:
			parts = append(parts, "ask: round")
		case Synthesise:
			parts = append(parts, "ask: synthesis")
		case WriteDocuments:
			parts = append(parts, "enrich")
		case Tell:
			parts = append(parts, "tell")
		case React:
			parts = append(parts, "react")
		case Open:
			parts = append(parts, "open")
		case CheckDND:
			parts = append(parts, "knock")
		case Identify:
			parts = append(parts, "identify")
		case Analyse:
			parts = append(parts, "analyse")
		case Report:
			parts = append(parts, "report")
		}
	}
	if r.Discussion.Turns > d.Turns {
		parts = append(parts, "turn")
	}
	for _, e := range r.Entries {
		switch e.Kind {
		case thread.EntryEdit, thread.EntryStrike, thread.EntryMark, thread.EntryUnmark, thread.EntryLate:
			parts = append(parts, string(e.Kind))
		case thread.EntryTurn, thread.EntryLine, thread.EntryPosted, thread.EntryKnown:
		}
	}
	if r.Discussion.Over && !d.Over {
		parts = append(parts, "may be forgotten")
	}
	if len(r.Discussion.Unframed) > len(d.Unframed) {
		parts = append(parts, "keep for after the framing")
	}
	return parts
}

// TestTransitionsAreTaken finds every transition in the table or in a scenario, and no
// other in either: one that nothing takes would be a lie (I6).
func TestTransitionsAreTaken(t *testing.T) {
	taken := map[Move]bool{}
	for _, c := range tableColumns(t) {
		for _, e := range tableEvents(c.d, c.log) {
			for _, m := range Step(c.d, Input{ID: "x:1", At: c.now, Event: e.event}).Moves {
				taken[m] = true
			}
		}
	}
	for _, m := range Transitions() {
		if !taken[m] {
			t.Errorf("nothing takes %s → %s", m.From, m.To)
		}
		delete(taken, m)
	}
	for m := range taken {
		t.Errorf("%s → %s is taken, and no transition", m.From, m.To)
	}
}

// A way beside the table is not taken, and does not go unnoticed: the check that every test
// of the rules makes fails on it (I6).
func TestNoWayBesideTheTable(t *testing.T) {
	for _, from := range States() {
		for _, to := range States() {
			s := &step{d: Discussion{State: from}}
			s.move(to)
			lawful := slices.Contains(Transitions(), Move{from, to})
			if taken := s.d.State != from; taken != lawful {
				t.Errorf("%s → %s: taken %v, in the table %v", from, to, taken, lawful)
			}
			if noticed := len(rulestest.Astray(from, s.d.State, s.moves, Transitions())) > 0; noticed == lawful {
				t.Errorf("%s → %s: noticed %v, in the table %v", from, to, noticed, lawful)
			}
		}
	}
}
