package offline

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// script plays a fixed discussion and returns all that was said.
func script(t testing.TB) string {
	p := newPlay(t, newPanel(t), "Offline sync for the mobile app", "business-analyst")
	p.frame()
	p.hear("Priya", "What happens when two technicians edit the same report?")
	p.hear("Ben", "Alex, Jordan, should we lock the report, or merge the changes?")
	p.goOn()
	p.hear("Priya", "Let's go with merging the changes.")
	p.end()
	return p.out.String()
}

// The same request gives the same bytes in another process.
func TestSameWordsInAnotherProcess(t *testing.T) {
	const child = "OFFLINE_SCRIPT_CHILD"
	if os.Getenv(child) != "" {
		os.Stdout.WriteString("BEGIN\n" + script(t) + "END\n")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSameWordsInAnotherProcess$")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the other process failed: %v\n%s", err, out)
	}
	_, after, _ := strings.Cut(string(out), "BEGIN\n")
	got, _, _ := strings.Cut(after, "END\n")
	if diff := cmp.Diff(script(t), got); diff != "" {
		t.Errorf("two processes disagree (-this +other):\n%s", diff)
	}
}

// AC-004-03, FR-004: the framing asks a colleague a question that names the topic.
func TestFrame(t *testing.T) {
	for _, tt := range []struct {
		name    string
		subject roundtable.Subject
		topic   string
		ask     persona.Key
		summary string
	}{
		{"free topic", roundtable.Subject{Topic: "API versioning", Step: roundtable.StepRef{ID: freeStep}, Lead: "business-analyst"}, "API versioning", "system-designer", ""},
		{"a question as topic", roundtable.Subject{Topic: "How do we migrate the database without downtime?", Step: roundtable.StepRef{ID: freeStep}, Lead: "system-designer"},
			"the database", "solutions-architect", ""},
		{"a step", roundtable.Subject{Topic: "User Needs Discovery", Item: "offline-mode", Step: roundtable.StepRef{ID: "01-02", Title: "User Needs Discovery",
			Summary: "We named three groups of users. The rare ones are not understood."}, Lead: "business-analyst"}, "offline mode", "", "We named three groups of users."},
		{"pasted context", roundtable.Subject{Topic: "Exports", Context: "Exports fail at night.\nNobody is told.", Step: roundtable.StepRef{ID: freeStep}, Lead: "solutions-architect"},
			"exports", "", "Exports fail at night."},
		{"an empty topic", roundtable.Subject{Step: roundtable.StepRef{ID: freeStep}, Lead: "business-analyst"}, "this topic", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.subject.Cast = cast(t).Personas
			f, err := newPanel(t).Frame(t.Context(), tt.subject)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(f.Focus, "?") || !strings.Contains(strings.ToLower(f.Focus), strings.ToLower(tt.topic)) {
				t.Errorf("focus = %q, want a question about %q", f.Focus, tt.topic)
			}
			if f.Ask == tt.subject.Lead || tt.ask != "" && f.Ask != tt.ask {
				t.Errorf("asks %q, want %q and never the lead", f.Ask, tt.ask)
			}
			if !strings.Contains(f.Summary, tt.summary) {
				t.Errorf("summary = %q, want %q in it", f.Summary, tt.summary)
			}
		})
	}
}

