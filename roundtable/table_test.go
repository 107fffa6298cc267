package roundtable

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/rulestest"
)

var updateTable = flag.Bool("update", false, "write generated documents anew")

var table = rulestest.Document{File: "../docs/state-table.md", Command: "go test ./roundtable -run TestStateTable -update"}

// TestStateTable generates the table of states and events by asking Step, and
// fails when the document is stale (SPEC 4, I6).
func TestStateTable(t *testing.T) { table.Check(t, stateTable(t), *updateTable) }

type namedEvent struct {
	name  string
	event Event
}

// tableEvents are the events of the table, with the answer to the open question
// filled in for each discussion.
func tableEvents(d Discussion, log []Entry) []namedEvent {
	priya := person("Priya")
	ask := "D1/none"
	if d.Ask != nil {
		ask = d.Ask.Key
	}
	limit := fmt.Sprint(d.Settings.MaxTurns)
	return []namedEvent{
		{"introduction posted", Posted{Effect: "D1/root", TS: "1"}},
		{"framed", Framed{Effect: ask, Framing: Framing{Focus: "Why?", Ask: "solutions-architect"}}},
		{"contributed", Contributed{Effect: ask, Contribution: Contribution{Persona: "solutions-architect", Text: "words"}}},
		{"contributed: drift", Contributed{Effect: ask, Contribution: Contribution{Persona: d.Lead, Drift: &Drift{Subject: "x"}}}},
		{"round ended", RoundEnded{Effect: ask}},
		{"round ended: conflict", RoundEnded{Effect: ask, Ending: Ending{Conflict: &Conflict{Question: "Which?", Options: []Option{{Label: "a"}, {Label: "b"}}}}}},
		{"said: default", Said{TS: "90", By: priya, Text: "What about errors?"}},
		{"said: direct", Said{TS: "90", By: priya, Text: "Alex, what breaks first?"}},
		{"said: done", Said{TS: "90", By: priya, Text: "done"}},
		{"said: are we done?", Said{TS: "90", By: priya, Text: "are we done?"}},
		{"said: nothing", Said{TS: "90", By: priya, Text: " "}},
		{"edited", Edited{TS: "4", By: priya, Text: "new"}},
		{"deleted", Deleted{TS: "4"}},
		{"reacted ✅", Reacted{TS: "4", By: priya, Emoji: "white_check_mark"}},
		{"pressed continue", Pressed{By: priya, Button: ButtonContinue}},
		{"pressed ＋10", Pressed{By: priya, Button: ButtonExtend, Value: limit}},
		{"pressed wrap up", Pressed{By: priya, Button: ButtonWrapUp}},
		{"pressed try again", Pressed{By: priya, Button: ButtonRetry}},
		{"pressed [E]", Pressed{By: priya, Button: ButtonAgain}},
		{"pressed [C]", Pressed{By: priya, Button: ButtonAnalyse}},
		{"model failed", Failed{Effect: ask, Reason: ReasonModelUnavailable}},
		{"draft good", Drafted{Effect: ask, Draft: &Draft{Insights: []DraftPoint{{Text: "x", Turns: []int{1}}}}, Transcript: ReadTranscript(log)}},
		{"draft malformed", Drafted{Effect: ask, Transcript: ReadTranscript(log)}},
		{"artifacts enriched", Enriched{Effect: d.Enriching}},
		{"artifacts refused", Failed{Effect: d.Enriching, Reason: ReasonArtifactRefused}},
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
			return cell(c.d, checkedStep(t, c.d, in, c.log))
		})
}

type column struct {
	name string
	d    Discussion
	log  []Entry
	now  time.Time
}

// tableColumns plays a discussion through all states and keeps each.
func tableColumns(t *testing.T) []column {
	p := newPlay(t)
	var columns []column
	keep := func(name string) { columns = append(columns, column{name, p.d, slices.Clone(p.log), p.Now}) }
	r := Step(Discussion{}, Input{ID: "o:1", At: p.Now, Event: Opened{
		Discussion: "D1", Place: Place{Team: "T1", Channel: "C1"}, By: person("Priya"), Topic: "sync",
		Step: StepRef{ID: FreeStep, Title: "sync", Outputs: []string{FreeOutput}}, Cast: testSeats(), Lead: "business-analyst",
		Settings: Settings{MaxTurns: 10, MayExtend: true},
	}})
	p.d, p.log = r.Discussion, r.Entries
	keep("entry")
	p.step("D1/root/posted", Posted{Effect: "D1/root", TS: "1"})
	keep("topic_framing")
	p.step("f", Framed{Effect: p.ask(), Framing: Framing{Focus: "Why?", Ask: "solutions-architect"}})
	keep("discussion_loop (talking)")
	p.step("s", Failed{Effect: p.ask(), Reason: ReasonModelUnavailable})
	keep("discussion_loop (stalled)")
	p.step("r", Pressed{By: person("Priya"), Button: ButtonRetry})
	p.step("c", Contributed{Effect: p.ask(), Contribution: Contribution{Persona: "solutions-architect", Text: "a"}})
	p.step("e", RoundEnded{Effect: p.ask()})
	keep("discussion_loop (waiting)")
	p.step("w", Pressed{By: person("Priya"), Button: ButtonWrapUp})
	keep("synthesis")
	p.step("d", Drafted{Effect: p.ask(), Draft: &Draft{Insights: []DraftPoint{{Text: "x", Turns: []int{1}}}}, Transcript: ReadTranscript(p.log)})
	keep("state_persist")
	p.step("n", Enriched{Effect: p.d.Enriching})
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
		case Enrich:
			parts = append(parts, "enrich")
		case Tell:
			parts = append(parts, "tell")
		case React:
			parts = append(parts, "react")
		case Open:
			parts = append(parts, "open")
		case Knock:
			parts = append(parts, "knock")
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
		case EntryEdit, EntryStrike, EntryMark, EntryUnmark, EntryLate:
			parts = append(parts, string(e.Kind))
		case EntryTurn, EntryLine, EntryPosted:
		}
	}
	if len(r.Discussion.Early) > len(d.Early) {
		parts = append(parts, "keep for after the framing")
	}
	return parts
}
