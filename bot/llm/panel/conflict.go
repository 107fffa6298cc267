package panel

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
	"github.com/roundtable-chat/app/roundtable/thread"
)

// conflicting is the conflict that the model saw, if it is one: positions with
// reasons, of two or more colleagues who have spoken, one of them in this round.
// What one colleague holds against itself, or somebody who said nothing is made to
// hold, is no conflict (AC-005-02).
func (rd *round) conflicting() *roundtable.Conflict {
	if rd.conflict == nil || rd.over {
		return nil
	}
	c := roundtable.Conflict{Question: thread.OneLine(visible(rd.conflict.Question))}
	fresh := false
	for _, o := range rd.conflict.Options {
		persona, ok := speaker(o.By, rd.subject.Cast)
		option := roundtable.Option{Label: thread.OneLine(visible(o.Label)), Reason: thread.OneLine(visible(o.Reason)), By: persona.Key}
		if !ok || option.Label == "" || option.Reason == "" || !rd.hasSpoken(persona.Key) ||
			slices.ContainsFunc(c.Options, func(p roundtable.Option) bool { return p.By == persona.Key }) {
			continue
		}
		fresh = fresh || rd.spokeNow(persona.Key)
		c.Options = append(c.Options, option)
	}
	if c.Question == "" || len(c.Options) < 2 || !fresh {
		rd.panel.counts.drop("conflict")
		return nil
	}
	return &c
}

// hasSpoken reports whether a persona has spoken in the discussion.
func (rd *round) hasSpoken(k persona.Key) bool {
	return rd.spokeNow(k) || slices.ContainsFunc(rd.transcript.turns, func(t thread.Turn) bool { return t.Persona == k })
}

// spokeNow reports whether a persona has spoken in this round.
func (rd *round) spokeNow(k persona.Key) bool {
	return slices.Contains(rd.request.Said, k) || slices.ContainsFunc(rd.spoken, func(t thread.Turn) bool { return t.Persona == k })
}

// put is a choice as a model is told of it.
type put struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	Chosen   string   `json:"chosen,omitempty"`
	By       string   `json:"by,omitempty"`
}

func labelsOf(options []roundtable.Option) []string {
	var labels []string
	for _, o := range options {
		labels = append(labels, visible(o.Label))
	}
	return labels
}

// choice is the choice that is before the room, as data, or nothing: a model that is
// not told of it notices the same conflict in every round.
func (rd *round) choice() string {
	c := rd.subject.Choice
	if c == nil {
		return ""
	}
	return rd.transcript.data("choice", line(put{Question: visible(c.Question), Options: labelsOf(c.Options)}))
}

// decided are the choices that the room has made, as data, or nothing.
func (rd *round) decided() string {
	var lines []string
	for _, d := range rd.subject.Decided {
		lines = append(lines, line(put{visible(d.Question), labelsOf(d.Options), visible(d.Chosen), displayName(d.By)}))
	}
	if len(lines) == 0 {
		return ""
	}
	return rd.transcript.data("choices", lines...)
}
