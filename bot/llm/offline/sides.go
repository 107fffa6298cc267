package offline

import (
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable"
	"github.com/roundtable-chat/app/roundtable/persona"
)

// side is the option that a persona speaks for when people ask "this or that",
// and the other one. The first to speak draws; of the others every second one
// takes the opposite side of the first, so that a choice is seen from both.
func (r *round) side(p persona.Persona) (pick, other string) {
	a, b := r.heard.options[0], r.heard.options[1]
	if own, ok := r.picks[p.Key]; ok {
		pick = own.Label
	} else if len(r.spoken) == 0 {
		if pick = a; r.lottery.draw(string(p.Key), "side")%2 == 0 {
			pick = b
		}
	} else {
		first := r.picks[r.spoken[0]].Label
		pick = first
		if r.lottery.draw(string(p.Key), "against")%3 != 0 {
			if pick = a; first == a {
				pick = b
			}
		}
	}
	if pick == a {
		return a, b
	}
	return b, a
}

// takeSide fills in the sides of a choice. Whoever agrees with the first speaker
// adds to that one's point instead of repeating it.
func (r *round) takeSide(p persona.Persona, values map[string]string) (family, bool) {
	pick, other := r.side(p)
	values[slotPick], values[slotOther] = pick, other
	if len(r.spoken) == 0 {
		return familyChoice, true
	}
	for _, key := range slices.Backward(r.spoken) {
		against, ok := r.picks[key]
		colleague, known := r.persona(key)
		if !ok || !known {
			continue
		}
		values[slotColleague] = colleague.First()
		if against.Label != pick {
			return familyCounter, true
		}
		values[slotPoint] = against.Label
		return familyBuild, true
	}
	return "", false
}

// reasonIn is the reason that a contribution gave for its side.
func (r *round) reasonIn(p persona.Persona, text string) string {
	v := r.voices[p.Key]
	for _, f := range slices.Concat(v.frames[familyChoice], v.frames[familyCounter]) {
		if f.made(text) {
			return f.gist
		}
	}
	return ""
}

// conflict puts the choice before the room when two sides were taken
// (AC-005-02), unless the same choice was put before.
func (r *round) conflict() *roundtable.Conflict {
	if len(r.picks) < 2 || r.choseBefore() {
		return nil
	}
	a, b := r.heard.options[0], r.heard.options[1]
	c := &roundtable.Conflict{Question: capitalise(a) + ", or " + b + "?"}
	for _, label := range []string{a, b} {
		for _, key := range r.spoken {
			if o, ok := r.picks[key]; ok && o.Label == label && o.Reason != "" {
				o.Label, o.Reason = capitalise(o.Label), capitalise(o.Reason)
				c.Options = append(c.Options, o)
				break
			}
		}
	}
	if len(c.Options) < 2 {
		return nil
	}
	return c
}

// choseBefore reports whether an earlier message put the same options.
func (r *round) choseBefore() bool {
	now := optionStems(r.heard.options)
	for _, t := range r.turns {
		if t.Persona != "" || t.Number == 0 || slices.Contains(r.Answers, t.Number) {
			continue
		}
		if earlier := r.panel.reader.read(t.Text, r.names); earlier.act == actChoice && optionStems(earlier.options) == now {
			return true
		}
	}
	return false
}

// optionStems identifies a choice whatever its order and wording around it.
func optionStems(options [2]string) string {
	sides := make([]string, 2)
	for i, o := range options {
		stems := contentStems(o)
		slices.Sort(stems)
		sides[i] = strings.Join(stems, " ")
	}
	slices.Sort(sides)
	return strings.Join(sides, "|")
}