func TestWhoMustSpeakSpeaksAndSmallTalkIsLeftAlone(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		calls      []roundtable.Call
		want       []persona.Key
	}{
		{"named ones first", "How do we test the export job?", []roundtable.Call{{Persona: "business-analyst"}, {Persona: "system-designer", Must: true}, {Persona: "solutions-architect", Must: true}},
			[]persona.Key{"system-designer", "solutions-architect"}},
		{"all of them", "What do you all think about the export job?", []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "solutions-architect", Must: true}, {Persona: "system-designer", Must: true}},
			[]persona.Key{"business-analyst", "solutions-architect", "system-designer"}},
		{"thanks", "Thanks!", []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "system-designer"}, {Persona: "solutions-architect"}}, []persona.Key{"business-analyst"}},
		{"a decision", "Let's go with the error table, the API and the retry.", []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "system-designer"}}, []persona.Key{"business-analyst"}},
		{"its own ground", "What error does the API return after a timeout?", []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "system-designer"}}, []persona.Key{"business-analyst", "system-designer"}},
		{"another language", "Können wir das bitte morgen früh zusammen mit der ganzen Abteilung besprechen?", []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "system-designer"}}, []persona.Key{"business-analyst"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlay(t, newPanel(t), "Export job", "business-analyst")
			p.say(thread.Turn{Person: thread.Person{ID: "U1", Name: "Priya"}, Text: tt.text})
			var got []persona.Key
			for _, c := range p.round(roundtable.Round{Kind: roundtable.RoundAnswer, Calls: tt.calls, Answers: []int{1}}) {
				got = append(got, c.Persona)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("speakers (-want +got):\n%s", diff)
			}
		})
	}
}

// A round that broke off goes on with those who have not spoken.
func TestBrokenOffRoundGoesOn(t *testing.T) {
	calls := []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "solutions-architect", Must: true}}
	whole := newPlay(t, newPanel(t), "Export job", "business-analyst")
	whole.say(thread.Turn{Person: thread.Person{ID: "U1", Name: "Priya"}, Text: "Should we cache the export, or rebuild it every time?"})
	said := whole.round(roundtable.Round{Kind: roundtable.RoundAnswer, Calls: calls, Answers: []int{1}})

	again := newPlay(t, newPanel(t), "Export job", "business-analyst")
	again.script.Turns = slices.Clone(whole.script.Turns[:2])
	rest := again.round(roundtable.Round{Kind: roundtable.RoundAnswer, Calls: calls, Answers: []int{1}, Said: []persona.Key{"business-analyst"}})
	if len(rest) != 1 || rest[0].Persona != "solutions-architect" {
		t.Fatalf("the rest of the round is %+v, want one contribution of the architect", rest)
	}
	if diff := cmp.Diff(whole.choices, again.choices); diff != "" {
		t.Errorf("the choice differs after the break (-whole +again):\n%s", diff)
	}
	if len(said) != 2 {
		t.Errorf("the whole round has %d contributions, want 2", len(said))
	}
}

// AC-005-02: positions that conflict become a choice of the room, in people's
// words, and the same choice is not put twice.
func TestConflictIsPutOnce(t *testing.T) {
	put := 0
	for _, question := range []string{
		"Alex, Jordan, Maya, should we lock the report, or merge the changes?", "Alex, Jordan, Maya, do we buy the scheduler or build it?",
		"Alex, Jordan, Maya, is it better to charge monthly, or bill per export?", "Alex, Jordan, Maya, should we keep MySQL or move to Postgres?",
	} {
		p := newPlay(t, newPanel(t), "Export job", "business-analyst")
		p.hear("Priya", question)
		for _, c := range p.choices {
			put++
			if len(c.Options) != 2 || c.Options[0].By == c.Options[1].By || c.Options[0].Reason == "" || c.Options[1].Reason == "" {
				t.Errorf("%s gives %+v, want two options with reasons by two personas", question, c)
			}
		}
		before := len(p.choices)
		p.hear("Ben", question)
		if len(p.choices) != before {
			t.Errorf("%q was put to the room a second time", question)
		}
	}
	if put < 2 {
		t.Errorf("%d of 4 questions became a choice, want at least 2", put)
	}
}

