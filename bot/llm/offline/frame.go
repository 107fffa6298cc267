package offline

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// family is the situation that a frame answers.
type family string

// The families. Every voice has frames for all of them.
const (
	familyFocus     family = "focus"     // the lead's focus question
	familyOpening   family = "opening"   // the first answer to it
	familyAnswer    family = "answer"    // to somebody's question
	familyChoice    family = "choice"    // to somebody's "this or that"
	familyCounter   family = "counter"   // to a colleague's choice, for the other option
	familyConcern   family = "concern"   // to somebody's worry
	familyStatement family = "statement" // to what somebody told
	familyDecision  family = "decision"  // to what somebody decided
	familyBuild     family = "build"     // on a colleague's point, from another side
	familyDisagree  family = "disagree"  // with a colleague, with a reason
	familyContinue  family = "continue"  // nobody asked, and something is missing
	familyUnclear   family = "unclear"   // what was said could not be read
	familyAsk       family = "ask"       // a closing question back to somebody
)

var families = []family{
	familyFocus, familyOpening, familyAnswer, familyChoice, familyCounter, familyConcern, familyStatement, familyDecision,
	familyBuild, familyDisagree, familyContinue, familyUnclear, familyAsk,
}

// frame is a sentence shape with slots.
type frame struct {
	// parts alternate: text, slot, text, …; slots are at odd indexes.
	parts []string
	// gist names the point that the frame makes, as a noun phrase, so that a
	// colleague can refer to it; in the choice and counter families it is the reason. It has
	// no slots.
	gist string
	// singular marks the slots that agree with a verb in the singular.
	singular map[int]bool
	// opener is how every text of the frame begins, and weight what its slots are
	// worth (prefer).
	opener string
	weight int
}

// The slots that a frame may hold.
const (
	slotTopic     = "topic"     // what the discussion is about, a noun phrase
	slotKey       = "key"       // what the newest message is about, a noun phrase
	slotAspect    = "aspect"    // what the persona's lens sees in the subject
	slotPerson    = "person"    // the person who is answered
	slotColleague = "colleague" // the persona who is answered
	slotPoint     = "point"     // that persona's point, a noun phrase
	slotPick      = "pick"      // the option preferred, a gerund or a noun phrase
	slotOther     = "other"     // the option not preferred
	slotFigure    = "figure"    // a figure with its unit, as a person wrote it
	slotType      = "type"      // the key as an identifier, UpperCamel
	slotLens      = "lens"      // one of the things a persona looks at
)

var slots = []string{
	slotTopic, slotKey, slotAspect, slotPerson, slotColleague, slotPoint, slotPick, slotOther, slotFigure, slotType, slotLens,
}

var slotShape = regexp.MustCompile(`\{([a-z]+)\}`)

// parseFrame reads "text with {slots} | gist"; ok is false for an unknown slot.
func parseFrame(line string) (f frame, ok bool) {
	text := strings.TrimSpace(line)
	// A bar inside code belongs to the code.
	if bar := strings.LastIndex(text, " | "); bar > strings.LastIndex(text, "`") {
		text, f.gist = strings.TrimSpace(text[:bar]), strings.TrimSpace(text[bar+3:])
	}
	at := 0
	for _, m := range slotShape.FindAllStringSubmatchIndex(text, -1) {
		name := text[m[2]:m[3]]
		if !slices.Contains(slots, name) {
			return frame{}, false
		}
		f.parts = append(f.parts, text[at:m[0]], name)
		at = m[1]
	}
	f.parts = append(f.parts, text[at:])
	return newFrame(f.parts, f.gist), text != ""
}

// newFrame makes a frame of its parts.
func newFrame(parts []string, gist string) frame {
	f := frame{parts: parts, gist: gist, singular: singulars(parts), opener: capitalise(parts[0])}
	for slot, weight := range prefer {
		if f.needs(slot) {
			f.weight += weight
		}
	}
	return f
}

// needs reports whether the frame has the slot.
func (f frame) needs(slot string) bool {
	for i := 1; i < len(f.parts); i += 2 {
		if f.parts[i] == slot {
			return true
		}
	}
	return false
}

// words is the frame's own text, without its slots.
func (f frame) words() string {
	var b strings.Builder
	for i := 0; i < len(f.parts); i += 2 {
		b.WriteString(f.parts[i] + " ")
	}
	return b.String()
}

// fits reports whether there is a value for every slot, and none that would not
// agree with its verb. What it finds out about a value's number it notes in plural.
func (f frame) fits(values map[string]string, plural map[string]bool) bool {
	for i := 1; i < len(f.parts); i += 2 {
		slot := f.parts[i]
		value := values[slot]
		if value == "" {
			return false
		}
		if !f.singular[i] {
			continue
		}
		many, known := plural[slot]
		if !known {
			many = isPlural(value)
			plural[slot] = many
		}
		if many {
			return false
		}
	}
	return true
}

// fill puts the values in.
func (f frame) fill(values map[string]string) string {
	var b strings.Builder
	for i, part := range f.parts {
		if i%2 == 1 {
			part = values[part]
		}
		b.WriteString(part)
	}
	return capitalise(b.String())
}

// made reports whether the text was made by the frame, whatever filled it.
func (f frame) made(text string) bool {
	return strings.HasPrefix(text, f.opener) && f.within(text)
}

// within reports whether the text holds what the frame makes.
func (f frame) within(text string) bool {
	for i := 0; i < len(f.parts); i += 2 {
		part := strings.TrimSpace(f.parts[i])
		// Filling may have raised the letter after a slot that ended a sentence.
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return true
}

// capitalise raises the first letter of every sentence, unless the word has a
// capital of its own inside ("iOS").
func capitalise(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	starts := true
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case starts && unicode.IsLetter(r):
			if !innerCapital(s[at:]) {
				r = unicode.ToUpper(r)
			}
			starts = false
		case starts && r != ' ' && r != '"':
			starts = false
		case (r == '.' || r == '?' || r == '!') && at+size < len(s) && s[at+size] == ' ':
			starts = true
		}
		b.WriteRune(r)
		at += size
	}
	return b.String()
}

func innerCapital(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	_, size := utf8.DecodeRuneInString(word)
	return strings.IndexFunc(word[size:], unicode.IsUpper) >= 0
}
