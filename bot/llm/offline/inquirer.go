package offline

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
	"github.com/roundtable-chat/app/roundtable/thread"
)

var _ engine.Inquirer = (*Inquirer)(nil)

// Inquirer leads an analysis by rule: it asks the prompts of the step files one
// after the other, takes up each answer in a sentence, and writes down what was
// said with the names of those who said it, below the questions that were
// answered and beside those that were not. It judges no answer and adds nothing.
type Inquirer struct{ pace time.Duration }

// NewInquirer returns an inquirer that thinks for so long before it asks.
func NewInquirer(pace time.Duration) *Inquirer { return &Inquirer{pace: pace} }

// Inquire implements engine.Inquirer.
func (i *Inquirer) Inquire(ctx context.Context, q engine.Inquiry) (analysis.Asked, error) {
	if err := pause(ctx, i.pace); err != nil {
		return analysis.Asked{}, err
	}
	b := q.Briefing
	asked := analysis.Asked{
		Reflection: reflection(lately(q.Transcript, b.Step.From)),
		Question:   b.NextText, Prompt: b.Next, Enough: b.Next == 0,
	}
	if b.HandOver != nil {
		asked.Summary = inheritance(q.Transcript, b.Step.From)
	}
	return asked, nil
}

// Compose implements engine.Inquirer: every place takes the answers that belong to
// it, in its own form as far as rules can tell (see minutes.go, stories.go, rows.go
// and decisions.go). A second attempt would be the same, so there is none: the
// rules of the analysis put down what was said.
func (i *Inquirer) Compose(ctx context.Context, q engine.Inquiry) (*analysis.Draft, error) {
	if err := pause(ctx, i.pace); err != nil {
		return nil, err
	}
	b := q.Briefing
	m := newMinutes(b, q.Transcript)
	switch {
	case q.Fault != "":
		return nil, nil
	case b.Purpose == analysis.ForSkip:
		return &analysis.Draft{Parts: m.outlook()}, nil
	case len(m.exchanges) == 0:
		return nil, nil
	}
	d := &analysis.Draft{Parts: m.parts()}
	if told, ok := mostTelling(m.answers()); ok {
		d.Point = pointFor(b.Step.Acknowledgement, told.text)
		d.Summary = landed(m.answers()[0], told)
	}
	if len(d.Parts) == 0 {
		return nil, nil
	}
	return d, nil
}

// lately are people's turns since the lead last spoke.
func lately(t thread.Transcript, from int) []thread.Turn {
	var turns []thread.Turn
	for _, turn := range t.Turns {
		switch {
		case turn.Persona != "":
			turns = nil
		case turn.Number >= from && !turn.Struck:
			turns = append(turns, turn)
		}
	}
	return turns
}

// inheritance sums up for a new lead what was said before their phase: what was
// decided, and who put what most tellingly.
func inheritance(t thread.Transcript, before int) string {
	const most = 3
	var points, seen []string
	add := func(name, text string) {
		if len(points) < most && text != "" && !slices.Contains(seen, text) {
			seen, points = append(seen, text), append(points, name+": “"+text+"”")
		}
	}
	for _, m := range slices.Backward(t.Marks) {
		if m.Kind == thread.MarkDecision && m.Turn < before {
			add(m.By.Name+" decided", gist(m.Body))
		}
	}
	var said []thread.Turn
	for _, turn := range t.Turns {
		if turn.Persona == "" && !turn.Struck && turn.Number < before {
			said = append(said, turn)
		}
	}
	for _, s := range telling(said) {
		add(s.by.Name, s.text)
	}
	return strings.Join(points, "; ")
}

// landed sums a step up in two voices: what its first question brought, because that
// is what a step is about, and what was put most tellingly after it.
func landed(first thread.Turn, best told) string {
	opening := gist(first.Text)
	if opening == "" || opening == best.text || unknown.MatchString(opening) {
		return nameOf(best.by) + " put it like this: " + ended(best.text)
	}
	if first.Person.ID == best.by.ID {
		return nameOf(best.by) + " began with “" + opening + "” and went on: " + ended(best.text)
	}
	return nameOf(first.Person) + " began with “" + opening + "”, and " + nameOf(best.by) + " put it like this: " + ended(best.text)
}
