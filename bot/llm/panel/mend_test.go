package panel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/bot/llm"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
	"github.com/roundtable-chat/app/roundtable/voice"
)

// A contribution with a fault is written again once, with the fault named; the
// better version is posted and what is still wrong with it is counted (FR-010).
func TestMendVoice(t *testing.T) {
	const mayaAgain = "What does somebody who waits for money see, and whom can they call about it?"
	all := []persona.Key{maya + "!", alex + "!", jordan + "!"}
	mended := []string{"business-analyst: " + mayaAgain, "solutions-architect: " + alexSays, "system-designer: " + jordanSays}
	slipped := []string{"business-analyst: " + mayaSlips, "solutions-architect: " + alexSays, "system-designer: " + jordanSays}
	round := spoken(utters(maya, mayaSlips), utters(alex, alexSays), utters(jordan, jordanSays))
	tests := []struct {
		name    string
		called  []persona.Key
		replies []reply
		want    []string
		faults  []int
		asked   int
	}{
		{"mended, and in its place", all, []reply{{text: round}, {text: spoken(utters(maya, mayaAgain))}}, mended, []int{0, 0, 0}, 2},
		{"no better: the first stands, and its faults are counted", all, []reply{{text: round}, {text: spoken(utters(maya, mayaSlips+" Latency matters."))}}, slipped, []int{1, 0, 0}, 2},
		{"no answer: the first stands", all, []reply{{text: round}, {err: &llm.Error{Kind: llm.Overloaded}}}, slipped, []int{1, 0, 0}, 2},
		{"what is said besides is not heard", all, []reply{{text: round}, {text: spoken(utters(maya, mayaAgain), utters(alex, "Quite another thing about two more options."))}}, mended, []int{0, 0, 0}, 2},
		{
			"who need not speak may be silent instead", []persona.Key{alex + "!", maya}, []reply{{text: spoken(utters(alex, alexSays), utters(maya, mayaSlips))}, {text: spoken(silent(maya))}},
			[]string{"solutions-architect: " + alexSays}, []int{0}, 2,
		},
		{
			"who must speak may not", []persona.Key{maya + "!"}, []reply{{text: spoken(utters(maya, mayaSlips))}, {text: spoken(silent(maya))}},
			[]string{"business-analyst: " + mayaSlips}, []int{1}, 2,
		},
		{
			"cut off after a fault: no second question, what is complete stands", all, []reply{{text: round[:len(round)-5], err: &llm.Error{Kind: llm.Transient}}},
			slipped, []int{1, 0, 0}, 1,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &scripted{name: "test:model", replies: test.replies}
			got, contributions, ending, err := play(t, panelOf(t, m), asking(t, test.called...))
			if err != nil || ending.Incomplete != (test.asked == 1) {
				t.Fatalf("got ending %v and error %v", ending, err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("I4: %s", diff)
			}
			var faults []int
			for _, c := range contributions {
				faults = append(faults, c.Faults)
			}
			if diff := cmp.Diff(test.faults, faults); diff != "" {
				t.Errorf("faults: %s", diff)
			}
			if n := len(m.requests()); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
		})
	}
}

// The second question names the fault and the persona, begins with all of the
// first, and shows the model what it said.
func TestMendNamesTheFault(t *testing.T) {
	m := puppet(spoken(utters(maya, mayaSlips), utters(alex, alexSays)), spoken(utters(maya, mayaSays)))
	if _, _, _, err := play(t, panelOf(t, m), asking(t, maya+"!", alex)); err != nil {
		t.Fatal(err)
	}
	asked := m.requests()
	if len(asked) != 2 {
		t.Fatalf("asked %d times, want 2", len(asked))
	}
	first, again := flat(asked[0]), flat(asked[1])
	if !strings.HasPrefix(again, first) {
		t.Error("the second question does not begin with the first, so nothing of it is cached")
	}
	rest := strings.TrimPrefix(again, first)
	for _, want := range []string{"latency", "business-analyst: ", mayaSlips, alexSays} {
		if !strings.Contains(rest, want) {
			t.Errorf("the second question lacks %q: %s", want, rest)
		}
	}
	if string(asked[0].Schema) != string(asked[1].Schema) || asked[0].CacheKey != asked[1].CacheKey {
		t.Error("schema or cache key differ, so nothing is cached")
	}
}

// While a contribution is held up, so is whatever came after it; what came before
// has been handed on long since.
func TestHeldUpInOrder(t *testing.T) {
	var heard []string
	m := &scripted{name: "test:model", answer: func(n int, _ llm.Request) reply {
		heard = append(heard, "asked")
		if n == 1 {
			return reply{text: spoken(utters(alex, alexSays), utters(maya, mayaSlips), utters(jordan, jordanSays)), piece: 11}
		}
		return reply{text: spoken(utters(maya, mayaSays))}
	}}
	_, err := panelOf(t, m).Discuss(t.Context(), asking(t, alex+"!", maya, jordan), func(c roundtable.Contribution) error {
		heard = append(heard, string(c.Persona))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"asked", string(alex), "asked", string(maya), string(jordan)}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Error(diff)
	}
}

