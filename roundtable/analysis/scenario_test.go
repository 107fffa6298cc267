package analysis

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
	"github.com/roundtable-chat/app/roundtable/rulestest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestScenarios plays the transcripts in testdata/scenarios, as those of the rules
// are played; `go test ./roundtable/analysis -rewrite` writes anew what they lead
// to. The item is a real meta.json that records change. I2, I5, I6 and
// AC-NFR-003-02 are checked after every step of all of them.
func TestScenarios(t *testing.T) {
	rulestest.Scripts(t, func(s *rulestest.Script) func(rulestest.Command) { return playOf(s).run })
}

// play is a scenario being played: an analysis, its log and its item.
type play struct {
	*rulestest.Script
	a    Analysis
	log  []thread.Entry
	meta *document.Meta
	scan string
	// held effects are not answered by themselves; refused makes Slack refuse the
	// root.
	held    bool
	refused thread.Reason
}

func newPlay(t *testing.T) *play { return playOf(rulestest.NewScript(t)) }

func playOf(s *rulestest.Script) *play { return &play{Script: s, meta: testMeta(s.T, "{}")} }

func (p *play) run(c rulestest.Command) {
	who, arg := c.Who(), c.Value
	by := func(name string) thread.Person { return person(name).As(standingOf(name, arg("as", ""))) }
	switch c.Cmd {
	case "item":
		p.meta, p.scan = testMeta(p.T, c.Input), strings.ReplaceAll(arg("scan", ""), " / ", "\n")
	case "open":
		p.open("o:1", arg, nil)
	case "join":
		p.open("o:"+p.TS(), arg, &Origin{Discussion: "D7", Thread: "500", Conclusion: conclusion(c)})
	case "say":
		ts := p.TS()
		p.step("m:"+ts, Said{TS: ts, By: by(who), Text: c.Input, BotUser: "UBOT"})
	case "edit":
		p.step("e:"+who, Edited{TS: who, By: by(arg("by", "Priya")), Text: c.Input, EditedTS: p.TS()})
	case "delete":
		p.step("d:"+who, Deleted{TS: who})
	case "react":
		p.step("r:"+p.TS(), Reacted{By: by(who), TS: arg("ts", ""), Emoji: arg("emoji", ""), Unsure: c.HasArg("unsure")})
	case "press":
		p.step("b:"+p.TS(), Pressed{By: by(who), Button: thread.ButtonKind(c.CmdArgs[1].Key), Value: arg("value", p.a.Menu.ID)})
	case "ask":
		n, _ := strconv.Atoi(arg("prompt", "0"))
		p.step(p.ask()+"/asked", Asked{
			Effect: p.ask(), Summary: arg("summary", ""), Reflection: arg("reflection", ""), Question: c.Input, Prompt: n, Enough: c.HasArg("enough"),
		})
	case "draft":
		var draft *Draft
		if strings.TrimSpace(c.Input) != "" {
			p.Decode(c.Input, &draft)
		}
		p.step(p.ask()+"/drafted", Drafted{Effect: p.ask(), Draft: draft, Transcript: thread.ReadTranscript(p.log)})
	case "opened":
		p.step("D/"+p.TS()+"/opened", ElaborationOpened{Discussion: p.elaboration(who), By: person(arg("by", "Priya")), StepTitle: "Business Context", Thread: arg("thread", "700")})
	case "ended":
		e := ElaborationEnded{
			Discussion: p.elaboration(who), StepTitle: "Business Context", Thread: arg("thread", "700"), Refused: thread.Reason(arg("refused", "")),
			Conclusion: conclusion(c),
		}
		p.step("D/"+p.TS()+"/ended", e)
	case "identified":
		p.identified(who, arg)
	case "hold":
		p.held = true
	case "release":
		p.held = false
		p.perform(p.a.Writing.effect(p))
	case "fail":
		p.fail(who, thread.Reason(arg("reason", "")))
	case "wait":
		d, err := time.ParseDuration(who)
		if err != nil {
			c.Fatalf(p.T, "wait: %v", err)
		}
		p.Wait(d, func() time.Time { return p.a.WakeAt }, func(id string) { p.step(id, TimerFired{}) })
	case "parked":
		p.step("x:"+p.TS(), Parked{})
	case "root":
		p.show(Root(p.a))
	case "meta":
		fmt.Fprintf(&p.Out, "steps %v phases %v depths %v status %s\n", p.meta.StepsCompleted(), p.meta.PhasesCompleted(), p.meta.DepthOverrides(), p.meta.AnalysisStatus())
	case "transcript":
		for _, t := range thread.ReadTranscript(p.log).Turns {
			fmt.Fprintf(&p.Out, "%d %s [%s]: %s\n", t.Number, t.Speaker(p.a.Cast), t.TS, strings.ReplaceAll(t.Text, "\n", " / "))
		}
	default:
		c.Fatalf(p.T, "unknown command %q", c.Cmd)
	}
}