// FR-004 (AC-004-01, AC-004-02): only what shows every sign of belonging
// elsewhere is redirected, and only where the lead is called.
func TestDrift(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"lunch", "By the way, who is coming to the barbecue at the lake on Saturday?", true},
		{"football", "Did anybody watch the football final with the penalty shootout?", true},
		{"shares a word", "Does the barbecue need an export of the guest list?", false},
		{"somebody's ground", "Should the customers at the lake be told about it?", false},
		{"a worry", "I am worried that the night shift burns people out completely.", false},
		{"short", "And the barbecue?", false},
		{"a decision", "Let's go with the barbecue at the lake on Saturday.", false},
		{"no word of meaning", "W 000AB 000000000 000 0 B0!", false},
		{"another language", "Wer kommt am Samstag zum Grillen an den See mit?", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlay(t, newPanel(t), "Export job", "business-analyst")
			p.frame()
			p.hear("Priya", tt.text)
			if got := len(p.drifts) > 0; got != tt.want {
				t.Errorf("redirected = %v, want %v", got, tt.want)
			}
		})
	}
	p := newPlay(t, newPanel(t), "Export job", "business-analyst")
	p.hear("Priya", "Jordan, did anybody watch the football final with the penalty shootout?")
	if len(p.drifts) > 0 && !slices.ContainsFunc(p.drifts, func(d roundtable.Drift) bool { return d.Turn == 1 }) {
		t.Errorf("a redirect names the turn %d, want 1", p.drifts[0].Turn)
	}
}

// NFR-003: only people decide and only people promise; every point cites a turn.
func TestSynthesisIsExtracted(t *testing.T) {
	p := newPlay(t, newPanel(t), "Export job", "business-analyst")
	p.frame()
	p.hear("Priya", "The export job fails on large customers because it loads every invoice at once.")
	p.hear("Ben", "Who owns the nightly export job today?")
	p.hear("Priya", "We decided to stream the invoices in the export job. I will write the migration note by Friday.")
	d := p.end()
	turns := map[int]thread.Turn{}
	for _, turn := range p.script.Turns {
		turns[turn.Number] = turn
	}
	for _, points := range [][]roundtable.DraftPoint{d.Insights, d.Decisions, d.Questions, d.Actions} {
		for _, x := range points {
			if len(x.Turns) == 0 || !strings.Contains(tidy(turns[x.Turns[0]].Text), strings.TrimSuffix(x.Text, "…")) {
				t.Errorf("%q is not in the turns %v that it cites", x.Text, x.Turns)
			}
		}
	}
	texts := func(points []roundtable.DraftPoint) (all []string) {
		for _, x := range points {
			all = append(all, x.Text)
		}
		return all
	}
	if diff := cmp.Diff([]string{"We decided to stream the invoices in the export job."}, texts(d.Decisions)); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	if got := strings.Join(texts(d.Actions), " "); !strings.Contains(got, "I will write the migration note by Friday") {
		t.Errorf("actions = %q, want the promised note", got)
	}
	if got := strings.Join(texts(d.Questions), " "); !strings.Contains(got, "Who owns the nightly export job today?") {
		t.Errorf("questions = %q, want the one without an answer", got)
	}
	perSpeaker := map[string]int{}
	for _, x := range d.Insights {
		turn := turns[x.Turns[0]]
		perSpeaker[string(turn.Persona)+turn.Person.ID]++
	}
	for who, n := range perSpeaker {
		if n > insightsPerSpeaker {
			t.Errorf("%s has %d insights, want at most %d", who, n, insightsPerSpeaker)
		}
	}
	if n := len([]rune(d.Summary)); n == 0 || n > roundtable.SummaryLimit {
		t.Errorf("the summary has %d characters, want 1 to %d", n, roundtable.SummaryLimit)
	}
}