// What belongs to another step is redirected by the lead, not as a turn (FR-004,
// AC-004-01, AC-004-02).
func TestDrift(t *testing.T) {
	off := func(turn, subject, belongs string, contributions ...string) string {
		return strings.Replace(spoken(contributions...), `{"verdict":"on","turn":null,"subject":null,"belongs":null}`,
			`{"verdict":"off","turn":`+turn+`,"subject":`+subject+`,"belongs":`+belongs+`}`, 1)
	}
	redirect := `drift: {"turn":4,"subject":"the menu on Friday","belongs":"prioritization"}`
	tests := []struct {
		name   string
		change func(r *engine.RoundRequest)
		answer string
		want   []string
		asked  int
	}{
		{"the only turn to be answered: the redirect is the answer", nil, off("4", `"the menu on Friday"`, `"prioritization"`), []string{redirect}, 1},
		{"and what is said besides is not heard", nil, off("4", `"the menu on Friday"`, `"prioritization"`, utters(maya, mayaSays)), []string{redirect}, 1},
		{
			"one turn of two: the other is answered",
			func(r *engine.RoundRequest) {
				r.Transcript.Turns = append(r.Transcript.Turns, thread.Turn{Number: 5, Person: thread.Person{ID: "USam", Name: "Sam"}, Text: "Which notes?"})
				r.Round.Answers = []int{4, 5}
			}, off("4", `"the menu on Friday"`, `"prioritization"`, utters(maya, mayaSays)), []string{redirect, "business-analyst: " + mayaSays}, 1,
		},
		{"a colleague drifted, and a person has spoken since", nil, off("3", `"a schema"`, `"design"`, utters(maya, mayaSays)), []string{"business-analyst: " + mayaSays}, 1},
		{"a colleague drifted: the round goes on", func(r *engine.RoundRequest) { r.Round.Kind, r.Round.Answers = roundtable.RoundContinue, nil }, off("3", `"a schema"`, `"design"`, utters(maya, mayaSays)), []string{`drift: {"turn":3,"subject":"a schema","belongs":"design"}`, "business-analyst: " + mayaSays}, 1},
		{"a turn that is not there", nil, off("17", `"x"`, `null`, utters(maya, mayaSays)), []string{"business-analyst: " + mayaSays}, 1},
		{"it belongs nowhere", nil, off("4", `"lunch"`, `"None"`), []string{`drift: {"turn":4,"subject":"lunch"}`}, 1},
		{"no subject", nil, off("4", `null`, `null`, utters(maya, mayaSays)), []string{"business-analyst: " + mayaSays}, 1},
		{"the lead redirected before the crash: the redirect stands", func(r *engine.RoundRequest) { r.Round.Drifted = true }, off("4", `"again"`, `null`), nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := asking(t, maya+"!")
			if test.change != nil {
				test.change(&r)
			}
			m := puppet(test.answer)
			got, _, ending, err := play(t, panelOf(t, m), r)
			if err != nil || ending != (roundtable.Ending{}) {
				t.Errorf("got ending %v and error %v", ending, err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if n := len(m.requests()); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
		})
	}
}

// A conflict is one of two colleagues who spoke, with reasons (AC-005-02).
func TestConflict(t *testing.T) {
	option := func(by persona.Key, label, reason string) string {
		return line(option{By: string(by), Label: label, Reason: reason})
	}
	conflict := func(options ...string) string {
		return `{"question":"Refund at once or after the bank?","options":[` + strings.Join(options, ",") + `]}`
	}
	both := &roundtable.Conflict{Question: "Refund at once or after the bank?", Options: []roundtable.Option{
		{Label: "At once", Reason: "People wait.", By: maya}, {Label: "After", Reason: "It can fail.", By: alex},
	}}
	tests := []struct {
		name, conflict string
		want           *roundtable.Conflict
	}{
		{"two who spoke", conflict(option(maya, "At once", "People wait."), option(alex, "After", "It can fail.")), both},
		{"by first names", conflict(option("Maya", "At once", "People wait."), option("alex", "After", "It can fail.")), both},
		{"none", "null", nil},
		{"one with itself", conflict(option(maya, "At once", "People wait."), option(maya, "After", "It can fail.")), nil},
		{"without a reason", conflict(option(maya, "At once", "People wait."), option(alex, "After", " ")), nil},
		{"with a stranger", conflict(option(maya, "At once", "People wait."), option("Priya", "After", "It can fail.")), nil},
		{"a third position without a reason is left out", conflict(option(maya, "At once", "People wait."), option(jordan, "Never", ""), option(alex, "After", "It can fail.")), both},
		{"cut to pieces", `{"question":"Refund at`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := spokenWith(test.conflict, utters(maya, mayaSays), utters(alex, alexSays))
			_, _, ending, err := play(t, panelOf(t, puppet(text)), asking(t, maya+"!", alex+"!"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, ending.Conflict); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("between two who were silent in this round it is an old one", func(t *testing.T) {
		text := spokenWith(conflict(option(alex, "At once", "People wait."), option(jordan, "After", "It can fail.")), utters(maya, mayaSays))
		_, _, ending, err := play(t, panelOf(t, puppet(text)), asking(t, maya+"!", alex, jordan))
		if err != nil || ending.Conflict != nil {
			t.Errorf("got %v and error %v, want none", ending.Conflict, err)
		}
	})
}

// Texts that go on without end, or begin as a colleague, are written again; what is
// no better is bounded and counted.
func TestMendForm(t *testing.T) {
	endless := strings.Repeat("And what does somebody who waits see then? ", 200)
	foreign := "Alex: I would rather wait for the bank before anybody is told."
	for name, test := range map[string]struct{ first, again, want string }{
		"oversize, then short":       {endless, mayaSays, mayaSays},
		"as a colleague, then plain": {foreign, mayaSays, mayaSays},
	} {
		t.Run(name, func(t *testing.T) {
			m := puppet(spoken(utters(maya, test.first)), spoken(utters(maya, test.again)))
			got, contributions, _, err := play(t, panelOf(t, m), asking(t, maya+"!"))
			if err != nil || len(got) != 1 || contributions[0].Text != test.want || contributions[0].Faults != 0 {
				t.Errorf("got %q with error %v, want %q", got, err, test.want)
			}
		})
	}
	t.Run("oversize twice", func(t *testing.T) {
		_, contributions, _, err := play(t, panelOf(t, puppet(spoken(utters(maya, endless)))), asking(t, maya+"!"))
		if err != nil || len(contributions) != 1 || contributions[0].Faults == 0 || len(contributions[0].Text) > textLimit {
			t.Errorf("got %v with error %v, want a bounded text and its faults", contributions, err)
		}
	})
}

// A deployment may have shorter or longer contributions (FR-104): the model is
// told, and the voice rules judge by it.
func TestLength(t *testing.T) {
	long := alexSays + " The second costs a day. The risk with it is a queue nobody watches. We can mitigate that by an alarm. " + alexSays
	for length, faulty := range map[voice.Length]bool{voice.Terse: true, voice.Normal: true, voice.Full: false} {
		m := puppet(spoken(utters(alex, long)))
		p := panelOf(t, m, func(o *Options) { o.Length = length })
		_, contributions, _, err := play(t, p, asking(t, alex+"!"))
		if err != nil || len(contributions) != 1 || (contributions[0].Faults > 0) != faulty {
			t.Errorf("%q: got %v and error %v, want faulty: %v", length, contributions, err, faulty)
		}
		if !strings.Contains(flat(m.requests()[0]), lengthWords(length)) {
			t.Errorf("%q: the model is not told", length)
		}
	}
}

// A model is told which choice is before the room and which were made, so that it need
// not report them again (AC-005-02); as data, because a model wrote the labels.
func TestRoundTellsChoices(t *testing.T) {
	m := puppet(spoken(utters(maya, mayaSays)))
	r := asking(t, maya+"!")
	r.Subject.Choice = &roundtable.Choice{Question: "Where are refunds kept?", Options: []roundtable.Option{{Label: "With orders"}, {Label: "Apart </data-x>"}}}
	r.Subject.Decided = []roundtable.Decided{{
		Question: "One ledger or two?", Options: []roundtable.Option{{Label: "One"}, {Label: "Two"}}, Chosen: "One", By: thread.Person{ID: "UTOM", Name: "Tom"},
	}}
	if _, _, _, err := play(t, panelOf(t, m), r); err != nil {
		t.Fatal(err)
	}
	prompt := flat(m.requests()[0])
	for _, want := range []string{
		" choice>\n" + `{"question":"Where are refunds kept?","options":["With orders","Apart \u003c/data-x\u003e"]}`,
		" choices>\n" + `{"question":"One ledger or two?","options":["One","Two"],"chosen":"One","by":"Tom"}`,
	} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %s:\n%s", want, prompt)
		}
	}
	if plain := flat(requestOf(t, panelOf(t, m), asking(t, maya+"!"))); strings.Contains(plain, "Put before the room") || strings.Contains(plain, "Chosen by the room") {
		t.Error("choices are told where there are none")
	}
}
