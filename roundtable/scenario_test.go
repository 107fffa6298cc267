package roundtable

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/rulestest"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// TestScenarios plays the transcripts in testdata/scenarios; `go test ./roundtable
// -rewrite` writes anew what they lead to, for a person to review. Each scenario
// cites the requirements it shows. The invariants I2, I5 and I6 are checked after
// every step of all of them.
func TestScenarios(t *testing.T) {
	rulestest.Scripts(t, func(s *rulestest.Script) func(rulestest.Command) { return (&play{Script: s}).run })
}

// testSeats is the cast of the tests.
func testSeats() []persona.Seat {
	return []persona.Seat{
		{Key: "business-analyst", Name: "Maya Chen", Role: "Business Analyst", Title: "BA", Perspective: "a user-needs", Domain: []string{"user", "customer", "journey"}},
		{Key: "solutions-architect", Name: "Alex Rivera", Role: "Solutions Architect", Title: "Architect", Perspective: "an architecture", Domain: []string{"latency", "scale", "architecture"}},
		{Key: "system-designer", Name: "Jordan Park", Role: "System Designer", Title: "Designer", Perspective: "a design", Domain: []string{"interface", "error", "schema"}},
	}
}

// play is a scenario being played: a discussion and its log.
type play struct {
	*rulestest.Script
	d   Discussion
	log []thread.Entry
	// refused makes Slack refuse the introduction.
	refused thread.Reason
}

func newPlay(t *testing.T) *play { return &play{Script: rulestest.NewScript(t)} }

func (p *play) run(c rulestest.Command) {
	who, arg := c.Who(), c.Value
	by := func(name string) thread.Person { return person(name).As(standingOf(name, arg("as", ""))) }
	switch c.Cmd {
	case "open":
		p.open(arg)
	case "say":
		ts := p.TS()
		said := Said{TS: ts, By: by(who), Text: c.Input, BotUser: "UBOT"}
		if zone, err := time.ParseDuration(arg("zone", "")); err == nil {
			east := int(zone.Seconds())
			said.Zone = &east
		}
		p.step("m:"+ts, said)
	case "edit":
		p.step("e:"+who+arg("at", ""), Edited{TS: who, By: by(arg("by", "Priya")), Text: c.Input, EditedTS: arg("at", p.TS())})
	case "delete":
		p.step("d:"+who, Deleted{TS: who})
	case "react":
		p.step("r:"+p.TS(), Reacted{By: by(who), TS: arg("ts", ""), Emoji: arg("emoji", ""), Removed: c.HasArg("removed"), Unsure: c.HasArg("unsure")})
	case "press":
		p.step("b:"+p.TS(), Pressed{By: by(who), Button: thread.ButtonKind(c.CmdArgs[1].Key), Value: strings.TrimSpace(c.Input)})
	case "frame":
		p.step(p.ask()+"/f", Framed{Effect: p.ask(), Framing: Framing{Summary: arg("summary", ""), Focus: c.Input, Ask: key(arg("ask", ""))}})
	case "contribute":
		reply, _ := strconv.Atoi(arg("re", "0"))
		p.contribute(Contribution{Persona: key(who), Stance: thread.Stance(arg("stance", "add")), ReplyTo: reply, Text: c.Input})
	case "drift":
		n, _ := strconv.Atoi(arg("turn", "0"))
		p.contribute(Contribution{Persona: p.d.Lead, Drift: &Drift{Turn: n, Subject: c.Input, Belongs: arg("belongs", "")}})
	case "end":
		tokens, _ := strconv.ParseInt(arg("tokens", "0"), 10, 64)
		micros, _ := strconv.ParseInt(arg("micros", "0"), 10, 64)
		e := Ending{Incomplete: c.HasArg("incomplete"), Spent: thread.Spend{Tokens: tokens, Micros: micros}}
		if strings.TrimSpace(c.Input) != "" {
			e.Conflict = new(Conflict)
			p.Decode(c.Input, e.Conflict)
		}
		p.step(p.ask()+"/end", RoundEnded{Effect: p.ask(), Ending: e})
	case "draft":
		var draft *Draft
		if strings.TrimSpace(c.Input) != "" {
			p.Decode(c.Input, &draft)
		}
		p.step(p.ask()+"/draft", Drafted{Effect: p.ask(), Draft: draft, Transcript: thread.ReadTranscript(p.log)})
	case "enriched":
		var changes []thread.ArtifactChange
		p.Decode(c.Input, &changes)
		p.step(p.d.Enriching+"/done", DocumentsWritten{Effect: p.d.Enriching, Changes: changes})
	case "fail":
		effect, known := map[string]string{"ask": p.ask(), "root": p.d.ID + "/root", "enrich": p.d.Enriching, "post": "D1/some/post"}[who]
		failed := Failed{Effect: effect, Reason: thread.Reason(arg("reason", ""))}
		if !known { // the post of a message of that kind
			effect = "D1/some/" + who
			failed.Effect, failed.Kind = effect, thread.MessageKind(who)
		}
		if strings.TrimSpace(c.Input) != "" {
			p.Decode(c.Input, &failed)
		}
		p.step(fmt.Sprintf("%s/failed%d", effect, p.Inputs), failed)
	case "wait":
		d, err := time.ParseDuration(who)
		if err != nil {
			c.Fatalf(p.T, "wait: %v", err)
		}
		p.Wait(d, func() time.Time { return p.d.WakeAt }, func(id string) { p.step(id, TimerFired{}) })
	case "knocked":
		e := DNDChecked{}
		if p.d.PendingReply != nil {
			e.Effect = p.d.PendingReply.Check
		}
		if d, err := time.ParseDuration(arg("until", "")); err == nil {
			e.Until = p.Now.Add(d)
		}
		p.step(fmt.Sprintf("%s/knocked%d", e.Effect, p.Inputs), e)
	case "identified":
		p.identified(who, arg)
	case "analysed":
		p.step(fmt.Sprintf("A1/%d/welcome", p.Inputs), Analysed{Thread: "900", UnderWay: c.HasArg("under-way")})
	case "parked":
		p.step(fmt.Sprintf("x%d/parked", p.Inputs), Parked{})
	case "root":
		p.show(Root(p.d))
	case "transcript":
		p.transcript()
	default:
		c.Fatalf(p.T, "unknown command %q", c.Cmd)
	}
}