// conclusion reads what a discussion came to.
func conclusion(c rulestest.Command) roundtable.Conclusion {
	came := roundtable.Conclusion{Summary: c.Input, Unwritten: c.HasArg("unwritten")}
	came.Turns, _ = strconv.Atoi(c.Value("turns", "5"))
	came.Untold, _ = strconv.Atoi(c.Value("untold", "0"))
	if d := c.Value("decided", ""); d != "" {
		came.Decisions = strings.Split(d, "/")
	}
	return came
}

// elaboration is the one that was opened last, or one that was opened elsewhere.
func (p *play) elaboration(which string) string {
	if n := len(p.a.Elaborations); n > 0 && which != "further" {
		return p.a.Elaborations[n-1].Discussion
	}
	return "D-further"
}

// effect makes the held effect of a write anew.
func (w *Writing) effect(p *play) Effect {
	if w.Recording {
		p.T.Fatal("release a record by failing and retrying it")
	}
	return Write{Key: w.Key, Parts: w.Parts}
}

func (p *play) open(id string, arg func(string, string) string, from *Origin) {
	gather, _ := time.ParseDuration(arg("gather", "0s"))
	silence, _ := time.ParseDuration(arg("silence", "0s"))
	p.refused = thread.Reason(arg("refused", ""))
	p.step(id, Opened{
		Analysis: "A1", Place: thread.Place{Team: "T1", Channel: "C1"}, By: person(arg("by", "Priya")), Item: "offline-mode", ItemTitle: "Offline mode",
		Cast: testCast(), Settings: SettingsLike(roundtable.Settings{
			MaxTurns: 10, Gather: gather, Silence: silence, Close: thread.Right(arg("close", "")), Choose: thread.Right(arg("choose", "")),
		}),
		Origin: from,
	})
}

func (p *play) fail(what string, reason thread.Reason) {
	key := map[string]string{"ask": p.ask(), "root": "A1/root", "spoke": p.a.Spoke, "menu": p.a.Menu.Key, "other": "A1/other/0"}[what]
	switch {
	case what == "write":
		key = p.a.Writing.Key
	case what == "elaboration":
		key = p.a.Elaborations[len(p.a.Elaborations)-1].Key
	}
	p.step(fmt.Sprintf("%s/failed%d", key, p.Inputs), Failed{Effect: key, Reason: reason})
}

// step gives an input to Step, checks what must always hold, shows what was
// decided, and answers what needs nobody to think.
func (p *play) step(id string, e Event) {
	p.T.Helper()
	p.Inputs++
	in := Input{ID: id, At: p.Now, Event: e}
	r := checkedStep(p.T, p.a, in, p.log)
	p.a = r.Analysis
	p.log = append(p.log, r.Entries...)
	for _, m := range r.Moves {
		fmt.Fprintf(&p.Out, "%s → %s\n", m.From, m.To)
	}
	for _, x := range r.Effects {
		p.effect(x)
	}
	for _, x := range r.Effects {
		p.perform(x)
	}
}

