package evaluation

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// Attribution is how often a text was attributed to whoever said it, without
// names.
type Attribution struct {
	All Share `json:"all"`
	// Stages are early, middle and late rounds of a discussion: voices drift.
	Stages [3]Share `json:"stages"`
	// Personas are by the true speaker.
	Personas map[persona.Key]*Share `json:"personas"`
}

// StageNames say which rounds the stages hold.
var StageNames = [3]string{"rounds 0–3", "rounds 4–7", "rounds 8 and later"}

func stageOf(round int) int { return min(round/4, 2) }

func (a *Attribution) add(u Utterance, right bool) {
	if a.Personas == nil {
		a.Personas = map[persona.Key]*Share{}
	}
	if a.Personas[u.Persona] == nil {
		a.Personas[u.Persona] = &Share{}
	}
	a.All.add(right)
	a.Stages[stageOf(u.Round)].add(right)
	a.Personas[u.Persona].add(right)
}

// mask takes names and roles out of texts, so that only the voice is left.
type mask struct{ names *regexp.Regexp }

func newMask(cast []persona.Persona) mask {
	var names []string
	for _, p := range cast {
		names = append(names, p.Name, p.First(), p.Role)
		names = append(names, p.Aliases...)
	}
	for name := range people {
		names = append(names, name)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for i, n := range names {
		names[i] = regexp.QuoteMeta(n)
	}
	return mask{regexp.MustCompile(`\b(?:` + strings.Join(names, "|") + `)\b`)}
}

// text is a contribution without names, and without the name it may begin with.
func (m mask) text(s string) string { return m.names.ReplaceAllString(s, "someone") }

// mechanical attributes contributions by what the classifier learns of the lines
// of known origin. Of personas without such lines it can say nothing.
func mechanical(gold map[string][]string, said []Utterance, m mask) Attribution {
	train := map[string][]string{}
	for label, texts := range gold {
		for _, t := range texts {
			train[label] = append(train[label], m.text(t))
		}
	}
	c := Learn(train)
	var a Attribution
	for _, u := range said {
		if len(gold[string(u.Persona)]) > 0 {
			a.add(u, c.Attribute(m.text(u.Text)) == string(u.Persona))
		}
	}
	return a
}

// heldOut attributes every contribution by what the classifier learns of those of
// the other topics: how consistent voices are with themselves.
func heldOut(said []Utterance, m mask) Attribution {
	byTopic := map[string]map[string][]string{}
	var topics []string
	for _, u := range said {
		if byTopic[u.Topic] == nil {
			topics = append(topics, u.Topic)
			byTopic[u.Topic] = map[string][]string{}
		}
		byTopic[u.Topic][string(u.Persona)] = append(byTopic[u.Topic][string(u.Persona)], m.text(u.Text))
	}
	classifiers := map[string]*Classifier{}
	for _, topic := range topics {
		train := map[string][]string{}
		for _, other := range topics {
			if other != topic {
				for label, texts := range byTopic[other] {
					train[label] = append(train[label], texts...)
				}
			}
		}
		classifiers[topic] = Learn(train)
	}
	var a Attribution
	for _, u := range said {
		a.add(u, classifiers[u.Topic].Attribute(m.text(u.Text)) == string(u.Persona))
	}
	return a
}