func (p *play) open(arg func(string, string) string) {
	max, _ := strconv.Atoi(arg("max", "10"))
	gather, _ := time.ParseDuration(arg("gather", "0s"))
	silence, _ := time.ParseDuration(arg("silence", "0s"))
	nudge, _ := time.ParseDuration(arg("nudge", "0s"))
	topic := arg("topic", "offline mode for notes")
	e := Opened{
		Discussion: "D1", Place: thread.Place{Team: "T1", Channel: "C1", Thread: arg("thread", "")}, By: person(arg("by", "Priya")),
		Topic: topic, Item: "offline-mode", ItemTitle: "offline mode feature",
		Step: StepRef{ID: arg("step", FreeStep), Title: topic, Outputs: []string{FreeOutput}},
		Cast: testSeats(), Lead: key(arg("lead", "Maya")),
		Settings: Settings{MaxTurns: max, Gather: gather, Silence: silence, Nudge: nudge, MayExtend: arg("extend", "true") == "true", Close: thread.Right(arg("close", "")), Choose: thread.Right(arg("choose", ""))},
	}
	if names := arg("invite", ""); names != "" {
		for _, name := range strings.Split(names, "+") {
			e.Invited = append(e.Invited, person(name).ID)
		}
	}
	if from := arg("from", ""); from != "" {
		e.Origin = &Origin{Analysis: from, Thread: "600"}
	}
	p.refused = thread.Reason(arg("refused", ""))
	p.step("o:1", e)
}

// identified answers the open question who somebody is; without "as" Slack does not say.
func (p *play) identified(who string, arg func(string, string) string) {
	e := Identified{Person: person(who).As(standingOf("Una", arg("as", "")))}
	for _, u := range p.d.Unknown {
		if u.Asking != "" {
			e.Effect = u.Asking
		}
	}
	if d, err := time.ParseDuration(arg("until", "")); err == nil {
		e.Until = p.Now.Add(d)
	}
	p.step(fmt.Sprintf("%s/identified%d", e.Effect, p.Inputs), e)
}

func (p *play) contribute(c Contribution) {
	p.step(ContributionID(p.d, c), Contributed{Effect: p.ask(), Contribution: c})
}