// perform answers an effect that needs nobody to think.
func (p *play) perform(x Effect) {
	switch x := x.(type) {
	case Post:
		if p.refused != "" {
			p.step(x.Key+"/failed", Failed{Effect: x.Key, Reason: p.refused})
			return
		}
		p.step(x.Key+"/posted", Posted{Effect: x.Key, TS: p.TS()})
	case Inspect:
		p.step(x.Key+"/surveyed", Surveyed{Effect: x.Key, Survey: Look(testCatalogue(), testRoster(), p.meta, p.scan)})
	case Write:
		if p.held {
			return
		}
		var changes []thread.ArtifactChange
		for _, part := range x.Parts {
			changes = append(changes, thread.ArtifactChange{File: part.File, Section: part.Name, Added: fmt.Sprintf("%d words", len(strings.Fields(part.Content)))})
		}
		p.step(x.Key+"/written", Written{Effect: x.Key, Changes: changes})
	case Record:
		if p.held {
			return
		}
		p.note(x)
		p.step(x.Key+"/recorded", Recorded{Effect: x.Key})
	case Inquire, Compose, Tell, Open, Welcome, Identify:
	}
}

// note records in the item's meta.json.
func (p *play) note(r Record) {
	if err := r.Apply(p.meta); err != nil {
		p.T.Fatal(err)
	}
}

func (p *play) effect(e Effect) {
	switch e := e.(type) {
	case Post:
		p.show(e.Message)
	case Tell:
		fmt.Fprintf(&p.Out, "[only %s] %s\n", strings.TrimPrefix(e.User, "U-"), e.Text)
	case Identify:
		fmt.Fprintf(&p.Out, "[identify] %s\n", strings.TrimPrefix(e.User, "U-"))
	case Inspect:
		p.Out.WriteString("[inspect]\n")
	case Inquire:
		b, _ := BriefingOf(p.a)
		fmt.Fprintf(&p.Out, "[ask] inquire %s at %s; next %d %q\n", b.Step.ID, b.Step.Depth.Depth, b.Next, b.NextText)
	case Compose:
		b, _ := BriefingOf(p.a)
		fmt.Fprintf(&p.Out, "[ask] compose %s from turn %d plain=%v fault=%q\n", b.Purpose, b.From, e.Plain, e.Fault)
	case Write:
		for _, part := range e.Parts {
			fmt.Fprintf(&p.Out, "[write %s] %s, %s %q: %s\n", e.Step, part.File, part.Part, part.Name, strings.ReplaceAll(strings.TrimSpace(part.Content), "\n", " / "))
		}
	case Record:
		fmt.Fprintf(&p.Out, "[record] step=%q phases=%v depth=%q of %q\n", e.Step, e.Phases, e.Depth, e.Phase)
	case Welcome:
		fmt.Fprintf(&p.Out, "[welcome %s] thread %s, under way %v\n", e.Discussion, e.Thread, e.UnderWay)
	case Open:
		fmt.Fprintf(&p.Out, "[open] step %s by %s, outputs %v, limit %d, landed %q\n", e.Opened.Step.ID, e.Opened.By.Name, e.Opened.Step.Outputs, e.Opened.Settings.MaxTurns, e.Opened.Step.Summary)
	}
}

func (p *play) show(m thread.Message) {
	p.Message(m.Identity, m.Text, m.Status, m.ToChannel)
	for _, l := range m.Threads {
		p.Thread(l.Label, l.Thread)
	}
	for _, b := range m.Buttons {
		p.Button(b.Label, b.Value)
	}
}

func (p *play) ask() string {
	if p.a.Ask == nil {
		return "A1/none"
	}
	return p.a.Ask.Key
}

// person is somebody by name. Gus is a guest, and of Una Slack does not say who she is.
func person(name string) thread.Person {
	return thread.Person{ID: "U-" + name, Name: name}.As(standingOf(name, ""))
}

// standingOf is a standing as a script says it, or that of the person with a name.
func standingOf(name, as string) thread.Standing {
	switch {
	case as == "member":
		return thread.StandingMember
	case as != "":
		return thread.Standing(as)
	case name == "Gus":
		return thread.StandingGuest
	case name == "Una":
		return thread.StandingUnknown
	}
	return thread.StandingMember
}

