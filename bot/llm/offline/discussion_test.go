package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/roundtable-chat/app/manifests"
	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

func cast(t testing.TB) persona.Roster {
	t.Helper()
	set, err := manifests.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	return set.Roster
}

func newPanel(t testing.TB) *Panel {
	t.Helper()
	p, err := New(Options{Roster: cast(t)})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// play is a discussion without Slack, store or rules: enough of each to ask the
// panel what it would be asked.
type play struct {
	t       testing.TB
	panel   *Panel
	subject roundtable.Subject
	script  thread.Transcript
	out     strings.Builder
	choices []roundtable.Conflict
	drifts  []roundtable.Drift
	silent  int
}

func newPlay(t testing.TB, panel *Panel, topic string, lead persona.Key) *play {
	return &play{t: t, panel: panel, subject: roundtable.Subject{
		Discussion: "d-" + topic, Topic: topic, Step: roundtable.StepRef{ID: freeStep, Title: topic}, Lead: lead, Cast: cast(t).Personas,
	}}
}

func (p *play) persona(key persona.Key) (persona.Persona, bool) {
	return persona.Roster{Personas: p.subject.Cast}.Persona(key)
}

func (p *play) frame() {
	p.t.Helper()
	f, err := p.panel.Frame(context.Background(), p.subject)
	if err != nil {
		p.t.Fatal(err)
	}
	p.subject.Focus = f.Focus
	lead, _ := p.persona(p.subject.Lead)
	ask, _ := p.persona(f.Ask)
	text := strings.TrimSpace(f.Summary + " I think we could benefit from all our perspectives on this specific question: " + f.Focus + " " + ask.First() +
		", what is your take from " + ask.Perspective + " perspective?")
	p.say(thread.Turn{Persona: lead.Key, Text: text})
	calls := []roundtable.Call{{Persona: ask.Key, Must: true}}
	for _, c := range p.subject.Cast {
		if c.Key != lead.Key && c.Key != ask.Key {
			calls = append(calls, roundtable.Call{Persona: c.Key, Must: true})
		}
	}
	p.round(roundtable.Round{Kind: roundtable.RoundOpening, Calls: calls})
}

// hear lets a person speak and the personas answer: those named, else the lead
// and whoever's ground is touched.
func (p *play) hear(name, text string) []roundtable.Contribution {
	p.t.Helper()
	p.say(thread.Turn{Person: thread.Person{ID: "U" + name, Name: name}, Text: text})
	var calls []roundtable.Call
	for _, c := range p.subject.Cast {
		if strings.Contains(text, c.First()+",") {
			calls = append(calls, roundtable.Call{Persona: c.Key, Must: true})
		}
	}
	if len(calls) == 0 {
		calls = append(calls, roundtable.Call{Persona: p.subject.Lead, Must: true})
	}
	for _, c := range p.subject.Cast {
		if c.Key != calls[0].Persona && domainHits(c, text) > 0 {
			calls = append(calls, roundtable.Call{Persona: c.Key})
		}
	}
	return p.round(roundtable.Round{Kind: roundtable.RoundAnswer, Calls: calls, Answers: []int{len(p.script.Turns)}})
}

func (p *play) goOn() []roundtable.Contribution {
	calls := make([]roundtable.Call, 0, len(p.subject.Cast))
	for i, c := range p.subject.Cast {
		calls = append(calls, roundtable.Call{Persona: c.Key, Must: i == len(p.script.Turns)%len(p.subject.Cast)})
	}
	return p.round(roundtable.Round{Kind: roundtable.RoundContinue, Calls: calls})
}

func (p *play) round(r roundtable.Round) []roundtable.Contribution {
	p.t.Helper()
	var said []roundtable.Contribution
	request := engine.RoundRequest{Subject: p.subject, Transcript: thread.Transcript{Turns: slices.Clone(p.script.Turns)}, Round: r}
	ending, err := p.panel.Discuss(context.Background(), request, func(c roundtable.Contribution) error {
		said = append(said, c)
		if c.Drift != nil {
			p.drifts = append(p.drifts, *c.Drift)
			fmt.Fprintf(&p.out, "(off topic: %s)\n\n", c.Drift.Subject)
			return nil
		}
		p.say(thread.Turn{Persona: c.Persona, Text: c.Text, Stance: c.Stance, ReplyTo: c.ReplyTo})
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.silent += len(r.Calls) - len(said)
	if c := ending.Conflict; c != nil {
		p.choices = append(p.choices, *c)
		fmt.Fprintf(&p.out, "(choice: %s\n", c.Question)
		for _, o := range c.Options {
			fmt.Fprintf(&p.out, "   %s: %s [%s]\n", o.Label, o.Reason, o.By)
		}
		p.out.WriteString(")\n\n")
	}
	return said
}

func (p *play) say(turn thread.Turn) {
	turn.Number = len(p.script.Turns) + 1
	p.script.Turns = append(p.script.Turns, turn)
	who := turn.Person.Name
	if c, ok := p.persona(turn.Persona); ok {
		who = c.Identity()
	}
	fmt.Fprintf(&p.out, "%d %s: %s\n\n", turn.Number, who, turn.Text)
}

func (p *play) end() *roundtable.Draft {
	p.t.Helper()
	d, err := p.panel.Synthesise(context.Background(), p.subject, p.script, "")
	if err != nil {
		p.t.Fatal(err)
	}
	fmt.Fprintf(&p.out, "--\nsummary: %s\n", d.Summary)
	for _, part := range []struct {
		name   string
		points []roundtable.DraftPoint
	}{{"insight", d.Insights}, {"decision", d.Decisions}, {"question", d.Questions}, {"action", d.Actions}} {
		for _, x := range part.points {
			fmt.Fprintf(&p.out, "%s %v: %s\n", part.name, x.Turns, x.Text)
		}
	}
	return d
}
