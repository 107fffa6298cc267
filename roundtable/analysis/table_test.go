package analysis

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/rulestest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var update = flag.Bool("update", false, "write generated documents and golden files anew")

var table = rulestest.Document{File: "../../docs/analysis-table.md", Command: "go test ./roundtable/analysis -run TestStateTable -update"}

// TestStateTable generates the table of states and events by asking Step, and fails
// when the document is stale (I6).
func TestStateTable(t *testing.T) { table.Check(t, stateTable(t), *update) }

type namedEvent struct {
	name  string
	event Event
}

// tableEvents are the events of the table, with the keys that an analysis waits for.
func tableEvents(a Analysis, log []thread.Entry) []namedEvent {
	priya := person("Priya")
	ask, writing, elaboration, step := "A1/none", "A1/none", "D0", ""
	if a.Ask != nil {
		ask = a.Ask.Key
	}
	if a.Writing != nil {
		writing = a.Writing.Key
	}
	if n := len(a.Elaborations); n > 0 {
		elaboration = a.Elaborations[n-1].Discussion
	}
	if a.Step != nil {
		step = a.Step.ID
	}
	c := testCatalogue().Phases
	survey := Survey{Phase: &PhaseView{Key: c[1].Key, Lead: "business-analyst"}, Step: &StepView{ID: "01-01", Title: "Context", Lead: "business-analyst", Depth: Chosen{Standard, FromStep}}}
	draft := &Draft{Judged: true, Parts: []Part{{File: "quick-scan.md", Content: "x"}}}
	tr := thread.ReadTranscript(log)
	return []namedEvent{
		{"root posted", Posted{Effect: "A1/root", TS: "1"}},
		{"surveyed: a step is next", Surveyed{Effect: ask, Survey: survey}},
		{"surveyed: nothing is left", Surveyed{Effect: ask}},
		{"asked", Asked{Effect: ask, Question: "Why?"}},
		{"asked: enough", Asked{Effect: ask, Enough: true}},
		{"drafted", Drafted{Effect: ask, Draft: draft, Transcript: tr}},
		{"drafted: criteria open", Drafted{Effect: ask, Draft: &Draft{Judged: true, Unmet: []int{0}, Parts: draft.Parts}, Transcript: tr}},
		{"drafted: malformed", Drafted{Effect: ask, Transcript: tr}},
		{"written", Written{Effect: writing}},
		{"recorded", Recorded{Effect: writing}},
		{"opened again", Opened{By: priya}},
		{"a discussion joins", Opened{By: priya, Origin: &Origin{Discussion: "D7", Thread: "5"}}},
		{"elaboration opened", ElaborationOpened{Discussion: elaboration, Thread: "7"}},
		{"elaboration ended", ElaborationEnded{Discussion: elaboration, Conclusion: roundtable.Conclusion{Turns: 3}}},
		{"a further elaboration ended", ElaborationEnded{Discussion: "D-further", Conclusion: roundtable.Conclusion{Turns: 3}}},
		{"said: words", Said{TS: "90", By: priya, Text: "Because of rain."}},
		{"said: C", Said{TS: "90", By: priya, Text: "C"}},
		{"said: S", Said{TS: "90", By: priya, Text: "S"}},
		{"said: go deeper", Said{TS: "90", By: priya, Text: "go deeper"}},
		{"said: done", Said{TS: "90", By: priya, Text: "done"}},
		{"said: done, by somebody unknown", Said{TS: "90", By: person("Una"), Text: "done"}},
		{"said: nothing", Said{TS: "90", By: priya, Text: " "}},
		{"edited", Edited{TS: "4", By: priya, Text: "new"}},
		{"deleted", Deleted{TS: "4"}},
		{"reacted ✅", Reacted{TS: "4", By: priya, Emoji: "white_check_mark"}},
		{"pressed [E]", Pressed{By: priya, Button: ButtonElaborate, Value: a.Menu.ID}},
		{"pressed [C]", Pressed{By: priya, Button: ButtonNext, Value: a.Menu.ID}},
		{"pressed [S]", Pressed{By: priya, Button: ButtonSkip, Value: a.Menu.ID}},
		{"pressed [C] of another menu", Pressed{By: priya, Button: ButtonNext, Value: "m0"}},
		{"pressed That is all", Pressed{By: priya, Button: ButtonFinish, Value: step}},
		{"pressed Back to the menu", Pressed{By: priya, Button: ButtonMenu}},
		{"pressed Pause", Pressed{By: priya, Button: ButtonPause}},
		{"pressed Pause, by somebody unknown", Pressed{By: person("Una"), Button: ButtonPause}},
		{"pressed Try again", Pressed{By: priya, Button: roundtable.ButtonRetry}},
		{"model failed", Failed{Effect: ask, Reason: thread.ReasonModelUnavailable}},
		{"documents refused", Failed{Effect: writing, Reason: thread.ReasonArtifactRefused}},
		{"somebody is known", Identified{Effect: "A1/none", Person: priya}},
		{"an input was put aside", Parked{}},
		{"a long silence", TimerFired{}},
	}
}

