package panel

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
)

//go:embed prompts/*.txt
var promptFiles embed.FS

// prompts are the fixed words of what models are asked.
type prompts struct{ parsed *template.Template }

func readPrompts() (prompts, error) {
	t, err := template.ParseFS(promptFiles, "prompts/*.txt")
	if err != nil {
		return prompts{}, fmt.Errorf("read the prompts: %w", err)
	}
	return prompts{t}, nil
}

// write fills in a prompt.
func (p prompts) write(name string, values any) (string, error) {
	var b strings.Builder
	if err := p.parsed.ExecuteTemplate(&b, name, values); err != nil {
		return "", fmt.Errorf("write the prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()), nil
}

// rules are the words with which a request begins: the same for every discussion
// with the same cast, so that discussions share what is cached of them.
func (p *Panel) rules(name string, s roundtable.Subject) (string, error) {
	values := struct {
		Lead, Length string
		Cards, Names []string
	}{Length: lengthWords(p.length)}
	for _, persona := range s.Cast {
		values.Cards = append(values.Cards, card(persona))
		values.Names = append(values.Names, fmt.Sprintf("- %s (%s)", persona.First(), persona.Key))
		if persona.Key == s.Lead {
			values.Lead = persona.Identity()
		}
	}
	return p.prompts.write(name, values)
}

// facts are what a discussion is about, as data: a topic is as much somebody's
// text as a message is.
func facts(tr *transcript, s roundtable.Subject) string {
	return tr.data("subject", line(struct {
		Topic    string      `json:"topic"`
		Item     string      `json:"item,omitempty"`
		Step     string      `json:"step,omitempty"`
		SoFar    string      `json:"so_far,omitempty"`
		Written  string      `json:"written_so_far,omitempty"`
		Lead     persona.Key `json:"lead"`
		Focus    string      `json:"focus_question,omitempty"`
		Material string      `json:"material,omitempty"`
	}{
		Topic: excerpt(readable(s.Topic, nil), factLimit), Item: readable(s.Item, nil), Step: stepName(s.Step), SoFar: excerpt(readable(s.Step.Summary, nil), factLimit),
		Written: excerpt(readable(s.Written, nil), materialLimit),
		Lead:    s.Lead, Focus: readable(s.Focus, nil), Material: excerpt(readable(s.Context, nil), materialLimit),
	}))
}

// stepName is a step's title; that of a free topic is its topic.
func stepName(s roundtable.StepRef) string {
	if s.ID == roundtable.FreeStep {
		return ""
	}
	return strings.TrimSpace(s.ID + " " + readable(s.Title, nil))
}

// cue says what this round is, after everything that is cached: whom it answers,
// who speaks, what people have marked, and how each who is called sounds.
func (p *Panel) cue(rd *round, calls []roundtable.Call) (string, error) {
	values := struct {
		Kind                                   roundtable.RoundKind
		Answers, Since, Said, Must, May, Marks string
		Choice, Decided                        string
		Drifted                                bool
		Voices                                 []string
	}{
		Kind: rd.request.Kind, Answers: numbers(rd.request.Answers), Said: keys(rd.request.Said), Since: rd.since(),
		Drifted: rd.request.Drifted || rd.drifted, Marks: rd.transcript.marked(),
		Choice: rd.choice(), Decided: rd.decided(),
	}
	var must, may []persona.Key
	for _, c := range calls {
		if c.Must {
			must = append(must, c.Persona)
		} else {
			may = append(may, c.Persona)
		}
		if persona, ok := rd.persona(c.Persona); ok {
			values.Voices = append(values.Voices, reminder(persona))
		}
	}
	values.Must, values.May = keys(must), keys(may)
	values.Voices = slices.DeleteFunc(values.Voices, func(v string) bool { return v == "" })
	return p.prompts.write("cue.txt", values)
}

func keys(list []persona.Key) string {
	words := make([]string, len(list))
	for i, k := range list {
		words[i] = string(k)
	}
	return strings.Join(words, ", ")
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}
