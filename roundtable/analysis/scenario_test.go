package analysis

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/document"
)

// TestScenarios plays the transcripts in testdata/scenarios, as those of the rules
// are played; `go test ./roundtable/analysis -rewrite` writes anew what they lead
// to. The item is a real meta.json that records change. I2, I5, I6 and
// AC-NFR-003-02 are checked after every step of all of them.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			p := newPlay(t)
			datadriven.RunTest(t, f, func(t *testing.T, c *datadriven.TestData) string {
				p.t = t
				return p.run(c)
			})
		})
	}
}

// play is a scenario being played: an analysis, its log, its item and a clock.
type play struct {
	t     *testing.T
	a     Analysis
	log   []roundtable.Entry
	meta  *document.Meta
	scan  string
	now   time.Time
	inbox int
	// held effects are not answered by themselves; refused makes Slack refuse the
	// root.
	held    bool
	refused roundtable.Reason
	out     strings.Builder
}

func newPlay(t *testing.T) *play {
	return &play{t: t, now: time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC), meta: testMeta(t, "{}")}
}

func (p *play) run(c *datadriven.TestData) string {
	p.out.Reset()
	who := ""
	if len(c.CmdArgs) > 0 {
		who = c.CmdArgs[0].Key
	}
	arg := func(name, fallback string) string {
		if a, ok := c.Arg(name); ok && len(a.Vals) > 0 {
			return a.Vals[0]
		}
		return fallback
	}
	switch c.Cmd {
	case "item":
		p.meta, p.scan = testMeta(p.t, c.Input), strings.ReplaceAll(arg("scan", ""), " / ", "\n")
	case "open":
		p.open(arg)
	case "say":
		ts := p.ts()
		p.step("m:"+ts, Said{TS: ts, By: person(who), Text: c.Input, BotUser: "UBOT"})
	case "edit":
		p.step("e:"+who, Edited{TS: who, By: person(arg("by", "Priya")), Text: c.Input, EditedTS: p.ts()})
	case "delete":
		p.step("d:"+who, Deleted{TS: who})
	case "react":
		p.step("r:"+p.ts(), Reacted{By: person(who), TS: arg("ts", ""), Emoji: arg("emoji", "")})
	case "press":
		p.step("b:"+p.ts(), Pressed{By: person(who), Button: roundtable.ButtonKind(c.CmdArgs[1].Key), Value: arg("value", p.a.Menu.ID)})
	case "ask":
		n, _ := strconv.Atoi(arg("prompt", "0"))
		p.step(p.ask()+"/asked", Asked{
			Effect: p.ask(), Summary: arg("summary", ""), Reflection: arg("reflection", ""), Question: c.Input, Prompt: n, Enough: c.HasArg("enough"),
		})
	case "draft":
		var draft *Draft
		if strings.TrimSpace(c.Input) != "" {
			p.decode(c.Input, &draft)
		}
		p.step(p.ask()+"/drafted", Drafted{Effect: p.ask(), Draft: draft, Transcript: roundtable.ReadTranscript(p.log)})
	case "ended":
		p.step("x:"+p.ts(), ElaborationEnded{Discussion: p.a.Elaborations[len(p.a.Elaborations)-1].Discussion, Summary: c.Input})
	case "hold":
		p.held = true
	case "release":
		p.held = false
		p.perform(p.a.Writing.effect(p))
	case "fail":
		p.fail(who, roundtable.Reason(arg("reason", "")))
	case "wait":
		d, err := time.ParseDuration(who)
		if err != nil {
			c.Fatalf(p.t, "wait: %v", err)
		}
		p.wait(d)
	case "parked":
		p.step("x:"+p.ts(), Parked{})
	case "root":
		p.show(Root(p.a))
	case "meta":
		fmt.Fprintf(&p.out, "steps %v phases %v depths %v status %s\n", p.meta.StepsCompleted(), p.meta.PhasesCompleted(), p.meta.DepthOverrides(), p.meta.AnalysisStatus())
	case "transcript":
		for _, t := range roundtable.ReadTranscript(p.log).Turns {
			fmt.Fprintf(&p.out, "%d %s [%s]: %s\n", t.Number, t.Speaker(p.a.Cast), t.TS, strings.ReplaceAll(t.Text, "\n", " / "))
		}
	default:
		c.Fatalf(p.t, "unknown command %q", c.Cmd)
	}
	if p.out.Len() == 0 {
		return "(nothing)\n"
	}
	return p.out.String()
}

// effect makes the held effect of a write anew.
func (w *Writing) effect(p *play) Effect {
	if w.Recording {
		p.t.Fatal("release a record by failing and retrying it")
	}
	return Write{Key: w.Key, Parts: w.Parts}
}