// step gives an input to Step, checks what must always hold, shows what was
// decided, and tells Step that every post stands.
func (p *play) step(id string, e Event) {
	p.T.Helper()
	p.Inputs++
	in := Input{ID: id, At: p.Now, Event: e}
	r := checkedStep(p.T, p.d, in, p.log)
	p.d = r.Discussion
	p.log = append(p.log, r.Entries...)
	for _, m := range r.Moves {
		fmt.Fprintf(&p.Out, "%s → %s\n", m.From, m.To)
	}
	for _, eff := range r.Effects {
		p.effect(eff)
	}
	for _, eff := range r.Effects {
		post, ok := eff.(Post)
		switch {
		case !ok:
		case p.refused != "":
			p.step(post.Key+"/failed", Failed{Effect: post.Key, Reason: p.refused})
		default:
			p.step(post.Key+"/posted", Posted{Effect: post.Key, TS: p.TS()})
		}
	}
}

func (p *play) effect(e Effect) {
	switch e := e.(type) {
	case Post:
		p.show(e.Message)
	case Frame:
		p.Out.WriteString("[ask] frame\n")
	case Discuss:
		var calls []string
		for _, c := range p.d.Round.Calls {
			name := p.d.seat(c.Persona).First()
			if c.Must {
				name += "!"
			}
			calls = append(calls, name)
		}
		fmt.Fprintf(&p.Out, "[ask] discuss %s: %s; answers %v\n", p.d.Round.Kind, strings.Join(calls, " "), p.d.Round.Answers)
	case Synthesise:
		fmt.Fprintf(&p.Out, "[ask] synthesise plain=%v fault=%q\n", e.Plain, e.Fault)
	case WriteDocuments:
		fmt.Fprintf(&p.Out, "[enrich] outputs=%v record=%s turns=%d personas=%v summary=%q\n", e.Outputs, e.Record.StepID, e.Record.TurnCount, e.Record.Personas, e.Record.Summary)
	case Tell:
		fmt.Fprintf(&p.Out, "[only %s] %s\n", strings.TrimPrefix(e.User, "U-"), e.Text)
	case React:
		fmt.Fprintf(&p.Out, "[react %s] %s\n", e.TS, e.Emoji)
	case Report:
		how := "opened in thread " + e.Thread
		if e.Ended {
			how = fmt.Sprintf("ended; refused=%q turns=%d summary=%q decided=%q untold=%d unwritten=%v", e.Refused, e.Turns, e.Summary, e.Decisions, e.Untold, e.Unwritten)
		}
		fmt.Fprintf(&p.Out, "[report %s to %s] %s\n", strings.TrimPrefix(e.Key, p.d.ID+"/"), e.To, how)
	case CheckDND:
		fmt.Fprintf(&p.Out, "[knock] %s\n", strings.TrimPrefix(e.User, "U-"))
	case Identify:
		fmt.Fprintf(&p.Out, "[identify] %s\n", strings.TrimPrefix(e.User, "U-"))
	case Analyse:
		fmt.Fprintf(&p.Out, "[analyse] %s for %s, from thread %s; turns=%d summary=%q decided=%q\n", e.Item, e.By.Name, e.Thread, e.Turns, e.Summary, e.Decisions)
	case Open:
		fmt.Fprintf(&p.Out, "[open] step %s by %s\n", e.Opened.Step.ID, e.Opened.By.Name)
	}
}

func (p *play) show(m thread.Message) {
	p.Message(m.Identity, m.Text, m.Status, m.ToChannel)
	if len(m.Invited) > 0 {
		fmt.Fprintf(&p.Out, "    (calls %s)\n", strings.Join(m.Invited, ", "))
	}
	for _, l := range m.Threads {
		p.Thread(l.Label, l.Thread)
	}
	for _, b := range m.Buttons {
		p.Button(b.Label, b.Value)
	}
}

func (p *play) transcript() {
	tr := thread.ReadTranscript(p.log)
	for _, t := range tr.Turns {
		fmt.Fprintf(&p.Out, "%d %s [%s]: %s\n", t.Number, t.Speaker(p.d.Cast), t.TS, strings.ReplaceAll(t.Text, "\n", " / "))
	}
	for _, t := range tr.Late {
		fmt.Fprintf(&p.Out, "late %s: %s\n", t.Person.Name, t.Text)
	}
	for _, m := range tr.Marks {
		fmt.Fprintf(&p.Out, "%s by %s: %s\n", m.Kind, m.By.Name, m.Body)
	}
}

func (p *play) ask() string {
	if p.d.Ask == nil {
		return "D1/none"
	}
	return p.d.Ask.Key
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

func key(first string) persona.Key {
	for _, s := range testSeats() {
		if strings.EqualFold(s.First(), first) {
			return s.Key
		}
	}
	return persona.Key(first)
}