// identified answers the open question who somebody is; without "as" Slack does not say.
func (p *play) identified(who string, arg func(string, string) string) {
	e := Identified{Person: person(who).As(standingOf("Una", arg("as", "")))}
	for _, u := range p.a.Unknown {
		if u.Asking != "" {
			e.Effect = u.Asking
		}
	}
	p.step(fmt.Sprintf("%s/identified%d", e.Effect, p.Inputs), e)
}

// rules are what any step is held to.
var rules = rulestest.Rules[Analysis, Result]{
	Left: func(r Result) Analysis { return r.Analysis }, Encode: Encode, Decode: Decode,
}

// checkedStep is Step with everything checked that must hold whatever happens: it
// is pure, what it leaves survives the store, moves are legal (I6), turns are as
// many as the transcript has (I5), keys are unique, nothing is recorded that was
// not written (AC-NFR-003-02), and something says why things stand still (I10).
func checkedStep(t *testing.T, a Analysis, in Input, log []thread.Entry) Result {
	t.Helper()
	r := rules.Pure(t, a, in.Event, func(a Analysis) Result { return Step(a, in) })
	rulestest.Moves(t, a.State, r.Analysis.State, r.Moves, Transitions())
	turns := map[int]bool{}
	for _, e := range append(log[:len(log):len(log)], r.Entries...) {
		if e.Kind == thread.EntryTurn {
			turns[e.Turn] = true
		}
	}
	if len(turns) != r.Analysis.Turns {
		t.Errorf("I5: counter %d, transcript %d", r.Analysis.Turns, len(turns))
	}
	rulestest.Keys(t, r.Effects)
	if len(r.Entries) > 0 {
		checkRights(t, r.Analysis, append(log[:len(log):len(log)], r.Entries...))
	}
	for _, e := range r.Effects {
		checkRecord(t, a, in, e)
		b, err := EncodeEffect(e)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := DecodeEffect(b); err != nil || again.EffectKey() != e.EffectKey() {
			t.Errorf("the effect %s does not survive the store: %v", e.EffectKey(), err)
		}
	}
	if r.Analysis.State != "" && standing(r.Analysis) == "" {
		t.Errorf("I10: nothing says why state %s stands as it does", r.Analysis.State)
	}
	return r
}

// checkRecord finds a step that is recorded although its parts do not stand.
func checkRecord(t *testing.T, a Analysis, in Input, e Effect) {
	t.Helper()
	record, ok := e.(Record)
	if !ok || record.Step == "" {
		return
	}
	written, writes := in.Event.(Written)
	_, drafts := in.Event.(Drafted)
	switch {
	case writes:
		ok = a.Writing != nil && written.Effect == a.Writing.Key
	case drafts: // there was nothing to write
		ok = a.Writing == nil
	default: // a record that failed, again
		ok = a.Writing != nil && a.Writing.Recording
	}
	if !ok {
		t.Errorf("AC-NFR-003-02: step %s is recorded on %T, before it was written", record.Step, in.Event)
	}
}

// checkRights checks that nobody ended the analysis, chose or decided in it but a full
// member who has the right (FR-108).
func checkRights(t *testing.T, a Analysis, log []thread.Entry) {
	t.Helper()
	if x := a.Exit; x != nil && x.By != nil && a.Settings.Close.Judge(*x.By, a.Opener.ID) != thread.VerdictGranted {
		t.Errorf("FR-108: ended by %+v", *x.By)
	}
	if x := a.Taken; x != nil && a.Settings.Choose.Judge(x.By, a.Opener.ID) != thread.VerdictGranted {
		t.Errorf("FR-108: chosen by %+v", x.By)
	}
	vouched := map[string]bool{}
	for _, e := range log {
		if e.Kind == thread.EntryKnown {
			vouched[e.Person.ID] = true
		}
	}
	for _, m := range thread.ReadTranscript(log).Marks {
		by := m.By
		if by.Is() == thread.StandingUnknown && vouched[by.ID] {
			by = by.As(thread.StandingMember)
		}
		if m.Kind == thread.MarkDecision && a.Settings.Choose.Judge(by, a.Opener.ID) != thread.VerdictGranted {
			t.Errorf("FR-108: %q decided by %+v", m.Body, m.By)
		}
	}
}