// The table has a row for every event that can be stored and for every button that can be
// drawn (I6).
func TestStateTableIsComplete(t *testing.T) {
	var kinds, buttons []string
	for _, row := range tableEvents(Analysis{}, nil) {
		for kind, typ := range eventKinds {
			if typ == reflect.TypeOf(row.event) {
				kinds = append(kinds, kind)
			}
		}
		if pressed, ok := row.event.(Pressed); ok {
			buttons = append(buttons, string(pressed.Button))
		}
	}
	rulestest.Complete(t, "event", kinds, slices.Collect(maps.Keys(eventKinds)))
	for _, b := range Buttons() {
		rulestest.Complete(t, "button", buttons, []string{string(b)})
	}
}

func stateTable(t *testing.T) string {
	columns := tableColumns(t)
	var situations, events []string
	for _, c := range columns {
		situations = append(situations, c.name)
	}
	for _, e := range tableEvents(Analysis{}, nil) {
		events = append(events, e.name)
	}
	return "# States and events of an analysis\n\nGenerated from `analysis.Step` by `" + table.Command + "`; do not edit.\n" +
		"A cell says what the event does in that situation: the transition (→), what is posted, asked, told or done, or nothing (·).\n\n" +
		rulestest.Grid(situations, events, func(event, situation int) []string {
			c := columns[situation]
			in := Input{ID: "x:1", At: c.now, Event: tableEvents(c.a, c.log)[event].event}
			if _, woken := in.Event.(TimerFired); woken && c.a.WakeAt.After(in.At) {
				in.At = c.a.WakeAt
			}
			return cell(c.a, checkedStep(t, c.a, in, c.log))
		}) + rightsTable(t, columns)
}

// rightsTable says of everything that needs a right to whom the rules grant it (FR-108, FR-116).
func rightsTable(t *testing.T, columns []column) string {
	in := func(name string) column {
		return columns[slices.IndexFunc(columns, func(c column) bool { return c.name == name })]
	}
	asking, menu := in("asking (waiting)"), in("menu")
	type act struct {
		name  string
		in    column
		event func(by thread.Person) Event
	}
	var acts []act
	for _, b := range slices.Sorted(maps.Keys(ButtonNeeds())) {
		acts = append(acts, act{"button " + string(b), menu, func(by thread.Person) Event { return Pressed{By: by, Button: b, Value: menu.a.Menu.ID} }})
	}
	for _, w := range []struct {
		text string
		in   column
	}{{"done", asking}, {"deep", asking}, {"Decision: …", asking}, {"e", menu}, {"c", menu}, {"s", menu}, {"done", menu}} {
		acts = append(acts, act{"“" + w.text + "” (" + string(w.in.a.State) + ")", w.in, func(by thread.Person) Event { return Said{TS: "90", By: by, Text: w.text} }})
	}
	acts = append(acts, act{"✅", menu, func(by thread.Person) Event { return Reacted{TS: "4", By: by, Emoji: "white_check_mark"} }})
	var names []string
	for _, a := range acts {
		names = append(names, a.name)
	}
	return rulestest.WhoMay + rulestest.Grid(rulestest.Standings, names, func(row, who int) []string {
		a, by := acts[row].in.a, person("Tom")
		if who == 1 {
			a.Settings.Close, a.Settings.Choose = thread.RightOpener, thread.RightOpener
		} else if who > 1 {
			by = by.As(thread.Standings()[who-1])
		}
		in := Input{ID: "x:1", At: acts[row].in.now, Event: acts[row].event(by)}
		var told []string
		for _, e := range checkedStep(t, a, in, acts[row].in.log).Effects {
			if tell, ok := e.(Tell); ok {
				told = append(told, tell.Text)
			}
		}
		return []string{rulestest.Ruling(told, thread.SayBarred(by, a.Opener), thread.SayActKept())}
	})
}

type column struct {
	name string
	a    Analysis
	log  []thread.Entry
	now  time.Time
}

