package offline

import (
	"slices"

	"github.com/roundtable-chat/app/roundtable"
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
	known := map[string]bool{}
	for _, s := range slices.Concat(r.background.stems, contentStems(plain(r.subject.Focus))) {
		known[s] = true
	}
	for _, t := range r.turns {
		if !slices.Contains(r.Answers, t.Number) {
			for _, s := range contentStems(plain(t.Text)) {
				known[s] = true
			}
		}
	}
	for _, s := range h.stems {
		if known[s] {
			return nil
		}
	}
	for _, p := range r.subject.Cast {
		if domainHits(p, h.text) > 0 {
			return nil
		}
	}
	if len(r.panel.themesOf(h.stems)) > 0 {
		return nil
	}
	return &roundtable.Drift{Turn: r.answered, Subject: h.keys[0]}
}