func (p *play) open(arg func(string, string) string) {
	gather, _ := time.ParseDuration(arg("gather", "0s"))
	silence, _ := time.ParseDuration(arg("silence", "0s"))
	p.refused = roundtable.Reason(arg("refused", ""))
	p.step("o:1", Opened{
		Analysis: "A1", Place: roundtable.Place{Team: "T1", Channel: "C1"}, By: person(arg("by", "Priya")), Item: "offline-mode", ItemTitle: "Offline mode",
		Cast: testCast(), Settings: Settings{Gather: gather, Silence: silence, Elaboration: roundtable.Settings{MaxTurns: 10}},
	})
}

func (p *play) fail(what string, reason roundtable.Reason) {
	key := map[string]string{"ask": p.ask(), "root": "A1/root", "spoke": p.a.Spoke, "menu": p.a.Menu.Key, "other": "A1/other/0"}[what]
	switch {
	case what == "write":
		key = p.a.Writing.Key
	case what == "elaboration":
		key = p.a.Elaborations[len(p.a.Elaborations)-1].Key
	}
	p.step(fmt.Sprintf("%s/failed%d", key, p.inbox), Failed{Effect: key, Reason: reason})
}

// step gives an input to Step, checks what must always hold, shows what was
// decided, and answers what needs nobody to think.
func (p *play) step(id string, e Event) {
	p.t.Helper()
	p.inbox++
	in := Input{ID: id, At: p.now, Event: e}
	r := checkedStep(p.t, p.a, in, p.log)
	p.a = r.Analysis
	p.log = append(p.log, r.Entries...)
	for _, m := range r.Moves {
		fmt.Fprintf(&p.out, "%s → %s\n", m.From, m.To)
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
		p.step(x.Key+"/posted", Posted{Effect: x.Key, TS: p.ts()})
	case Inspect:
		p.step(x.Key+"/surveyed", Surveyed{Effect: x.Key, Survey: Look(testCatalogue(), testRoster(), p.meta, p.scan)})
	case Write:
		if p.held {
			return
		}
		var changes []roundtable.ArtifactChange
		for _, part := range x.Parts {
			changes = append(changes, roundtable.ArtifactChange{File: part.File, Section: part.Name, Added: fmt.Sprintf("%d words", len(strings.Fields(part.Content)))})
		}
		p.step(x.Key+"/written", Written{Effect: x.Key, Changes: changes})
	case Record:
		if p.held {
			return
		}
		p.note(x)
		p.step(x.Key+"/recorded", Recorded{Effect: x.Key})
	case Inquire, Compose, Tell, Open:
	}
}

// note records in the item's meta.json.
func (p *play) note(r Record) {
	if err := r.Apply(p.meta); err != nil {
		p.t.Fatal(err)
	}
}

func (p *play) effect(e Effect) {
	switch e := e.(type) {
	case Post:
		p.show(e.Message)
	case Tell:
		fmt.Fprintf(&p.out, "[only %s] %s\n", strings.TrimPrefix(e.User, "U-"), e.Text)
	case Inspect:
		p.out.WriteString("[inspect]\n")
	case Inquire:
		b, _ := BriefingOf(p.a)
		fmt.Fprintf(&p.out, "[ask] inquire %s at %s; next %d %q\n", b.Step.ID, b.Step.Depth.Depth, b.Next, b.NextText)
	case Compose:
		b, _ := BriefingOf(p.a)
		fmt.Fprintf(&p.out, "[ask] compose %s from turn %d plain=%v fault=%q\n", b.Purpose, b.From, e.Plain, e.Fault)
	case Write:
		for _, part := range e.Parts {
			fmt.Fprintf(&p.out, "[write %s] %s, %s %q: %s\n", e.Step, part.File, part.Part, part.Name, strings.ReplaceAll(strings.TrimSpace(part.Content), "\n", " / "))
		}
	case Record:
		fmt.Fprintf(&p.out, "[record] step=%q phases=%v depth=%q of %q\n", e.Step, e.Phases, e.Depth, e.Phase)
	case Open:
		fmt.Fprintf(&p.out, "[open] step %s by %s, outputs %v, limit %d, landed %q\n", e.Opened.Step.ID, e.Opened.By.Name, e.Opened.Step.Outputs, e.Opened.Settings.MaxTurns, e.Opened.Step.Summary)
	}
}

