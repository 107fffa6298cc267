package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/analysis"
	"github.com/roundtable-chat/app/roundtable/engine"
)

var _ engine.Inquirer = (*Inquirer)(nil)

// Inquirer leads an analysis by rule: it asks the prompts of the step files one
// after the other, takes up each answer in a sentence, and writes down what was
// said with the names of those who said it. It judges no answer and adds nothing.
type Inquirer struct{ pace time.Duration }

// NewInquirer returns an inquirer that thinks for so long before it asks.
func NewInquirer(pace time.Duration) *Inquirer { return &Inquirer{pace: pace} }

// Inquire implements engine.Inquirer.
func (i *Inquirer) Inquire(ctx context.Context, q engine.Inquiry) (analysis.Asked, error) {
	if err := pause(ctx, i.pace); err != nil {
		return analysis.Asked{}, err
	}
	b := q.Briefing
	return analysis.Asked{
		Reflection: reflection(b.Step, lately(q.Transcript, b.Step.From)),
		Question:   b.NextText, Prompt: b.Next, Enough: b.Next == 0,
	}, nil
}

// Compose implements engine.Inquirer: a section takes what was said, a list one
// object a contribution. What else an artifact may want cannot be made of talk by
// rule, and the rules of the analysis put it down as it was said.
func (i *Inquirer) Compose(ctx context.Context, q engine.Inquiry) (*analysis.Draft, error) {
	if err := pause(ctx, i.pace); err != nil {
		return nil, err
	}
	b := q.Briefing
	said := people(q.Transcript, b.From)
	if len(said) == 0 || q.Fault != "" {
		return nil, nil
	}
	last := said[len(said)-1]
	d := &analysis.Draft{
		Point:   gist(last.Text, mostWords),
		Summary: fmt.Sprintf("%s, as %s put it: %s", b.Step.Title, last.Person.Name, ended(gist(last.Text, 2*mostWords))),
	}
	if b.Purpose == analysis.ForSkip {
		d.Point, d.Summary = "", ""
		return d, nil // nobody spoke about the steps that are skipped
	}
	if d.Parts = parts(b.Targets, said); len(d.Parts) == 0 {
		return nil, nil
	}
	return d, nil
}

// mostWords bounds what is repeated of an answer.
const mostWords = 14

// lately are people's turns since the lead last spoke.
func lately(t roundtable.Transcript, from int) []roundtable.Turn {
	var turns []roundtable.Turn
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

// people are people's turns from a number on.
func people(t roundtable.Transcript, from int) []roundtable.Turn {
	var turns []roundtable.Turn
	for _, turn := range t.Turns {
		if turn.Persona == "" && turn.Number >= from && !turn.Struck && strings.TrimSpace(turn.Text) != "" {
			turns = append(turns, turn)
		}
	}
	return turns
}

// openers are how an answer is taken up; they take turns by how much was asked.
var openers = []string{"So what I hear is:", "Noted:", "Let me hold on to that:", "Good to know:"}

// reflection takes up what was said: one person's words, or each person's with the
// name.
func reflection(step analysis.Sitting, said []roundtable.Turn) string {
	if len(said) == 0 {
		return ""
	}
	opener := openers[step.Questions%len(openers)]
	var who []string
	for _, turn := range said {
		who = append(who, turn.Person.ID)
	}
	if same(who) {
		return opener + " " + ended(gist(said[len(said)-1].Text, mostWords))
	}
	var views []string
	for _, turn := range said {
		views = append(views, turn.Person.Name+" says “"+gist(turn.Text, mostWords)+"”")
	}
	return opener + " " + strings.Join(views, "; ") + "."
}

func same(names []string) bool {
	for _, n := range names {
		if n != names[0] {
			return false
		}
	}
	return true
}

// gist is the first sentence of a text, with at most so many words.
func gist(text string, words int) string {
	text = plain(text)
	if at := strings.IndexAny(text, ".!?"); at > 0 && (at+1 == len(text) || text[at+1] == ' ') {
		text = text[:at]
	}
	if w := strings.Fields(text); len(w) > words {
		return strings.Join(w[:words], " ") + " …"
	}
	return text
}

// ended ends a sentence.
func ended(s string) string {
	if s == "" || strings.HasSuffix(s, "…") || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// unmarked takes the signs of Markdown from a name.
var unmarked = strings.NewReplacer("*", "", "_", " ", "`", "", "[", "", "]", "", "<", "", ">", "", "\n", " ")

// parts fill every place that can be filled with what was said.
func parts(targets []analysis.Target, said []roundtable.Turn) []analysis.Part {
	var lines strings.Builder
	objects := make([]map[string]string, 0, len(said))
	for _, turn := range said {
		text := strings.Join(strings.Fields(turn.Text), " ")
		fmt.Fprintf(&lines, "- **%s**: %s\n", unmarked.Replace(turn.Person.Name), text)
		objects = append(objects, map[string]string{"said": text, "by": turn.Person.Name})
	}
	list, err := json.MarshalIndent(objects, "", "  ")
	if err != nil {
		return nil // strings can always be encoded
	}
	var out []analysis.Part
	for _, t := range targets {
		if strings.HasSuffix(t.File, "/") {
			continue // which documents belong there cannot be told by rule
		}
		p := analysis.Part{File: t.File, Part: t.Part, Name: t.Name}
		switch t.Part {
		case analysis.PartSection:
			p.Content = "As it was said:\n\n" + lines.String()
		case analysis.PartList:
			p.Content = string(list)
		case analysis.PartRows:
			continue
		}
		out = append(out, p)
	}
	return out
}
