package offline

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// driftWords is how long a message must be before it can be off the topic: a
// short one may mean anything.
const driftWords = 6

// drift reports that what people said belongs elsewhere (FR-004, AC-004-01). It
// takes all signs together, because a wrong redirect is worse than a missed one:
// a whole sentence with a subject of its own, a question or a statement, no word
// shared with the topic or with anything said, none of anybody's ground and none
// of a kind of subject that the discussion touches.
func (r *round) drift() *roundtable.Drift {
	h := r.heard
	if r.Kind != roundtable.RoundAnswer || r.Drifted || len(r.Said) > 0 || h.words < driftWords || len(h.keys) == 0 {
		return nil
	}
	if h.act != actQuestion && h.act != actStatement {
		return nil
	}
	if !slices.ContainsFunc(r.Calls, func(c roundtable.Call) bool { return c.Persona == r.subject.Lead }) {
		return nil
	}
	if !r.elsewhere(h.text, h.stems, r.Answers) {
		return nil
	}
	return &roundtable.Drift{Turn: r.answered, Subject: h.keys[0]}
}

// elsewhere reports whether a text shares nothing with the discussion: no word
// with its topic or with other turns, none of a persona's ground, no kind of
// subject. A text without a word that carries meaning, such as a row of figures,
// could not share one, and shows nothing. own are the turns that the text comes from.
func (sc *scene) elsewhere(text string, stems []string, own []int) bool {
	if len(stems) == 0 {
		return false
	}
	shares := func(found []string) bool {
		return slices.ContainsFunc(found, func(s string) bool { return slices.Contains(stems, s) })
	}
	about := joinLines(sc.subject.Topic, sc.subject.Step.Title, sc.subject.Step.Summary, sc.subject.Written, sc.subject.Context, sc.subject.Focus)
	if len(sc.panel.themesOf(stems)) > 0 || shares(sc.panel.reader.stems(about)) {
		return false
	}
	if slices.ContainsFunc(sc.subject.Cast, func(p persona.Persona) bool { return domainHits(p, text) > 0 }) {
		return false
	}
	// What was said costs most to read, and what was said last is likeliest to be taken up.
	for _, t := range slices.Backward(sc.turns) {
		// What a persona made of the text is no sign that it belongs here.
		if !slices.Contains(own, t.Number) && (t.Persona == "" || !slices.Contains(own, t.ReplyTo)) && shares(contentStems(plain(t.Text))) {
			return false
		}
	}
	return true
}