func (p *play) show(m roundtable.Message) {
	who := "Roundtable"
	if m.Identity != "" {
		who = m.Identity
	}
	text := strings.ReplaceAll(strings.TrimSpace(m.Text), "\n\n", "\n")
	fmt.Fprintf(&p.out, "%s: %s\n", who, strings.ReplaceAll(text, "\n", "\n    "))
	if m.Status != "" {
		fmt.Fprintf(&p.out, "    (%s)\n", m.Status)
	}
	for _, b := range m.Buttons {
		fmt.Fprintf(&p.out, "    <%s%s>\n", b.Label, strings.TrimSuffix(" "+b.Value, " "))
	}
}

func (p *play) wait(d time.Duration) {
	end := p.now.Add(d)
	for !p.a.WakeAt.IsZero() && !p.a.WakeAt.After(end) {
		was := p.a.WakeAt
		if was.After(p.now) {
			p.now = was
		}
		p.step("w:"+was.Format(time.RFC3339Nano), Woken{})
		if p.a.WakeAt.Equal(was) {
			p.t.Fatalf("waking at %s changed nothing and is still due", was)
		}
	}
	p.now = end
}

// ts makes the next Slack timestamp; a moment passes with each.
func (p *play) ts() string {
	p.inbox++
	p.now = p.now.Add(100 * time.Millisecond)
	return strconv.Itoa(p.inbox)
}

func (p *play) ask() string {
	if p.a.Ask == nil {
		return "A1/none"
	}
	return p.a.Ask.Key
}

func (p *play) decode(s string, v any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(s), v); err != nil {
		p.t.Fatalf("decode %s: %v", s, err)
	}
}

func person(name string) roundtable.Person { return roundtable.Person{ID: "U-" + name, Name: name} }

// checkedStep is Step with everything checked that must hold whatever happens: it
// is pure, what it leaves survives the store, moves are legal (I6), turns are as
// many as the transcript has (I5), keys are unique, nothing is recorded that was
// not written (AC-NFR-003-02), and something says why things stand still (I10).
func checkedStep(t *testing.T, a Analysis, in Input, log []roundtable.Entry) Result {
	t.Helper()
	before, err := Encode(a)
	if err != nil {
		t.Fatal(err)
	}
	r := Step(a, in)
	if after, _ := Encode(a); string(after) != string(before) {
		t.Errorf("Step changed its input on %T:\n%s", in.Event, cmp.Diff(string(before), string(after)))
	}
	if diff := cmp.Diff(r, Step(a, in)); diff != "" {
		t.Errorf("Step is not deterministic on %T:\n%s", in.Event, diff)
	}
	stored, err := Encode(r.Analysis)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(stored)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := Encode(back); string(again) != string(stored) {
		t.Errorf("the stored form does not survive a round trip:\n%s", cmp.Diff(string(stored), string(again)))
	}
	checkMoves(t, a, r)
	turns := map[int]bool{}
	for _, e := range append(log[:len(log):len(log)], r.Entries...) {
		if e.Kind == roundtable.EntryTurn {
			turns[e.Turn] = true
		}
	}
	if len(turns) != r.Analysis.Turns {
		t.Errorf("I5: counter %d, transcript %d", r.Analysis.Turns, len(turns))
	}
	keys := map[string]bool{}
	for _, e := range r.Effects {
		if keys[e.EffectKey()] {
			t.Errorf("two effects have the key %s", e.EffectKey())
		}
		keys[e.EffectKey()] = true
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

func checkMoves(t *testing.T, a Analysis, r Result) {
	t.Helper()
	at := a.State
	for _, m := range r.Moves {
		if at != "" && m.From != at {
			t.Errorf("I6: move %v does not start where the analysis is (%s)", m, at)
		}
		if !slices.Contains(Transitions(), m) {
			t.Errorf("I6: %v is no transition", m)
		}
		at = m.To
	}
	if a.State != "" && at != r.Analysis.State {
		t.Errorf("I6: state %s, but the moves lead to %s", r.Analysis.State, at)
	}
}

// checkRecord finds a step that is recorded although its parts do not stand.
func checkRecord(t *testing.T, a Analysis, in Input, e Effect) {
	t.Helper()
	record, ok := e.(Record)
	if !ok || record.Step == "" {
		return
	}
	switch event := in.Event.(type) {
	case Written:
		ok = a.Writing != nil && event.Effect == a.Writing.Key
	case Drafted: // there was nothing to write
		ok = a.Writing == nil
	default: // a record that failed, again
		ok = a.Writing != nil && a.Writing.Recording
	}
	if !ok {
		t.Errorf("AC-NFR-003-02: step %s is recorded on %T, before it was written", record.Step, in.Event)
	}
}