// tableColumns plays an analysis through all states and keeps each.
func tableColumns(t *testing.T) []column {
	p := newPlay(t)
	var columns []column
	keep := func(name string, a Analysis) { columns = append(columns, column{name, a, slices.Clone(p.log), p.Now}) }
	bare := func(a Analysis, id string, e Event) Analysis {
		return checkedStep(t, a, Input{ID: id, At: p.Now, Event: e}, p.log).Analysis
	}
	opened := Opened{
		Analysis: "A1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: person("Priya"), Item: "offline-mode", ItemTitle: "Offline mode",
		Cast: testCast(), Settings: Settings{Silence: 72 * time.Hour, Elaboration: roundtable.Settings{MaxTurns: 10}},
	}
	greeting := bare(bare(Analysis{}, "o:1", opened), "A1/root/posted", Posted{Effect: "A1/root", TS: "1"})
	keep("greeting (no thread yet)", bare(Analysis{}, "o:1", opened))
	keep("greeting", greeting)
	p.step("o:1", opened)
	keep("asking (thinking)", p.a)
	keep("asking (stopped)", bare(p.a, "f", Failed{Effect: p.ask(), Reason: thread.ReasonModelUnavailable}))
	p.step("q", Asked{Effect: p.ask(), Question: "Why?"})
	p.held = true
	p.step("s", Said{TS: "80", By: person("Priya"), Text: "Because of rain."})
	p.step("r", Asked{Effect: p.ask(), Question: "And?"})
	keep("asking (waiting)", p.a)
	p.step("d", Said{TS: "81", By: person("Priya"), Text: "done"})
	keep("validating", p.a)
	p.step("p", Drafted{Effect: p.ask(), Draft: &Draft{Judged: true, Parts: []Part{{File: "quick-scan.md", Content: "x"}}}, Transcript: thread.ReadTranscript(p.log)})
	keep("writing (artifacts)", p.a)
	p.step("w", Written{Effect: p.a.Writing.Key})
	keep("writing (record)", p.a)
	p.note(Record{Step: "00-01"})
	p.step("n", Recorded{Effect: p.a.Writing.Key})
	keep("menu", p.a)
	keep("elaborating", bare(p.a, "e", Pressed{By: person("Priya"), Button: ButtonElaborate, Value: p.a.Menu.ID}))
	keep("closed", bare(p.a, "c", Pressed{By: person("Priya"), Button: ButtonPause}))
	return columns
}

// cell is what a step did.
func cell(a Analysis, r Result) []string {
	var parts []string
	for _, m := range r.Moves {
		parts = append(parts, "→ "+string(m.To))
	}
	for _, e := range r.Effects {
		switch e := e.(type) {
		case Post:
			parts = append(parts, "post "+string(e.Message.Kind))
		case Tell:
			parts = append(parts, "tell")
		case Inspect:
			parts = append(parts, "look up")
		case Inquire:
			parts = append(parts, "ask: question")
		case Compose:
			parts = append(parts, "ask: draft")
		case Write:
			parts = append(parts, "write")
		case Record:
			parts = append(parts, "record")
		case Identify:
			parts = append(parts, "identify")
		case Open:
			parts = append(parts, "open")
		case Welcome:
			parts = append(parts, "welcome")
		}
	}
	if r.Analysis.Turns > a.Turns {
		parts = append(parts, "turn")
	}
	for _, e := range r.Entries {
		if e.Kind == thread.EntryEdit || e.Kind == thread.EntryStrike || e.Kind == thread.EntryMark {
			parts = append(parts, string(e.Kind))
		}
	}
	if r.Analysis.Waiting != nil && a.Waiting == nil {
		parts = append(parts, "keep")
	}
	if r.Analysis.Over && !a.Over {
		parts = append(parts, "may be forgotten")
	}
	return parts
}

// TestTransitionsAreTaken finds every transition in the table or in a scenario: one
// that nothing takes would be a lie (I6).
func TestTransitionsAreTaken(t *testing.T) {
	taken := map[string]bool{}
	for _, c := range tableColumns(t) {
		for _, e := range tableEvents(c.a, c.log) {
			for _, m := range Step(c.a, Input{ID: "x:1", At: c.now, Event: e.event}).Moves {
				taken[string(m.From)+" → "+string(m.To)] = true
			}
		}
	}
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			taken[strings.TrimSpace(line)] = true
		}
	}
	for _, m := range Transitions() {
		if name := string(m.From) + " → " + string(m.To); !taken[name] {
			t.Errorf("nothing takes %s", name)
		}
	}
}