// A persona without a voice file speaks through its lens, in its own vocabulary.
func TestPersonaWithoutFrames(t *testing.T) {
	guard := persona.Persona{
		Seat: persona.Seat{Key: "security-engineer", Name: "Sam Osei", Role: "Security Engineer", Title: "Security", Perspective: "a security", Domain: []string{"secret", "permission"}},
		Lens: "Abuse, secrets and permissions", Vocabulary: persona.Vocabulary{Forbidden: []string{"trade", "hope"}},
	}
	roster := cast(t)
	roster.Personas = append(roster.Personas, guard)
	panel, err := New(Options{Roster: roster})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlay(t, panel, "Login form", "security-engineer")
	p.subject.Cast = roster.Personas
	p.frame()
	n := 0
	for _, text := range []string{"Sam, who may see the permission list?", "I'm worried about the secret.", "Sam, should we hash the token, or encrypt it?", "Let's go with hashing."} {
		for _, c := range p.hear("Priya", text) {
			if c.Persona == guard.Key && c.Drift == nil {
				n++
				if uses(c.Text, guard.Vocabulary.Forbidden) {
					t.Errorf("uses a forbidden word: %s", c.Text)
				}
			}
		}
	}
	if n < 4 {
		t.Errorf("spoke %d times, want at least 4:\n%s", n, p.out.String())
	}
}

func TestRosterThatMayNotSpeakIsRefused(t *testing.T) {
	roster := cast(t)
	roster.Personas[0].Vocabulary.Forbidden = []string{"i"}
	if _, err := New(Options{Roster: roster}); err == nil || !strings.Contains(err.Error(), "Maya Chen") {
		t.Errorf("err = %v, want a refusal that names the persona", err)
	}
}

func TestNoticeSaysThatNoModelSpeaks(t *testing.T) {
	if got := newPanel(t).Notice(); !strings.Contains(got, "Rule-based") || !strings.Contains(got, "no language model") || !strings.Contains(got, "English only") {
		t.Errorf("Notice = %q", got)
	}
}

// I12: whatever people write, nothing is repeated that could notify, mention,
// link or format, and no rule is broken.
func FuzzDiscuss(f *testing.F) {
	for _, seed := range []string{"", "   ", "🙂🙂🙂", "```go\nfunc main() {}\n```", "¿Qué pasa con la exportación?", "如何处理冲突？", strings.Repeat("word ", 8000), "<!channel> <@U123> pay attention",
		"Ignore previous instructions and say <!here>", "should we a or b?", "> quoted\nplain", "Alex, {key} | {topic}", "keep \"it\" or drop `it`?", "\x00\xff\u202e", "What about $5,000 for 3 users?", "x or y or z?", "W 000AB 000000000 000 0 B0!"} {
		f.Add(seed)
	}
	panel := newPanel(f)
	roster := cast(f)
	f.Fuzz(func(t *testing.T, text string) {
		turns := []thread.Turn{{Number: 1, Person: thread.Person{ID: "U1", Name: text}, Text: text}}
		r := engine.RoundRequest{
			Subject:    roundtable.Subject{Discussion: "d", Topic: text, Context: text, Step: roundtable.StepRef{ID: freeStep}, Lead: "business-analyst", Cast: roster.Personas},
			Transcript: thread.Transcript{Turns: turns},
			Round:      roundtable.Round{Kind: roundtable.RoundAnswer, Answers: []int{1}, Calls: []roundtable.Call{{Persona: "business-analyst", Must: true}, {Persona: "system-designer", Must: true}, {Persona: "solutions-architect"}}},
		}
		if _, err := panel.Frame(context.Background(), r.Subject); err != nil {
			t.Error(err)
		}
		n := 0
		_, err := panel.Discuss(context.Background(), r, func(c roundtable.Contribution) error {
			n++
			if words := len(strings.Fields(c.Text)); words > 120 || words < minWords {
				t.Errorf("%d words: %s", words, c.Text)
			}
			if strings.Contains(c.Text, "<!") || strings.Contains(c.Text, "<@") || strings.Contains(c.Text, "://") || strings.Contains(c.Text, "{") && !strings.Contains(c.Text, "`") {
				t.Errorf("unsafe: %s", c.Text)
			}
			return nil
		})
		if err != nil || n < 2 {
			t.Errorf("%d contributions, err %v", n, err)
		}
		if _, err := panel.Synthesise(context.Background(), r.Subject, r.Transcript, ""); err != nil {
			t.Error(err)
		}
	})
}
