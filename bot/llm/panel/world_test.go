package panel

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/engine/enginetest"
	"github.com/roundtable-chat/app/roundtable/engine/invariant"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// lines are what the cast says in a world: each once, so that nobody repeats
// anybody.
var lines = []string{
	"Who is called at night when the totals do not match, and by whom?",
	"I see two ways here: one book with a lock, or two books and a nightly comparison.",
	"A field for the currency is missing; without it an amount means nothing.",
	"What does a clerk do on the last day of a month when the report is late?",
	"The risk with one book is a single owner; we can mitigate it by splitting along accounts.",
	"An entry that arrives twice carries the same number, and the second one is rejected.",
	"If nobody reads the weekly export, what happens when we stop sending it?",
	"That depends on how far back people may correct a line; a closed year is cheap to protect.",
	"The answer to a late correction would be a new entry that points at the old one.",
	"Which of the two numbers does a customer see while the comparison still runs?",
	"Both ways can be undone within a week, as long as the old book keeps receiving entries.",
	"When the comparison itself fails, the caller gets the time of the last good one.",
}

// living is a model that always has something to say, slowly: a piece of a few
// bytes every tenth of a second.
func living(resumed *atomic.Int64) *scripted {
	return &scripted{name: "test:model", answer: func(_ int, r llm.Request) reply {
		slow := func(text string) reply { return reply{text: text, piece: 24, pace: 100 * time.Millisecond} }
		prompt := flat(r)
		switch r.SchemaName {
		case framingName:
			return slow(framed("We looked at ledgers.", "Which book is the right one?", alex))
		case synthesisName:
			return slow(`{"insights":[{"turns":[2],"text":"One book or two.","why":null}],"decisions":[],"open_questions":[],"action_items":[],"summary":"One book or two."}`)
		}
		if strings.Contains(prompt, "This round was interrupted") {
			resumed.Add(1)
		}
		// What was said is counted in the prompt, so that the same question has the
		// same answer after a crash.
		said := 0
		for _, l := range lines {
			if strings.Contains(prompt, jsonText(l)) {
				said++
			}
		}
		var contributions []string
		for i, who := range []persona.Key{alex, maya, jordan} {
			contributions = append(contributions, utters(who, lines[(said+i)%len(lines)]))
		}
		return slow(spoken(contributions...))
	}}
}

// inWorld plays a scenario with a panel of models, in virtual time.
func inWorld(t *testing.T, m *scripted, s enginetest.Scenario, crash enginetest.Crash) (calls []string, e invariant.Evidence, found []invariant.Violation) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		memory := &enginetest.Memory{}
		p := panelOf(t, m)
		w := &enginetest.World{
			Store: memory, Items: memory, Slack: &enginetest.Slack{Latency: 120 * time.Millisecond}, Panel: &enginetest.Panel{},
			Permits: invariant.Pace{Every: time.Second, Burst: 3}, Logging: true, Rest: 70 * time.Second, Quiet: time.Second,
			Adjust: func(o *engine.Options) { o.Panel = p },
		}
		played, all, err := w.Play(t.Context(), s, crash)
		if err != nil {
			t.Fatal(err)
		}
		calls, e, found = played, all[0], invariant.Check(all[0])
	})
	return calls, e, found
}

// A replica that is killed at any call to the store or to Slack, also in the middle
// of a round that is still being streamed, leaves a discussion that goes on:
// nobody says anything twice, nobody is left out, in order (I3, I4).
func TestKilledWhileTheModelSpeaks(t *testing.T) {
	s := enginetest.Scenario{Name: "models", Settings: roundtable.Settings{MaxTurns: 20, MayExtend: true}, Acts: []enginetest.Act{
		{Who: "Priya", Say: "Everyone, what do you all think about refunds?"},
		{Who: "Sam", Say: "Alex, and who pays for it?"},
		{Who: "Priya", Say: "done"},
	}}
	var resumed atomic.Int64
	calls, e, found := inWorld(t, living(&resumed), s, enginetest.Crash{})
	for _, v := range found {
		t.Errorf("without any crash: %s", v)
	}
	want := rounds(e)
	if len(want) != 3 || len(want[1]) != 3 {
		t.Fatalf("without any crash got rounds %q, want the opening, one of three and one more", want)
	}
	nth := 1
	if testing.Short() {
		nth = 7
	}
	for at := 1; at <= len(calls); at += nth {
		for _, after := range []bool{false, true} {
			_, e, found := inWorld(t, living(&resumed), s, enginetest.Crash{At: at, After: after})
			where := fmt.Sprintf("call %d of %d (%s), after: %v", at, len(calls), calls[at-1], after)
			for _, v := range found {
				t.Errorf("%s: %s", where, v)
			}
			for i, round := range rounds(e) {
				if twice(round) || i < 2 && len(round) != len(want[i]) {
					t.Errorf("%s: round %d is of %q, want %q", where, i, round, want[i])
				}
			}
			if d := e.Discussion; d.State != roundtable.StateClosed || d.Outcome == nil || d.Outcome.Simple {
				t.Errorf("%s: ended in %s with %v", where, d.State, d.Outcome)
			}
		}
	}
	if resumed.Load() == 0 && !testing.Short() {
		t.Error("no round was ever interrupted, so nothing was shown")
	}
	t.Logf("%d calls, a crash before and after every %d; %d rounds went on where they had stopped", len(calls), nth, resumed.Load())
}

// rounds are the personas who spoke between people's turns, after the framing.
func rounds(e invariant.Evidence) [][]persona.Key {
	all := [][]persona.Key{nil}
	for _, entry := range e.Entries {
		switch {
		case entry.Kind != thread.EntryTurn || entry.Turn == 1:
		case entry.Person != nil:
			all = append(all, nil)
		default:
			all[len(all)-1] = append(all[len(all)-1], entry.Persona)
		}
	}
	return all
}

func twice(round []persona.Key) bool {
	sorted := slices.Sorted(slices.Values(round))
	return len(slices.Compact(sorted)) != len(round)
}

// A round that breaks off after somebody spoke says so in the thread, with a way
// on; one that broke off before says that no model answers (I10).
func TestBrokenOffInTheThread(t *testing.T) {
	s := enginetest.Scenario{Name: "broken off", Settings: roundtable.Settings{MaxTurns: 20}, Acts: []enginetest.Act{
		{Who: "Priya", Say: "Everyone, what do you all think about refunds?"},
	}}
	for name, test := range map[string]struct {
		cut  int
		want string
		said int
	}{
		"after one": {300, "The round broke off before everybody had spoken.", 1},
		"before":    {20, "The personas' model does not answer at the moment.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var resumed atomic.Int64
			m := living(&resumed)
			speak := m.answer
			m.answer = func(n int, r llm.Request) reply {
				say := speak(n, r)
				if r.SchemaName == roundName && strings.Contains(flat(r), "refunds?") {
					say.text, say.err = say.text[:test.cut], &llm.Error{Kind: llm.Transient, Model: "test:model"}
				}
				return say
			}
			_, e, found := inWorld(t, m, s, enginetest.Crash{})
			for _, v := range found {
				t.Error(v)
			}
			if got := rounds(e); len(got) != 2 || len(got[1]) != test.said {
				t.Errorf("got rounds %q, want %d contributions in the second", got, test.said)
			}
			last := e.Slack[len(e.Slack)-1].Message
			if !strings.HasPrefix(last.Text, test.want) || len(last.Buttons) == 0 {
				t.Errorf("the thread ends with %q and %d buttons, want %q and a way on", last.Text, len(last.Buttons), test.want)
			}
		})
	}
}
