package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/roundtable-chat/app/roundtable/persona"
)

// line is what a persona is about to say.
type line struct {
	text string
	gist string
}

// lottery decides between frames that would all do: by a hash of the situation,
// so that the same situation always draws the same. It is the hash of the situation
// alone.
type lottery uint32

// newLottery hashes a situation (FNV-1a).
func newLottery(situation string) lottery { return lottery(fnv1a(2166136261, situation)) }

// fnv1a goes on with an FNV-1a hash.
func fnv1a(h uint32, s string) uint32 {
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// draw returns a number that depends on the situation and on what is drawn for.
func (l lottery) draw(what ...string) uint32 {
	x := uint32(l)
	for _, w := range what {
		x = fnv1a(x*16777619, w) // after a zero byte
	}
	// FNV's high bits barely depend on the last bytes; mix them.
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	x *= 0x846ca68b
	return x ^ x>>16
}

// prefer are slots for whose sake a frame is taken before others: what a person
// wrote counts for more than what fits everything.
var prefer = map[string]int{slotFigure: 3, slotAspect: 2, slotPerson: 1, slotKey: 1, slotPoint: 1}

// pick chooses a frame of the family and fills it. Frames that the discussion
// has not heard come first; so do those that use more of what is known. accept
// refuses texts that would break a rule. ok is false when nothing can be said.
func (l lottery) pick(frames []frame, values map[string]string, used func(frame) int, accept func(string) bool) (line, bool) {
	type candidate struct {
		*frame
		used  int
		order uint32
	}
	all := make([]candidate, 0, len(frames))
	plural := make(map[string]bool, len(values)) // by slot, as far as it is known
	for i := range frames {
		f := &frames[i]
		if !f.fits(values, plural) {
			continue
		}
		// A weight is a better chance, not a rule: else the same few frames win.
		order := l.draw(f.parts...)>>1 + uint32(4-min(f.weight, 4))<<27
		all = append(all, candidate{frame: f, used: used(*f), order: order})
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(a.order, b.order), slices.Compare(a.parts, b.parts))
	})
	// Refusals are rare and checks are dear, so texts are made and checked in order.
	for _, c := range all {
		if text := c.fill(values); accept(text) {
			return line{text, c.gist}, true
		}
	}
	return line{}, false
}

// themesOf are the names of the themes that the stems touch, those with more
// words first.
func (p *Panel) themesOf(stems []string) []string {
	type touched struct {
		name string
		hits int
	}
	var all []touched
	for _, t := range p.themes {
		n := 0
		for _, s := range stems {
			if t.words[s] {
				n++
			}
		}
		if n > 0 {
			all = append(all, touched{t.name, n})
		}
	}
	slices.SortStableFunc(all, func(a, b touched) int { return cmp.Compare(b.hits, a.hits) })
	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.name
	}
	return names
}

// domainHits counts the words of the persona's own ground in a text.
func domainHits(p persona.Persona, text string) int {
	low := strings.ToLower(text)
	n := 0
	for _, word := range p.Domain {
		if holdsPhrase(low, word) {
			n++
		}
	}
	return n
}
